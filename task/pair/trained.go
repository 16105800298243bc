package pair

import (
	"strconv"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/train"
)

// Trained is a run that is done, with the weights of its best epoch.
type Trained struct {
	Config config.Config
	Data   *dataset.Dataset // with all edges
	Dir    string

	job *job
}

// Of returns the model of a run that has just ended.
func Of(r *train.Result) *Trained { return r.Job.(*job).trained("") }

func (j *job) trained(dir string) *Trained {
	return &Trained{Config: j.Config, Data: j.data, Dir: dir, job: j}
}

// Open loads a run folder: its config, the data that this names, and the weights of the best epoch.
func Open(dir string) (*Trained, error) {
	c, d, err := train.Configured(dir, "")
	if err != nil {
		return nil, err
	}
	return Load(dir, *c, d)
}

// Load is Open for a config and data that are open already.
func Load(dir string, c config.Config, d *dataset.Dataset) (*Trained, error) {
	path := train.ModelFile(dir)
	f, err := train.ReadWeights(dir)
	if err != nil {
		return nil, err
	}
	seed, err := strconv.ParseUint(f.Metadata["seed"], 10, 64)
	if f.Metadata["format"] != "bloom model" || f.Metadata["task"] != "links" || err != nil {
		return nil, files.Errorf(path, "format %q, task %q, seed %q: not a link model of this version of bloom",
			f.Metadata["format"], f.Metadata["task"], f.Metadata["seed"])
	}
	j, err := assemble(c, d, train.Trial{Seed: seed})
	if err != nil {
		return nil, err
	}
	if err := f.Set(append(j.Params(), j.State()...)); err != nil {
		return nil, err
	}
	return j.trained(dir), j.evaluate()
}

// Embed returns H⁽ᴸ⁾ along all training pairs, a row per node.
func (t *Trained) Embed() *mat.Dense { return t.job.eval.descent.Value(t.job.eval.h) }
