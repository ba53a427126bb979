// Package loginflow logs in at a user's own login service, as a list of HTTP requests says.
//
// It runs next to that service, before the load, to find out whether a login works and what it
// costs. Under load, the k6 script of package loadtests sends the same requests. Both are tested
// with the same cases (testdata/cases.json there).
package loginflow
