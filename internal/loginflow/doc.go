// Package loginflow logs in at a user's own login service, by a list of HTTP requests or with a k6
// script. It runs k6 as a child before the load, to find out whether a login works and what it costs;
// under load, package generator runs the same scripts of package loadtests.
package loginflow
