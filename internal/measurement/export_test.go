package measurement

// Seal lets the fuzz test pass the checksum.
var Seal = seal
