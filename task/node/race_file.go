package node

import (
	"bytes"
	"crypto/sha256"
	"encoding/gob"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/mat"
)

// racedName is the file of a run folder that says what was compared.
const racedName = "race.json"

// write writes what a run on d needs to be resumed and opened.
func (r *Raced) write(dir string, d *dataset.Dataset) error {
	err := files.Replace(filepath.Join(dir, racedName), files.WriteOptions{}, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(r)
	})
	if err != nil || r.answers == nil {
		return err
	}
	return files.Replace(filepath.Join(dir, foldsName), files.WriteOptions{}, func(w io.Writer) error {
		return r.answers.write(w, d)
	})
}

// readRaced reads what write wrote; nil if there is nothing.
func readRaced(dir string, d *dataset.Dataset) (*Raced, error) {
	path, r := filepath.Join(dir, racedName), &Raced{}
	text, err := files.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, r); err != nil {
		return nil, files.Errorf(path, "%v", err)
	}
	r.answers, err = readFolds(dir, d)
	return r, err
}

// shelf keeps the trained trials of a race, so that a race that was stopped goes on where it was. The zero value keeps
// nothing.
type shelf struct {
	dir   string // empty for none
	data  []byte // the fingerprint of the data
	wrong error  // the first file that could not be written
}

// shelved is a trained trial in a file.
type shelved struct {
	Valid        []int32
	Epochs       []int
	Scores, Test []float64
	Answers      [][]mat.Real
	Seconds      float64
	Log          bool // what trials.log was
}

// newShelf returns the shelf in a folder, which may be missing.
func newShelf(dir string, d *dataset.Dataset) (s shelf, err error) {
	if dir == "" {
		return s, nil
	}
	s.dir = dir
	if s.data, err = json.Marshal(d.Fingerprint()); err != nil {
		return s, err
	}
	return s, os.MkdirAll(dir, 0o777)
}

// path returns the file of trial i of a config: another config, other data or another version has another file.
func (s *shelf) path(c config.Config, i int) string {
	sum := sha256.Sum256(fmt.Appendf(s.data, "\n%s\n%d", c.YAML(), i))
	return filepath.Join(s.dir, hex.EncodeToString(sum[:10])+".trial")
}

// loadTrial returns trial i of a config as put left it; nil if it is not there or damaged.
func (x *trials) loadTrial(c config.Config, i int) *curve {
	if x.dir == "" {
		return nil
	}
	text, err := os.ReadFile(x.path(c, i))
	if err != nil || len(text) < sha256.Size {
		return nil
	}
	var k shelved
	sum := sha256.Sum256(text[sha256.Size:])
	if !bytes.Equal(sum[:], text[:sha256.Size]) ||
		gob.NewDecoder(bytes.NewReader(text[sha256.Size:])).Decode(&k) != nil {
		return nil
	}
	x.log = x.log || k.Log
	return &curve{valid: k.Valid, epochs: k.Epochs, scores: k.Scores, answers: k.Answers, test: k.Test,
		seconds: k.Seconds}
}

// put writes trial i of a config.
func (x *trials) put(c config.Config, i int, y *curve) {
	if x.dir == "" {
		return
	}
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(shelved{Valid: y.valid, Epochs: y.epochs, Scores: y.scores, Test: y.test,
		Answers: y.answers, Seconds: y.seconds, Log: x.log})
	if err == nil {
		err = files.Replace(x.path(c, i), files.WriteOptions{}, func(w io.Writer) error {
			sum := sha256.Sum256(b.Bytes())
			_, err := w.Write(append(sum[:], b.Bytes()...))
			return err
		})
	}
	if x.wrong == nil {
		x.wrong = err
	}
}
