package node

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/train"
)

// Trained is a run that is done: the Task with the weights of its best epoch.
type Trained struct {
	*Task
	Dir   string
	Epoch int // that the weights are of
	// Result has the scores, the calibration and the closed form's metric of the run; zero if it has no result.
	Result train.Result
}

// Load reads the weights of the run folder dir into the network that c, or o.Model, describes on d, all of which must
// be the same as in training. Its predictions equal the run's, bit for bit.
func Load(dir string, c config.Config, d *dataset.Dataset, o Options) (*Trained, error) {
	path := train.ModelFile(dir)
	f, err := train.ReadWeights(dir)
	if err != nil {
		return nil, err
	}
	if f.Metadata["format"] != "bloom model" || f.Metadata["version"] != "1" {
		return nil, files.Errorf(path, "format %q, version %q: not a model of this version of bloom",
			f.Metadata["format"], f.Metadata["version"])
	}
	if f.Metadata["model"] == "own" && o.Model == nil {
		return nil, files.Errorf(path, "the parameters of a model written in Go, which only its own program can "+
			"open, by node.Load; report.WriteOwn writes the page of the run")
	}
	seed, err1 := strconv.ParseUint(f.Metadata["seed"], 10, 64)
	split, err2 := strconv.Atoi(f.Metadata["split"])
	epoch, err3 := strconv.Atoi(f.Metadata["epoch"])
	if err1 != nil || err2 != nil || err3 != nil || split < 0 {
		return nil, files.Errorf(path, "seed %q, split %q, epoch %q: not all of them are numbers",
			f.Metadata["seed"], f.Metadata["split"], f.Metadata["epoch"])
	}
	on := o
	if o.parts() != nil {
		o.Disk = nil // nothing is trained
	}
	t, err := assemble(c, d, train.Trial{Seed: seed, Split: split}, o)
	if err != nil {
		return nil, err
	}
	result, err := readResult(dir)
	if err != nil {
		return nil, err
	}
	t.goal.recall(result.Calibration)
	if c.Data.Folds > 1 {
		if t.raced, err = readRaced(dir, d); err != nil {
			return nil, err
		}
		done := Options{Options: train.Options{Dir: dir, Resume: true}}
		if t.others, err = t.raced.members(context.Background(), d, done); err != nil {
			return nil, err
		}
	}
	if s, ok := t.network.(*settled); ok && o.Disk != nil && o.Disk.states != nil {
		t.all = &beyond{o.Disk.store, o.Disk.states.Split, s.streaming(o.Disk.states)}
	}
	if parts := on.parts(); parts != nil {
		t.all = &beyond{parts.Store, parts.Split, func(yield func(int, []mat.Real) error) error {
			return t.inParts(parts, yield)
		}}
	}
	if err := t.restore(f, d); err != nil {
		return nil, err
	}
	if t.forest != nil && !t.forest.whole() {
		return nil, files.Errorf(train.ModelFile(dir),
			"trees.nodes has an invalid tree: the file is damaged")
	}
	return &Trained{Task: t, Dir: dir, Epoch: epoch, Result: result}, nil
}

// restore takes weights from f, or the answers of a closed form if they are about d.
func (t *Task) restore(f *train.Weights, d *dataset.Dataset) error {
	kept := weights(t.network)
	if c, solved := t.network.(*closedForm); solved && f.Metadata["data"] == d.Fingerprint().Sum() {
		c.logits = c.kept()
		kept = []*ad.Param{c.logits}
	}
	return f.Set(kept)
}

// Open loads a run folder: its config, the data that this names, and the weights of the best epoch.
func Open(dir string) (*Trained, error) {
	c, d, err := train.Configured(dir, "")
	if err != nil {
		return nil, err
	}
	return Load(dir, *c, d, Options{})
}

// readResult returns what the result of a run folder says about answers; the zero value if there is none.
func readResult(dir string) (r train.Result, err error) {
	path := filepath.Join(dir, "result.json")
	text, err := files.Read(path)
	if errors.Is(err, os.ErrNotExist) {
		return r, nil
	}
	if err != nil {
		return r, err
	}
	var file struct {
		Test        train.Score        `json:"test"`
		Valid       train.Score        `json:"valid"`
		Closed      *train.Closed      `json:"closed"`
		Calibration *train.Calibration `json:"calibration"`
	}
	if err := json.Unmarshal(text, &file); err != nil {
		return r, files.Errorf(path, "%v", err)
	}
	r.Test, r.Valid, r.Closed, r.Calibration = file.Test, file.Valid, file.Closed, file.Calibration
	outside := func(p float64) bool { return !(p > 0 && p < 1) }
	if c := r.Calibration; c != nil && slices.ContainsFunc(c.Thresholds, outside) {
		return r, files.Errorf(path, "calibration: thresholds %v, want numbers above 0 and below 1", c.Thresholds)
	}
	if c := r.Calibration; c != nil && !(c.Temperature > 0 && c.Threshold >= 0 && c.Threshold < 1) {
		return r, files.Errorf(path,
			"calibration: temperature %g, want above 0; threshold %g, want from 0 to below 1",
			c.Temperature, c.Threshold)
	}
	return r, nil
}
