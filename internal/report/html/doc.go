// Package html lays a report out as one file that a browser opens without a
// network and without a script: the answer first, then tables and drawings, and
// at the end how it was measured.
//
// It works nothing out: the words and numbers are those of the report, and each
// drawing has the same numbers in a table below it, for whoever can't see it.
package html
