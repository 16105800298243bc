package main

import (
	"bytes"
	"fmt"
	"os"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/bloomgml/bloom/internal/files"
)

// Stamp says when and with what a result was got.
type Stamp struct {
	Commit string
	Date   time.Time
}

// Record writes our results into the files of the cells, and returns which files it wrote. Everything but our result
// stays as it is, comments included; ours is the last key of a file. Cells that did not run are left alone. A result
// that Parse would refuse, of another number of runs or below a target without a word about what was tried, is an
// error.
func (r *Report) Record(s Stamp) ([]string, error) {
	var files []string
	for _, x := range r.Results {
		if x.Ours == nil {
			continue
		}
		if err := record(x.Cell.file, x, s); err != nil {
			return files, err
		}
		files = append(files, x.Cell.file)
	}
	return files, nil
}

// record replaces what a file says under ours.
func record(name string, x Result, s Stamp) error {
	old, err := os.ReadFile(name)
	if err != nil {
		return files.Because(name, err)
	}
	ours := *x.Ours
	ours.Commit, ours.Date = s.Commit, s.Date.Format(time.DateOnly)
	text, err := withOurs(old, ours)
	if err != nil {
		return files.Because(name, err)
	}
	if _, err := Parse(name, text); err != nil {
		return fmt.Errorf("the result cannot be recorded: %w", err)
	}
	return replace(name, text)
}

// withOurs is a file with another result at its end.
func withOurs(old []byte, ours Ours) ([]byte, error) {
	const head = "\nours:\n"
	if i := bytes.Index(old, []byte(head)); i >= 0 {
		old = old[:i+1]
	}
	var b bytes.Buffer
	b.Write(bytes.TrimRight(old, "\n"))
	b.WriteString("\n")
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(map[string]Ours{"ours": ours}); err != nil {
		return nil, err
	}
	return b.Bytes(), e.Close()
}
