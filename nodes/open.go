package nodes

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/durable"
	"github.com/bloomgml/bloom/internal/fileerr"
	"github.com/bloomgml/bloom/internal/safetensors"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/run"
)

// Trained is a run that is done: the Task with the weights of its best epoch.
type Trained struct {
	*Task
	Dir   string
	Epoch int // that the weights are of
}

// Load reads the weights of the run folder dir into the network that c, or o.Model, describes on d, all of which must
// be what it was trained with. It predicts what the run did, bit for bit.
func Load(dir string, c config.Config, d *dataset.Dataset, o Options) (*Trained, error) {
	path := run.ModelFile(dir)
	f, err := safetensors.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if f.Metadata["format"] != "bloom model" || f.Metadata["version"] != "1" {
		return nil, fileerr.In(path, "format %q, version %q: not a model of this bloom", f.Metadata["format"],
			f.Metadata["version"])
	}
	if f.Metadata["model"] == "own" && o.Model == nil {
		return nil, fileerr.In(path, "the weights of a model written in Go, which only the program that has it can "+
			"open: nodes.Load does, and report.WriteOwn makes the page of the run")
	}
	seed, err1 := strconv.ParseUint(f.Metadata["seed"], 10, 64)
	split, err2 := strconv.Atoi(f.Metadata["split"])
	epoch, err3 := strconv.Atoi(f.Metadata["epoch"])
	if err1 != nil || err2 != nil || err3 != nil || split < 0 {
		return nil, fileerr.In(path, "seed %q, split %q, epoch %q: not all of them are numbers",
			f.Metadata["seed"], f.Metadata["split"], f.Metadata["epoch"])
	}
	on := o
	if o.parts() != nil {
		o.Disk = nil // nothing is trained
	}
	t, err := assemble(c, d, run.Trial{Seed: seed, Split: split}, o)
	if err != nil {
		return nil, err
	}
	found, err := readCalibration(dir)
	if err != nil {
		return nil, err
	}
	t.goal.recall(found)
	if g := on.graph(); g != nil {
		t.all = &beyond{g.Store, g.Split, t.walk}
	}
	if parts := on.parts(); parts != nil {
		t.all = &beyond{parts.Store, parts.Split, func(yield func(int, []mat.Real) error) error {
			return t.inParts(parts, yield)
		}}
	}
	return &Trained{t, dir, epoch}, run.ReadWeights(path, f, weights(t.network))
}

// Open loads a run folder: its config, the data that this names, and the weights of the best epoch.
func Open(dir string) (*Trained, error) {
	c, d, err := run.Configured(dir, "")
	if err != nil {
		return nil, err
	}
	return Load(dir, *c, d, Options{})
}

// readCalibration is what the result of a run folder says; nil where there is no result, or it says nothing.
func readCalibration(dir string) (*run.Calibration, error) {
	path := filepath.Join(dir, "result.json")
	text, err := durable.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var r struct {
		Calibration *run.Calibration `json:"calibration"`
	}
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, fileerr.In(path, "%v", err)
	}
	if c := r.Calibration; c != nil && !(c.Temperature > 0 && c.Threshold >= 0 && c.Threshold < 1) {
		return nil, fileerr.In(path, "calibration: temperature %g, want above 0; threshold %g, want from 0 to below 1",
			c.Temperature, c.Threshold)
	}
	return r.Calibration, nil
}
