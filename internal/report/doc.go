// Package report writes the results of an experiment for a terminal (Table), a pull
// request (Markdown), a spreadsheet (CSV), and for programs (JSON, JUnit).
//
// A Document is built from the resources alone, so that a saved report can be written
// again without a cluster. The Document computes all texts and numbers once, and each
// format only lays them out. The package does not judge and does not recommend: verdicts
// and recommendations come from the status.
package report
