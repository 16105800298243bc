package pair

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/train"
	"github.com/bloomgml/bloom/upper"
)

// job is a model while it is trained: the train.Job of links.
type job struct {
	*model
	trial  train.Trial
	metric string
	data   *dataset.Dataset // with all edges

	pass      *train.Pass                      // nil before the first batch
	drawn     drawn                            // the pairs of a batch
	eval      *scorer                          // nil before the first evaluation
	certified func() (watched bool, err error) // whether fixed step sizes still are; nil before the first epoch
	measures  []train.Measure
}

var (
	_ train.Job       = (*job)(nil)
	_ train.Measuring = (*job)(nil)
)

// Run trains the model that c describes on d, as often as c says: each run holds out its own edges. For errors see
// train.Run.
func Run(ctx context.Context, c config.Config, d *dataset.Dataset, o train.Options) (*train.Result, error) {
	o.Data = d
	make := build
	if o.Resume {
		make = assemble
	}
	return train.Run(ctx, c, train.SeedTrials(c), func(t train.Trial) (train.Job, error) { return make(c, d, t) }, o)
}

// build makes the job of a trial, its parameters drawn and not trained.
func build(c config.Config, d *dataset.Dataset, t train.Trial) (*job, error) {
	j, err := assemble(c, d, t)
	if err != nil {
		return nil, err
	}
	return j, j.checkIdle()
}

// assemble is build without the check for idle keys: an existing run keeps its keys, even if its data has been
// renamed.
func assemble(c config.Config, d *dataset.Dataset, t train.Trial) (*job, error) {
	name := string(c.Train.Metric)
	if name == "auto" || name == "" {
		name = metrics()[0]
	}
	if !slices.Contains(metrics(), name) {
		return nil, &train.BadSetting{Key: "train.metric", Value: name,
			Want: "one of links: " + strings.Join(metrics(), ", ")}
	}
	if a := c.Values()("energy.descent.algorithm"); slices.Contains(adaptive, a) {
		return nil, &train.BadSetting{Key: "energy.descent.algorithm", Value: a,
			Want: "one that does not divide by the size of gradients, which is 0 for a node whose edges are all hidden"}
	}
	m, err := newModel(c, d, t.Seed)
	if err != nil {
		return nil, err
	}
	return &job{model: m, trial: t, metric: name, data: d}, nil
}

// adaptive are the algorithms whose derivatives do not exist at a node that nothing pulls at.
var adaptive = []string{"adagrad", "rmsprop", "adam"}

func (j *job) Params() []*ad.Param { return j.params() }
func (j *job) State() []*ad.Param  { return j.state() }
func (j *job) Batches() int        { return j.Config.Pairs.Batches }

// compile writes the program for the loss of a batch and its derivatives.
func (j *job) compile() (err error) {
	j.drawn = newDrawn(j.model)
	j.pass, err = train.NewPass(nil, mat.Mix(j.trial.Seed, hashDrop), j.Params(),
		func(c input.Context) (ad.Var, error) {
			h, err := j.embed(c)
			if err != nil {
				return ad.Var{}, err
			}
			return upper.Binary.Of(j.drawn.score(c, h), upper.Target{Value: j.drawn.target()}), nil
		})
	return err
}

// Batch predicts the pairs of part i by messages along the pairs of the other parts.
func (j *job) Batch(epoch, i int) error {
	if j.pass == nil {
		if err := j.compile(); err != nil {
			return err
		}
	}
	j.drawn.fill(j.trial.Seed, epoch, i)
	if err := j.drawn.update(); err != nil {
		return err
	}
	return j.pass.Run(epoch, uint64(epoch-1)*uint64(j.Batches())+uint64(i)+1)
}

// Certify checks whether the fixed step sizes of the descents are still certified.
func (j *job) Certify() (watched bool, err error) {
	if j.certified == nil {
		if j.certified, err = j.Stack.Certify(j.On); err != nil {
			return false, err
		}
	}
	return j.certified()
}

func (j *job) Loss() *mat.Dense    { return j.pass.Loss() }
func (j *job) Grads() []*mat.Dense { return j.pass.Grads() }
func (j *job) Metric() string      { return j.metric }

// evaluate lets H settle along all training pairs.
func (j *job) evaluate() (err error) {
	if j.eval == nil {
		if j.eval, err = newScorer(j.model); err != nil {
			return err
		}
	}
	if err := j.eval.settle(); err != nil {
		return &train.NotFinite{What: "a step of the descent, in evaluation,", Err: err}
	}
	return nil
}

// Measure computes the metric of the held-out pairs.
func (j *job) Measure(context.Context) (train.Scores, error) {
	none := math.NaN()
	s := train.Scores{Train: none, Start: none, End: none}
	if err := j.evaluate(); err != nil {
		return s, err
	}
	var err error
	if s.Valid, err = j.eval.measure(j.metric, j.split.valid, j.split.validFalse, j.trial.Seed); err != nil {
		return s, err
	}
	if s.Test = none; !ranks(j.metric) { // ranks are dear
		s.Test, err = j.eval.measure(j.metric, j.split.test, j.split.testFalse, j.trial.Seed)
	}
	return s, err
}

// Finish measures with the weights of the best epoch.
func (j *job) Finish(_ context.Context, best train.Record) (valid, test float64, err error) {
	if err := j.evaluate(); err != nil {
		return 0, 0, err
	}
	if j.measures, err = j.eval.measureAll(j.trial.Seed); err != nil {
		return 0, 0, err
	}
	for _, m := range j.measures {
		if m.Metric == j.metric {
			test = m.Test
		}
	}
	return best.Valid, test, nil
}

func (j *job) Measures() []train.Measure { return j.measures }

// Write writes the weights by name.
func (j *job) Write(w io.Writer, epoch int) error {
	return train.WriteWeights(w, map[string]string{
		"format": "bloom model", "version": "1", "task": "links", "recipe": j.Config.Recipe,
		"seed": fmt.Sprint(j.trial.Seed), "epoch": fmt.Sprint(epoch),
	}, append(slices.Clone(j.params()), j.state()...))
}
