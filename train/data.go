package train

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/dataset/importer"
	"github.com/bloomgml/bloom/internal/files"
)

// dataName is the file of a run folder that says what the run was trained on.
const dataName = "data.json"

// source records what a run was trained on, and where that was. Paths are empty if the config names no file.
type source struct {
	Path   string `json:"path,omitempty"`   // absolute
	Beside string `json:"beside,omitempty"` // from the run folder, with slashes
	dataset.Fingerprint
}

// source returns the source of o.Data, which must agree with data.json of the folder if there is one; nil without a
// data set.
func (o Options) source(c config.Config) (*source, error) {
	if o.Data == nil {
		return nil, nil
	}
	s := &source{Fingerprint: o.Data.Fingerprint()}
	s.place(o.Dir, c.Data.Name)
	old, err := readSource(o.Dir)
	if err != nil || old == nil {
		return s, err
	}
	if changes := old.Changes(s.Fingerprint); len(changes) > 0 {
		return nil, files.Errorf(o.Dir, "the run cannot be resumed, because its data has changed: %s", phrases(changes))
	}
	return s, nil
}

func (s *source) place(dir, ref string) {
	file := catalogue.File(ref)
	if file == "" {
		return
	}
	var err error
	if s.Path, err = filepath.Abs(file); err != nil {
		return
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return
	}
	if beside, err := filepath.Rel(dir, s.Path); err == nil {
		s.Beside = filepath.ToSlash(beside)
	}
}

func (s *source) write(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(s)
}

// readSource returns nil for a folder that does not record its data.
func readSource(dir string) (*source, error) {
	file := filepath.Join(dir, dataName)
	text, err := files.Read(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	s := new(source)
	if err := json.Unmarshal(text, s); err != nil {
		return nil, files.Because(file, err)
	}
	return s, nil
}

// find returns where the data of the run folder dir is now: at its path relative to the folder, at its absolute path,
// at the config's path, or in a file of the same name in the folder or next to it.
func (s *source) find(dir, ref string) string {
	if s == nil || s.Path == "" {
		return ref
	}
	base := filepath.Base(s.Path)
	for _, file := range []string{filepath.Join(dir, filepath.FromSlash(s.Beside)), s.Path, ref,
		filepath.Join(dir, base), filepath.Join(filepath.Dir(filepath.Clean(dir)), base)} {
		if _, err := os.Stat(file); err == nil {
			return file
		}
	}
	return s.Path
}

// Configured returns the config of a run folder, and the data that it was trained on, from any working directory. The
// error is a *files.Error if the data has changed, and says how. data names another file with the same columns to use
// instead; it may be empty.
func Configured(dir, data string) (*config.Config, *dataset.Dataset, error) {
	c, err := config.Load(config.Options{File: filepath.Join(dir, "config.yaml")})
	if err != nil {
		return nil, nil, err
	}
	d, err := OpenData(dir, c, data)
	return c, d, err
}

// OpenNamed opens the data that ref names for a config: as events, if it is about links in time.
func OpenNamed(c *config.Config, ref string) (*dataset.Dataset, error) {
	if c.Family() == config.EventFamily {
		return catalogue.OpenEvents(ref)
	}
	return catalogue.Open(ref)
}

// OpenData is Configured for a config that has already been read; the config then names the current place of the
// data.
func OpenData(dir string, c *config.Config, data string) (*dataset.Dataset, error) {
	s, err := readSource(dir)
	if err != nil {
		return nil, err
	}
	ref := data
	if ref == "" {
		ref = s.find(dir, c.Data.Name)
	}
	d, err := OpenNamed(c, ref)
	if errors.Is(err, fs.ErrNotExist) && data == "" {
		return nil, files.Errorf(ref, "the data of %s is no longer there: say where it is with --data", dir)
	}
	if err != nil {
		return nil, err
	}
	c.Data.Name = ref
	if err := s.fits(dir, ref, d, data != ""); err != nil {
		return nil, err
	}
	return s.encoded(d)
}

// encoded returns d with features encoded as in the data that the run was trained on.
func (s *source) encoded(d *dataset.Dataset) (*dataset.Dataset, error) {
	if s == nil || s.Schema == nil {
		return d, nil
	}
	was, err1 := json.Marshal(s.Schema)
	is, err2 := json.Marshal(d.Schema)
	if err := errors.Join(err1, err2); err != nil || bytes.Equal(was, is) {
		return d, err
	}
	other, err := importer.Encode(d, s.Schema)
	if err != nil {
		return nil, &BadData{Data: d.Name, Text: err.Error()}
	}
	return other, nil
}

// fits returns an error for data that is not what the run was trained on or, if the data was named, for data that the
// model cannot be used on.
func (s *source) fits(dir, ref string, d *dataset.Dataset, named bool) error {
	if s == nil {
		return nil
	}
	now := d.Fingerprint()
	changes := s.Changes(now)
	unfit := s.Unfit(now)
	switch {
	case len(changes) == 0, named && len(unfit) == 0:
		return nil
	case len(unfit) > 0:
		return files.Errorf(ref, "not what %s was trained on: %s; train again, or name the file that it was trained "+
			"on with --data", dir, phrases(changes))
	}
	return files.Errorf(ref, "not what %s was trained on: %s; train again, or use the model on the changed data with "+
		"--data %s", dir, phrases(changes), ref)
}

// phrases joins what has changed, the first few.
func phrases(list []string) string {
	const most = 8
	if n := len(list) - most; n > 0 {
		list = append(list[:most:most], fmt.Sprintf("%d more changes", n))
	}
	return strings.Join(list, ", ")
}
