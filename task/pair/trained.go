package pair

import (
	"cmp"
	"slices"
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

// Scored is a pair of nodes with the probability that they are joined. The JSON keys are stable.
type Scored struct {
	Source      string  `json:"source"`
	Target      string  `json:"target"`
	Probability float64 `json:"probability"`
	Common      int     `json:"common"` // neighbours that both have
	Rank        int     `json:"rank"`   // from 1
}

// Recommend returns the nodes that a node is most probably joined with, at most top of them, best first: never
// itself, nor one that it is joined with already, in either direction.
func (t *Trained) Recommend(id string, top int) ([]Scored, error) {
	u, err := t.Data.Node(id)
	if err != nil {
		return nil, err
	}
	s := t.job.split
	list := slices.DeleteFunc(s.pairsWith(u), func(p pair) bool { return p.u == p.v || s.known[newPair(p.u, p.v)] })
	found, err := t.scored(list)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(found, func(a, b Scored) int { return cmp.Compare(b.Probability, a.Probability) })
	if len(found) > top {
		found = found[:top]
	}
	return numbered(found), nil
}

// Score returns how probably the nodes of two ids are joined.
func (t *Trained) Score(a, b string) (Scored, error) {
	u, err := t.Data.Node(a)
	if err != nil {
		return Scored{}, err
	}
	v, err := t.Data.Node(b)
	if err != nil {
		return Scored{}, err
	}
	found, err := t.scored([]pair{{u, v}})
	if err != nil {
		return Scored{}, err
	}
	return numbered(found)[0], nil
}

// scored puts names and probabilities to pairs.
func (t *Trained) scored(list []pair) ([]Scored, error) {
	z, err := t.job.eval.scores(list)
	if err != nil {
		return nil, err
	}
	found := make([]Scored, len(list))
	for i, p := range list {
		found[i] = Scored{Source: t.Data.NodeName(p.u), Target: t.Data.NodeName(p.v), Probability: probability(z[i])}
		t.job.near.common(p.u, p.v, func(int32) { found[i].Common++ })
	}
	return found, nil
}

// numbered gives ranks.
func numbered(found []Scored) []Scored {
	for i := range found {
		found[i].Rank = i + 1
	}
	return found
}

// folds is how many parts training edges are judged in, each by messages along the others.
const folds = 10

// Audit returns the edges of the graph, the least likely first, each judged as if it were not there: the training
// ones in folds, and the held-out ones.
func (t *Trained) Audit() ([]Scored, error) {
	s := t.job.split
	found, err := t.scored(slices.Concat(s.valid, s.test))
	if err != nil {
		return nil, err
	}
	order := make([]int32, len(s.train))
	for i := range order {
		order[i] = int32(i)
	}
	shuffle(order, mat.Mix(t.job.trial.Seed, hashFold))
	for k := range folds {
		part := order[k*len(order)/folds : (k+1)*len(order)/folds]
		if err := t.job.eval.settle(part...); err != nil {
			return nil, err
		}
		list := make([]pair, len(part))
		for i, id := range part {
			list[i] = s.train[id]
		}
		more, err := t.scored(list)
		if err != nil {
			return nil, err
		}
		found = append(found, more...)
	}
	slices.SortStableFunc(found, func(a, b Scored) int { return cmp.Compare(a.Probability, b.Probability) })
	return numbered(found), t.job.eval.settle()
}
