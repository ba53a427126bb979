package handover

// Seal lets the fuzzing test pass the checksum.
var Seal = seal
