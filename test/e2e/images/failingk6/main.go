// Command failingk6 replaces k6 with the real k6 and a script that throws.
package main

import (
	"os"
	"syscall"
)

const (
	genuine = "/usr/local/bin/k6"
	script  = "/tmp/broken.js"
)

func main() {
	args := append([]string{genuine}, os.Args[1:]...)
	if len(args) > 1 && args[1] == "run" {
		if err := os.WriteFile(script, []byte("export default function () {}\nthrow new Error('this script is broken');\n"), 0o600); err != nil {
			os.Exit(1)
		}
		args = []string{genuine, "run", "--quiet", script}
	}
	if err := syscall.Exec(genuine, args, os.Environ()); err != nil {
		os.Exit(1)
	}
}
