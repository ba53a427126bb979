// Command notices prints the licences of the software that a Go program contains: a list of its
// modules with their versions, and the text of each of their licences and notices once.
//
//	notices [-C FOLDER] [-also LICENCE,...] PACKAGE
//
// PACKAGE is resolved in FOLDER, for the platform of GOOS and GOARCH. A module whose licence is
// unknown, or is neither permitted nor in -also, is an error. A module contributes the licence files
// of every folder from its linked packages up to its root. What a module embeds from elsewhere,
// such as scripts of a web page, is covered only as far as these files name it.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "notices:", err)
		os.Exit(1)
	}
}

func run(arguments []string, output io.Writer) error {
	flags := flag.NewFlagSet("notices", flag.ContinueOnError)
	folder := flags.String("C", ".", "the folder in which the package is resolved")
	also := flags.String("also", "", "more licences that are permitted, with commas between them")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	if flags.NArg() != 1 {
		return errors.New("usage: notices [-C FOLDER] [-also LICENCE,...] PACKAGE")
	}
	modules, err := linked(*folder, flags.Arg(0))
	if err != nil {
		return err
	}
	allowed := slices.Concat(permitted, strings.Split(*also, ","))
	for i := range modules {
		if err := modules[i].license(allowed); err != nil {
			return err
		}
	}
	_, err = io.WriteString(output, document(modules))
	return err
}
