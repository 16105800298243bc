package train

import (
	"path/filepath"
	"strconv"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/internal/fileerr"
	"github.com/bloomgml/bloom/internal/safetensors"
)

// Trained is a run that is done: the Task with the weights of its best epoch.
type Trained struct {
	*Task
	Dir   string
	Epoch int // that the weights are of
}

// Load reads the weights of the run folder dir into the network that c describes on d, both being those that it was trained with. Its
// predictions are those of the run, bit for bit.
func Load(dir string, c config.Config, d *dataset.Dataset) (*Trained, error) {
	path := filepath.Join(dir, "model.safetensors")
	f, err := safetensors.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if f.Metadata["format"] != "bloom model" || f.Metadata["version"] != "1" {
		return nil, fileerr.In(path, "format %q, version %q: not a model of this bloom", f.Metadata["format"], f.Metadata["version"])
	}
	seed, err1 := strconv.ParseUint(f.Metadata["seed"], 10, 64)
	split, err2 := strconv.Atoi(f.Metadata["split"])
	epoch, err3 := strconv.Atoi(f.Metadata["epoch"])
	if err1 != nil || err2 != nil || err3 != nil || split < 0 {
		return nil, fileerr.In(path, "seed %q, split %q, epoch %q: not all of them are numbers", f.Metadata["seed"], f.Metadata["split"], f.Metadata["epoch"])
	}
	t, err := Build(c, d, Trial{seed, split})
	if err != nil {
		return nil, err
	}
	for _, p := range weights(t.Network) {
		if err := fill(p.Value(), path, f, p.Name); err != nil {
			return nil, err
		}
	}
	return &Trained{t, dir, epoch}, nil
}

// Open loads a run folder: its config, the data that this names, and the weights of the best epoch.
func Open(dir string) (*Trained, error) {
	c, err := config.Load(config.Options{File: filepath.Join(dir, "config.yaml")})
	if err != nil {
		return nil, err
	}
	d, err := catalogue.Open(c.Data.Name)
	if err != nil {
		return nil, err
	}
	return Load(dir, *c, d)
}
