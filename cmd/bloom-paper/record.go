package main

import (
	"bytes"
	"errors"
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
	var written []string
	for _, x := range r.Results {
		if x.Ours == nil {
			continue
		}
		name := x.Cell.file
		old, err := os.ReadFile(name)
		if err != nil {
			return written, files.Because(name, err)
		}
		ours := *x.Ours
		ours.Commit, ours.Date = s.Commit, s.Date.Format(time.DateOnly)
		before, _, _ := bytes.Cut(old, []byte("\nours:\n"))
		text := bytes.NewBuffer(append(bytes.TrimRight(before, "\n"), '\n'))
		e := yaml.NewEncoder(text)
		e.SetIndent(2)
		if err := errors.Join(e.Encode(map[string]Ours{"ours": ours}), e.Close()); err != nil {
			return written, files.Because(name, err)
		}
		if _, err := Parse(name, text.Bytes()); err != nil {
			return written, fmt.Errorf("the result cannot be recorded: %w", err)
		}
		if err := replace(name, text.Bytes()); err != nil {
			return written, err
		}
		written = append(written, name)
	}
	return written, nil
}
