// Command dashboards writes Grafana's dashboards as JSON files into the given folder. The Helm
// chart contains these files.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/hashmark-dev/hashmark/hack/dashboards"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: dashboards FOLDER")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "dashboards:", err)
		os.Exit(1)
	}
}

func write(folder string) error {
	if err := os.MkdirAll(folder, 0o750); err != nil {
		return err
	}
	for name, dashboard := range dashboards.All() {
		text, err := dashboard.JSON()
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(folder, name+".json"), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}
