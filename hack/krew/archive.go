package main

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// platform is an operating system and architecture that the plugin is released for.
type platform struct {
	os, arch string
}

// platforms are the platforms of a release.
var platforms = []platform{
	{"darwin", "amd64"}, {"darwin", "arm64"}, {"linux", "amd64"}, {"linux", "arm64"}, {"windows", "amd64"}, {"windows", "arm64"},
}

// binary returns the plugin's file name on the platform.
func (p platform) binary() string {
	if p.os == "windows" {
		return "kubectl-hashmark.exe"
	}
	return "kubectl-hashmark"
}

// archive is an archive of a release.
type archive struct {
	platform
	name, sha256 string
}

// archive packs the binary of a platform with the licence, which krew requires.
func (r release) archive(p platform) (archive, error) {
	made := archive{platform: p, name: fmt.Sprintf("kubectl-hashmark_%s_%s_%s.tar.gz", r.version, p.os, p.arch)}
	file, err := os.Create(filepath.Join(r.to, made.name))
	if err != nil {
		return archive{}, err
	}
	sum := sha256.New()
	err = pack(io.MultiWriter(file, sum), []packed{
		{"LICENSE", r.licence, 0o644},
		{p.binary(), filepath.Join(r.binaries, p.os+"-"+p.arch, p.binary()), 0o755},
	})
	made.sha256 = hex.EncodeToString(sum.Sum(nil))
	return made, errors.Join(err, file.Close())
}

// packed is a file of an archive, and its source.
type packed struct {
	name, from string
	mode       int64
}

// pack writes an archive that depends only on the files' contents, and not on times, owners or
// permissions of the machine.
func pack(to io.Writer, files []packed) error {
	compressed, err := gzip.NewWriterLevel(to, gzip.BestCompression)
	if err != nil {
		return err
	}
	archive := tar.NewWriter(compressed)
	for _, file := range files {
		content, err := os.ReadFile(file.from)
		if err != nil {
			return err
		}
		header := &tar.Header{
			Name: file.name, Mode: file.mode, Size: int64(len(content)), Typeflag: tar.TypeReg, ModTime: time.Unix(0, 0), Format: tar.FormatUSTAR,
		}
		if err := archive.WriteHeader(header); err != nil {
			return err
		}
		if _, err := archive.Write(content); err != nil {
			return err
		}
	}
	return errors.Join(archive.Close(), compressed.Close())
}
