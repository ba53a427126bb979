// Package loginflow logs in at a user's own login service, by a list of HTTP requests or with a k6
// script.
//
// It runs next to that service, before the load, to find out whether a login works and what it
// costs: requests are sent from Go, and a script by k6 as a child. Under load, the scripts of
// package loadtests do the same. The tests send the same logins in both ways.
package loginflow
