package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	gobcrypt "golang.org/x/crypto/bcrypt"

	"github.com/hashmark-dev/hashmark/internal/envvar"
	"github.com/hashmark-dev/hashmark/internal/loginflow"
	"github.com/hashmark-dev/hashmark/internal/observe"
)

const (
	// programName is the name of this program in a folder where it was installed.
	programName = "loginservice"
	// hashName is the name of the file with the hash of the password.
	hashName   = "password-hash"
	folderMode = 0o755
)

// install copies this program into a folder of a pod whose login service is not Hashmark's, with
// the hash of the password and the files that the service reads.
func install(arguments []string, w system) error {
	var to, password, user, files string
	var cost int32
	flags := flag.NewFlagSet("loginservice install", flag.ContinueOnError)
	flags.StringVar(&to, "to", "", "`folder` to copy this program to")
	numberVar(flags, &cost, "cost", defaultCost, "bcrypt `cost` of the hash of the password")
	accountVars(flags, &user, &password)
	flags.StringVar(&files, "files", "[]", "contents of files, a JSON list of `texts`, written to files/0, files/1 and so on")
	if err := parse(flags, arguments, w); err != nil {
		return err
	}
	if to == "" {
		return fmt.Errorf("%w: --to is not set; name the folder to copy this program to", errUsage)
	}
	var contents []string
	if err := json.Unmarshal([]byte(files), &contents); err != nil {
		return fmt.Errorf("%w: --files is not a JSON list of texts: %w", errUsage, err)
	}
	hash, err := gobcrypt.GenerateFromPassword([]byte(password), int(cost))
	if err != nil {
		return fmt.Errorf("%w: %w", errUsage, err)
	}
	variables := map[string]string{}
	for _, name := range envvar.Own {
		if value, known := w.lookup(name); known {
			variables[name] = value
		}
	}
	variables[envvar.User], variables[envvar.Password], variables[envvar.PasswordHash], variables[envvar.Cost] = user, password, string(hash), strconv.Itoa(int(cost))
	own, err := os.Executable()
	if err != nil {
		return err
	}
	err = errors.Join(os.MkdirAll(filepath.Join(to, "files"), folderMode), observe.Copy(own, filepath.Join(to, programName)),
		os.WriteFile(filepath.Join(to, hashName), hash, outputMode))
	for i, content := range contents {
		text := loginflow.Expand(content, variables)
		err = errors.Join(err, os.WriteFile(filepath.Join(to, "files", strconv.Itoa(i)), []byte(text), outputMode))
	}
	return err
}
