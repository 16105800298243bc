package train

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/dataset/native"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/mat"
)

// Options says what happens around a training run. The zero value trains and keeps nothing.
type Options struct {
	Progress func(Event)  // called after every epoch; may be nil
	Notice   func(string) // called with messages for the user, a sentence each; may be nil
	Dir      string       // the run folder; empty for none
	Resume   bool         // go on where the run in Dir stopped
	// Data is what is trained on, with a fingerprint in data.json in Dir; nil if it is not a data set.
	Data *dataset.Dataset
	// Tried has the seconds of an epoch on devices that were compared before, for the result; may be nil.
	Tried map[string]float64

	whole   bool                      // the folder gets the data itself, see Save
	through func(io.Writer) io.Writer // every file is written through it: tests put in one that fills up; nil for none
	now     func() time.Time          // when checkpoints are due; nil for the clock
}

// Event is how far training has come.
type Event struct {
	Run, Runs int // index of this run, from 0, and number of runs
	Epochs    int // the last epoch, unless it stops early
	Done      int // epochs of all runs so far; a run that stopped early counts in full
	Record
	Best    Record // the best so far
	Elapsed time.Duration
}

// Run trains a job for every trial, as c says; build makes it, with its parameters drawn but not trained. The error
// is a *BadSetting, a *BadData, a *NotFinite, an error for a file that could not be written, one that names the
// process that is already writing to the folder, or an *Interrupted if ctx ended; the folder, if there is one, then
// holds a checkpoint to resume from. A run that fails before its first epoch leaves nothing.
func Run(ctx context.Context, c config.Config, trials []Trial, build func(Trial) (Job, error), o Options) (_ *Result,
	err error) {
	if err := mat.Round(mat.Precision(c.Train.Precision)); err != nil {
		return nil, &BadSetting{Key: "train.precision", Value: c.Train.Precision, Want: "float32: " + err.Error()}
	}
	defer mat.Round(mat.Float32)
	release, err := o.prepare(c)
	if err != nil {
		return nil, err
	}
	defer release(&err)
	if o.now == nil {
		o.now = time.Now
	}
	t := &repeat{Options: o, config: c, list: trials, build: build}
	if err := t.run(ctx); err != nil {
		return nil, err
	}
	r := summary(c, t.all, t.best)
	r.Run, r.Tried, r.Seconds = o.Dir, o.Tried, t.seconds
	return r, o.finish(r, t.chosen)
}

// Save writes a run folder of a config, its data and some files, for a model that comes from another run. dir must
// not already hold a run. If c names no data, the folder gets d itself, as data.bloom.
func Save(dir string, c config.Config, d *dataset.Dataset, files map[string]func(io.Writer) error) (err error) {
	o := Options{Dir: dir, Data: d}
	if c.Data.Name == "" {
		o.whole, c.Data.Name = true, filepath.Join(dir, wholeName)
	}
	release, err := o.prepare(c)
	if err != nil {
		return err
	}
	defer release(&err)
	f, err := o.openFolder(o.Dir)
	if err != nil {
		return err
	}
	for name, write := range files {
		if err := f.Replace(name, write); err != nil {
			return err
		}
	}
	return f.Seal()
}

// wholeName is the file of a run folder that holds its data, if it does.
const wholeName = "data.bloom"

// prepare creates and locks the run folder, and writes the config. If release is told of an error, and no epoch has
// been trained, it removes what was written.
func (o Options) prepare(c config.Config) (release func(*error), err error) {
	if o.Dir == "" {
		return func(*error) {}, nil
	}
	undo := files.Undo(o.Dir)
	unlock, err := files.Lock(o.Dir, o.Notice)
	if err != nil {
		return nil, err
	}
	if err := o.unused(); err != nil {
		unlock()
		return nil, err
	}
	release = func(err *error) {
		unlock()
		if *err != nil && !o.learnt() {
			if left := undo(); left != nil {
				*err = errors.Join(*err, left)
			}
		}
	}
	if err := o.enter(c); err != nil {
		release(&err)
		return nil, err
	}
	return release, nil
}

// unused returns the error for a folder that holds a run which is not to be resumed.
func (o Options) unused() error {
	for _, name := range []string{"config.yaml", "metrics.jsonl", "checkpoint", "run-00"} {
		if files.Exists(filepath.Join(o.Dir, name)) && !o.Resume {
			return fmt.Errorf("%s holds a run already: continue it with --resume, or choose another folder", o.Dir)
		}
	}
	return nil
}

// learnt reports whether the folder has the first epoch of a run.
func (o Options) learnt() bool {
	dirs, runs := []string{o.Dir}, 2 // subfolder is not about 1
	for run := 0; files.Exists(o.subfolder(run, runs)); run++ {
		dirs = append(dirs, o.subfolder(run, runs))
	}
	for _, dir := range dirs {
		log, err := os.Stat(filepath.Join(dir, "metrics.jsonl"))
		if err == nil && log.Size() > 0 || files.Exists(filepath.Join(dir, lastCheckpoint)) {
			return true
		}
	}
	return false
}

// enter removes what killed runs left in the folder, and writes the config and the description of the data, with
// checksums.
func (o Options) enter(c config.Config) error {
	if err := files.Sweep(o.Dir); err != nil {
		return err
	}
	if err := o.sameConfig(c); err != nil {
		return err
	}
	if o.whole {
		if err := native.Write(filepath.Join(o.Dir, wholeName), o.Data); err != nil {
			return err
		}
	}
	source, err := o.source(c)
	if err != nil {
		return err
	}
	f, err := o.openFolder(o.Dir)
	if err != nil {
		return err
	}
	if err := files.Unseal(o.Dir); err != nil { // all files will be others
		return err
	}
	err = f.Replace("config.yaml", func(w io.Writer) error { _, err := w.Write(c.YAML()); return err })
	if err != nil || source == nil {
		return errors.Join(err, f.Seal("config.yaml"))
	}
	if err := f.Replace(dataName, source.write); err != nil {
		return err
	}
	return f.Seal("config.yaml", dataName)
}

// sameConfig returns the error for a folder whose run had another config, or whose config.yaml has changed. One that
// only its own program can read is left to the checkpoint to compare.
func (o Options) sameConfig(c config.Config) error {
	path := filepath.Join(o.Dir, "config.yaml")
	text, err := files.Read(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	old, err := config.Load(config.Options{File: path, Text: text})
	if err != nil {
		return nil
	}
	if was, is := settingsOf(*old), settingsOf(c); was != is {
		was, is = files.Difference(was, is)
		return files.Errorf(path, "the run has %q and cannot be resumed with %q", was, is)
	}
	return nil
}

// subfolder returns the folder of one run of several.
func (o Options) subfolder(run, runs int) string {
	if runs == 1 {
		return o.Dir
	}
	return filepath.Join(o.Dir, fmt.Sprintf("run-%02d", run))
}

// finish writes what is about all runs, copies the files of the best run to the top, and seals the folder.
func (o Options) finish(r *Result, best int) error {
	if o.Dir == "" {
		return nil
	}
	f, err := o.openFolder(o.Dir)
	if err != nil {
		return err
	}
	f.saved = r.Epochs
	if runs := len(r.Best); runs > 1 {
		for _, name := range []string{modelName, "predictions.csv"} {
			b, err := files.Read(filepath.Join(o.subfolder(best, runs), name))
			if err != nil {
				return err
			}
			if err := f.Replace(name, func(w io.Writer) error { _, err := w.Write(b); return err }); err != nil {
				return err
			}
		}
	}
	if err := f.Replace("README.md", r.card); err != nil {
		return err
	}
	err = f.Replace("result.json", func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(r)
	})
	if err != nil {
		return err
	}
	return f.Seal()
}
