// Package job is a descent on a graph in parts, apart from the engine that carries messages between them: what is to
// be done, the step of a part, and the files from which a stopped job resumes.
//
// A folder holds job.json, what is done; pi-PART, the rows π; state-PART-ROUND, the rows of H after a round; and
// done.json, which round is complete for all parts. Files get their names when they are complete, and done.json is
// written after everything that it refers to, so a job that was killed can be resumed.
package job

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/bloomgml/bloom/beam/internal/parts"
	"github.com/bloomgml/bloom/internal/files"
)

// Spec describes a job. Every worker reads it from the folder.
type Spec struct {
	Parts  string `json:"parts"`  // the folder of parts
	Cut    uint32 `json:"cut"`    // of which data they are, and how many
	Config string `json:"config"` // the merged config, as YAML
	// Run is the run folder whose weights give π and g; empty if the rows are features themselves, with a last column
	// of ones if the descent is linear.
	Run   string `json:"run,omitempty"`
	Ones  bool   `json:"ones,omitempty"`
	Steps int    `json:"steps"`
	Width int    `json:"width"` // columns of the states
}

const (
	specName = "job.json"
	doneName = "done.json"
)

// Done is the progress of a job.
type Done struct {
	Pi    bool `json:"pi"`    // all rows before the first round are there
	Round int  `json:"round"` // all rows after it are
}

// CreateFolder creates the folder of a job, or finds it with the same job, which then resumes.
func CreateFolder(dir string, s Spec) error {
	path := filepath.Join(dir, specName)
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	text = append(text, '\n')
	switch old, err := os.ReadFile(path); {
	case err == nil && bytes.Equal(old, text):
		return nil
	case err == nil:
		return files.Errorf(path, "the folder has another job, with other parts, weights or settings: choose another")
	case !errors.Is(err, os.ErrNotExist):
		return files.Because(path, err)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	return write(path, text)
}

// write replaces a small file.
func write(path string, text []byte) error {
	return files.Replace(path, files.WriteOptions{}, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

// Folder is a job that was started.
type Folder struct {
	Spec
	Dir   string
	Graph *parts.Folder
}

// Open opens a job and its parts, which must be the parts that it began with.
func Open(dir string) (*Folder, error) {
	f := &Folder{Dir: dir}
	path := filepath.Join(dir, specName)
	if err := read(path, &f.Spec); err != nil {
		return nil, err
	}
	var err error
	if f.Graph, err = parts.Open(f.Parts); err != nil {
		return nil, err
	}
	if f.Graph.Sum() != f.Cut {
		return nil, files.Errorf(f.Parts, "the parts are not those that %s started with", dir)
	}
	return f, nil
}

// read decodes a small file.
func read(path string, x any) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return files.Because(path, err)
	}
	if err := json.Unmarshal(b, x); err != nil {
		return files.Because(path, err)
	}
	return nil
}

// Done returns the progress of the job.
func (f *Folder) Done() (d Done, err error) {
	path := filepath.Join(f.Dir, doneName)
	if err = read(path, &d); errors.Is(err, os.ErrNotExist) {
		return d, nil
	}
	if err == nil && (d.Round < 0 || d.Round > f.Steps) {
		err = files.Errorf(path, "round %d of %d", d.Round, f.Steps)
	}
	return d, err
}

// Advance notes that a job has come to d, whose files must all be there, and removes those before.
func (f *Folder) Advance(d Done) error {
	for i := range f.Graph.Len() {
		for _, path := range []string{f.statePath(i, d.Round), f.piPath(i)} {
			if _, err := os.Stat(path); err != nil {
				return files.Because(path, err)
			}
		}
	}
	text, err := json.Marshal(d)
	if err != nil {
		return err
	}
	if err := write(filepath.Join(f.Dir, doneName), append(text, '\n')); err != nil {
		return err
	}
	names, err := filepath.Glob(filepath.Join(f.Dir, "state-*"))
	for _, name := range names {
		if filepath.Ext(name) == "" && !strings.HasSuffix(name, fmt.Sprintf("-%05d", d.Round)) {
			err = errors.Join(err, os.Remove(name))
		}
	}
	return err
}

func (f *Folder) piPath(part int) string { return filepath.Join(f.Dir, fmt.Sprintf("pi-%05d", part)) }

func (f *Folder) statePath(part, round int) string {
	return filepath.Join(f.Dir, fmt.Sprintf("state-%05d-%05d", part, round))
}
