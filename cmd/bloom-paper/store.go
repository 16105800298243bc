package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"go.yaml.in/yaml/v3"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/internal/files"
)

// store keeps outcomes in a folder, a file each, so that nothing is measured twice. A file is named after its run and a
// hash of everything it depends on: other settings are other files.
type store struct {
	dir   string // empty keeps nothing
	fresh bool   // ignore stored outcomes and measure again
}

// path returns the file of a job.
func (s store) path(j job) string {
	h := sha256.New()
	h.Write(plain(j.config))
	fmt.Fprintf(h, "%+v", j.cell.Trace)
	for _, n := range j.cell.Numbers {
		fmt.Fprintln(h, n.Name)
	}
	return filepath.Join(s.dir, j.cell.Row+"-"+j.cell.set(),
		fmt.Sprintf("run-%02d-%s.json", j.run, hex.EncodeToString(h.Sum(nil)[:6])))
}

// plain returns a config without its comments, which may say things better one day and measure the same.
func plain(c config.Config) []byte {
	var keys map[string]any
	if err := yaml.Unmarshal(c.YAML(), &keys); err != nil {
		panic("paper: " + err.Error()) // it was written here
	}
	text, err := json.Marshal(keys)
	if err != nil {
		panic("paper: " + err.Error())
	}
	return text
}

// get returns the outcome of a job that was done before.
func (s store) get(j job) (o Outcome, ok bool, err error) {
	if s.dir == "" || s.fresh {
		return o, false, nil
	}
	text, err := os.ReadFile(s.path(j))
	if errors.Is(err, os.ErrNotExist) {
		return o, false, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &o)
	}
	if err != nil {
		return o, false, fmt.Errorf("%s: %w", s.path(j), err)
	}
	return o, true, nil
}

// save keeps an outcome. The file appears complete or not at all.
func (s store) save(j job, o Outcome) error {
	if s.dir == "" {
		return nil
	}
	text, err := json.Marshal(o)
	if err != nil {
		return err
	}
	name := s.path(j)
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	return replace(name, append(text, '\n'))
}

// replace writes a file, all of it or nothing.
func replace(name string, text []byte) error {
	return files.Replace(name, files.WriteOptions{}, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}
