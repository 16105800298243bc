package nodes

import (
	"context"
	"fmt"
	"io"
	"math"

	"github.com/bloomgml/bloom"
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/run"
	"github.com/bloomgml/bloom/upper"
)

// Task is a network with the data that it is trained on and tested with: the run.Job of classes of nodes. Training is
// full batch: an epoch is one pass. Two programs are compiled when first needed and replayed, without an allocation:
// loss with gradients, and logits in evaluation mode.
type Task struct {
	Config config.Config
	Trial  run.Trial
	Data   *dataset.Dataset // features scaled and, where that was asked for, corrupted
	Split  dataset.Split

	// Stack is the network as bilevel models, mostly one, for energies and explanations; nil for a baseline. On is what
	// it runs on.
	Stack *bloom.Stack
	On    bloom.Data

	Warnings []string // what is odd about the data, one sentence each

	network   network
	goal      goal
	metric    string           // what chooses the epoch
	raw       *dataset.Dataset // the data before scaling
	criterion upper.Criterion
	target    upper.Target // what the loss compares with, but for the nodes of it
	made      bool         // the model is one of Options.Model
	pick      *mat.Index   // the nodes of the loss
	sample    *sampler     // of trained label propagation; nil for others
	energies  bool
	pass      *run.Pass // nil before the first epoch
	look
}

var _ run.Job = (*Task)(nil)

// Up is ℓ_up of the task with head g: the criterion of the config over the training nodes.
func (t *Task) Up(g upper.Head) upper.Supervised {
	target := t.target
	target.Pick = t.pick
	return upper.Supervised{Head: g, Criterion: t.criterion, Target: target}
}

// Params are those of the network.
func (t *Task) Params() []*ad.Param { return t.network.Params() }

// State is what the network keeps beside them.
func (t *Task) State() []*ad.Param { return t.network.State() }

// Batches is 1.
func (t *Task) Batches() int { return 1 }

// Batch is the pass of an epoch.
func (t *Task) Batch(epoch, _ int) (err error) {
	if t.pass == nil {
		seed := mat.Mix(t.Trial.Seed, hash("dropout"))
		if t.pass, err = run.NewPass(seed, t.Params(), t.network.Loss); err != nil {
			return err
		}
	}
	if t.sample != nil {
		if err := t.sample.draw(epoch); err != nil {
			return err
		}
	}
	return t.pass.Run(epoch, uint64(epoch))
}

// Loss is ℓ_up of the last pass.
func (t *Task) Loss() *mat.Dense { return t.pass.Loss() }

// Grads are its derivatives.
func (t *Task) Grads() []*mat.Dense { return t.pass.Grads() }

// look is the program of an evaluation: logits, and energies.
type look struct {
	looks      *ad.Program // nil before the first
	logits     ad.Var
	start, end ad.Var     // 1×1; absent where energies were not asked for
	z          []mat.Real // the logits of the last evaluation
	mark       *mat.Dense // 1×1: which of them is the first that is not finite
}

func (t *Task) compileLook() (err error) {
	if t.logits, err = t.network.Predict(input.Evaluation()); err != nil {
		return err
	}
	outputs := []ad.Var{t.logits}
	if b, ok := t.network.(bilevel); ok && t.energies {
		if t.start, t.end, err = b.energies(); err != nil {
			return err
		}
		outputs = append(outputs, t.start, t.end)
	}
	t.looks = ad.Compile(outputs...)
	t.z = make([]mat.Real, t.logits.Shape().Len())
	return nil
}

// Metric is what chooses the epoch.
func (t *Task) Metric() string { return t.metric }

// Measure takes the metric of the three parts of the split. The error is a *run.NotFinite.
func (t *Task) Measure(context.Context) (run.Scores, error) {
	if err := t.evaluate(); err != nil {
		return run.Scores{}, err
	}
	s := run.Scores{Train: t.over(t.Split.Train), Valid: t.over(t.Split.Valid), Test: t.over(t.Split.Test),
		Start: math.NaN(), End: math.NaN()}
	if !t.start.IsZero() {
		s.Start, s.End = float64(t.looks.Value(t.start).Item()), float64(t.looks.Value(t.end).Item())
	}
	return s, nil
}

// over is the metric of some nodes.
func (t *Task) over(nodes []int32) float64 { return t.goal.measure(t.metric, t.z, nodes) }

// evaluate takes the logits of the present weights, with all labels where the lower level is given some.
func (t *Task) evaluate() error {
	if t.looks == nil {
		if err := t.compileLook(); err != nil {
			return err
		}
	}
	if t.sample != nil {
		t.sample.all()
	}
	if err := t.looks.Run(); err != nil {
		return &run.NotFinite{Epoch: int(t.epoch()), What: "a step of the descent, in evaluation,", Err: err}
	}
	if err := t.finiteLook(); err != nil {
		return err
	}
	t.looks.Value(t.logits).Read(t.z)
	return nil
}

// finiteLook is the error for an evaluation whose numbers are none: of all a mark is taken, and read once.
func (t *Task) finiteLook() error {
	if t.mark == nil {
		t.mark = mat.New(1, 1)
	}
	mat.Fill(t.mark, 0)
	whats := []string{"a logit, in evaluation,", "ℓ_low before the descent", "ℓ_low after the descent"}
	for i, v := range []ad.Var{t.logits, t.start, t.end} {
		if !v.IsZero() {
			mat.MarkNonFinite(t.mark, t.looks.Value(v), mat.Real(i+1))
		}
	}
	if i := int(t.mark.Item()) - 1; i >= 0 {
		return &run.NotFinite{Epoch: int(t.epoch()), What: whats[i]}
	}
	return nil
}

// epoch is that of the last pass.
func (t *Task) epoch() uint64 {
	if t.pass == nil {
		return 0
	}
	return t.pass.Clock.Epoch
}

// Finish calibrates on the validation nodes. The test metric is that of what the task then predicts.
func (t *Task) Finish(_ context.Context, best run.Record) (valid, test float64, err error) {
	if err := t.evaluate(); err != nil {
		return 0, 0, err
	}
	t.goal.calibrate(t.z, t.Split, t.metric)
	return best.Valid, t.over(t.Split.Test), nil
}

// Write writes the weights by name.
func (t *Task) Write(w io.Writer, epoch int) error {
	about := map[string]string{
		"format": "bloom model", "version": "1", "recipe": t.Config.Recipe, "seed": fmt.Sprint(t.Trial.Seed),
		"split": fmt.Sprint(t.Trial.Split), "epoch": fmt.Sprint(epoch),
	}
	if t.made {
		about["model"] = "own"
	}
	return run.WriteWeights(w, about, weights(t.network))
}

// WritePredictions writes a row for every node.
func (t *Task) WritePredictions(w io.Writer) error {
	p, err := t.Predict()
	if err != nil {
		return err
	}
	return p.WriteCSV(w)
}
