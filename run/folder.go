package run

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/internal/tfevents"
)

// folder is a run folder while it is written. A nil one writes nothing.
type folder struct {
	dir     string
	disk    disk
	saved   int // the epoch of the last complete checkpoint; −1 for none
	metrics file
	line    []byte
	eventsF file
	events  *tfevents.Writer
	scalars []tfevents.Scalar
}

// Save writes a run folder of a config and some files, for a model that comes of another run. dir must not hold a run already.
func Save(dir string, c config.Config, files map[string]func(io.Writer) error) error {
	if err := (Options{Dir: dir, disk: &realDisk}).prepare(c); err != nil {
		return err
	}
	f, err := openFolder(dir, realDisk)
	if err != nil {
		return err
	}
	for name, write := range files {
		if err := f.Replace(name, write); err != nil {
			return err
		}
	}
	return nil
}

// openFolder makes the folder dir, or takes one that is there already.
func openFolder(dir string, d disk) (*folder, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	return &folder{dir: dir, disk: d, saved: -1}, nil
}

// path is that of a file of the folder.
func (f *folder) path(name string) string { return filepath.Join(f.dir, name) }

// failed is err as a *NotWritten.
func (f *folder) failed(name string, err error) error {
	if err == nil {
		return nil
	}
	return &NotWritten{f.path(name), f.dir, f.saved, err}
}

// Replace writes a whole file: at every moment there is the old one or the new one, complete. The error is a *NotWritten.
func (f *folder) Replace(name string, write func(io.Writer) error) error {
	if f == nil {
		return nil
	}
	return f.failed(name, f.disk.replace(f.path(name), write))
}

// Begin opens the logs. metrics.jsonl is written anew with what is known already, as a run that was killed may have written
// lines beyond its checkpoint.
func (f *folder) Begin(metric string, history []Record) error {
	if f == nil {
		return nil
	}
	err := f.Replace("metrics.jsonl", func(w io.Writer) error {
		for _, r := range history {
			if _, err := w.Write(r.appendJSON(nil, metric)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if f.metrics, err = f.disk.open(f.path("metrics.jsonl")); err != nil {
		return f.failed("metrics.jsonl", err)
	}
	name, err := f.eventsName()
	if err != nil {
		return err
	}
	if f.eventsF, err = f.disk.open(f.path(name)); err != nil {
		return f.failed(name, err)
	}
	f.events, err = tfevents.NewWriter(f.eventsF, now())
	return f.failed(name, err)
}

// eventsName is a name that no events file has yet: TensorBoard joins those of a folder.
func (f *folder) eventsName() (string, error) {
	for n := range 10000 {
		name := fmt.Sprintf("events.out.tfevents.%010d.bloom.%d.%d", time.Now().Unix(), os.Getpid(), n)
		if _, err := os.Stat(f.path(name)); errors.Is(err, os.ErrNotExist) {
			return name, nil
		}
	}
	return "", f.failed("events.out.tfevents", os.ErrExist)
}

func now() float64 { return float64(time.Now().UnixMicro()) / 1e6 }

// Log appends an epoch to the logs, without allocating.
func (f *folder) Log(r Record, metric string) error {
	if f == nil {
		return nil
	}
	f.line = r.appendJSON(f.line[:0], metric)
	if _, err := f.metrics.Write(f.line); err != nil {
		return f.failed("metrics.jsonl", err)
	}
	f.scalars = f.scalars[:0]
	for _, s := range [...]tfevents.Scalar{{Tag: "loss/train", Value: r.Loss}, {Tag: "rate", Value: r.Rate}, {Tag: "metric/train", Value: r.Train},
		{Tag: "metric/valid", Value: r.Valid}, {Tag: "metric/test", Value: r.Test}, {Tag: "energy/start", Value: r.Start}, {Tag: "energy/end", Value: r.End}} {
		if s.Value == s.Value { // not NaN
			f.scalars = append(f.scalars, s)
		}
	}
	return f.failed("events.out.tfevents", f.events.Scalars(now(), int64(r.Epoch), f.scalars))
}

// Checkpoint keeps the state of a training, in the place of the one before. A *NotWritten that comes later names its epoch.
func (f *folder) Checkpoint(c checkpoint) error {
	if f == nil {
		return nil
	}
	if err := os.MkdirAll(f.path("checkpoint"), 0o755); err != nil {
		return f.failed("checkpoint", err)
	}
	err := f.Replace(checkpointName, c.Write)
	if err == nil {
		f.saved = c.epoch()
	}
	return err
}

// Resume reads the checkpoint of the folder into c, and reports whether there is one.
func (f *folder) Resume(c checkpoint) (bool, error) {
	if f == nil {
		return false, nil
	}
	switch _, err := os.Stat(f.path(checkpointName)); {
	case errors.Is(err, os.ErrNotExist):
		return false, nil
	case err != nil:
		return false, err
	}
	if err := c.Read(f.path(checkpointName)); err != nil {
		return true, err
	}
	f.saved = c.epoch()
	return true, nil
}

// Close closes the logs.
func (f *folder) Close() error {
	if f == nil {
		return nil
	}
	var errs []error
	for _, x := range []file{f.metrics, f.eventsF} {
		if x != nil {
			errs = append(errs, x.Close())
		}
	}
	f.metrics, f.eventsF = nil, nil
	return errors.Join(errs...)
}
