package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

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
	var to, password, user, files, keys, keysFolder string
	var cost int32
	flags := flag.NewFlagSet("loginservice install", flag.ContinueOnError)
	flags.StringVar(&to, "to", "", "`folder` to copy this program to")
	numberVar(flags, &cost, "cost", defaultCost, "bcrypt `cost` of the hash of the password")
	accountVars(flags, &user, &password)
	flags.StringVar(&keys, "keys", "{}", "keys of Secrets and ConfigMaps that must be in the folder of --keys-folder, a JSON `object` with what each is by the name of its file")
	flags.StringVar(&keysFolder, "keys-folder", "", "`folder` of --keys")
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
	if err := checkKeys(keys, keysFolder); err != nil {
		return err
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

// checkKeys returns an error for the keys that do not exist.
func checkKeys(keys, folder string) error {
	var named map[string]string
	if err := json.Unmarshal([]byte(keys), &named); err != nil {
		return fmt.Errorf("%w: --keys is not a JSON object of texts: %w", errUsage, err)
	}
	var missing []string
	for _, file := range slices.Sorted(maps.Keys(named)) {
		if _, err := os.Stat(filepath.Join(folder, file)); err != nil {
			missing = append(missing, named[file])
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("there is no %s in this namespace; create it, or correct contentFrom in service.own.files", strings.Join(missing, " and no "))
	}
	return nil
}
