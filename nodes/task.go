package nodes

import (
	"github.com/bloomgml/bloom"
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/internal/blocks"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/run"
	"github.com/bloomgml/bloom/upper"
)

// Task is a network with the data that it is trained on and tested with; Job is how it is trained. Two programs are
// compiled when first needed and replayed, without an allocation: loss with gradients, and logits in evaluation mode.
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
	// Descents are what Stack.Evidence told the card of a run that has just ended, level by level; nil otherwise.
	Descents []bloom.Evidence

	network   network
	goal      goal
	metric    string           // what chooses the epoch
	raw       *dataset.Dataset // the data before scaling
	criterion upper.Criterion
	target    upper.Target                      // what the loss compares with, but for the nodes of it
	made      func(*Task) (*bloom.Stack, error) // Options.Model; nil for the model of the config
	certified func() error                      // whether fixed step sizes still are; nil before the first epoch
	pick      *mat.Index                        // the nodes of the loss
	sample    *sampler                          // of trained label propagation; nil for others
	energies  bool
	columns   []Column  // nil before somebody asked
	apart     apart     // the network where rows come some at a time; nil for others
	walk      streamed  // predicts all nodes of a graph that stays on the disk; nil where there is none
	all       *beyond   // predictions are of these
	sampled   *sampled  // the parts of the graph that are trained on; nil for all of it
	pass      *run.Pass // nil before the first epoch
	judged    judged    // what the last evaluation measures
	look
}

// network is what a task trains: parameters, logits for the nodes of one graph, and ℓ_up.
type network interface {
	Params() []*ad.Param                   // trained
	State() []*ad.Param                    // kept beside, like running statistics
	Predict(input.Context) (ad.Var, error) // n×classes
	Loss(input.Context) (ad.Var, error)    // 1×1
}

// bilevel is the network of a bloom.Stack.
type bilevel struct {
	*bloom.Stack
	on bloom.Data
}

var _ network = bilevel{}

// Predict is g(H; Θ).
func (b bilevel) Predict(c input.Context) (ad.Var, error) { return b.Stack.Predict(c, b.on) }

// Loss is ℓ_up.
func (b bilevel) Loss(c input.Context) (ad.Var, error) { return b.Stack.Loss(c, b.on) }

// energies are ℓ_low where the descents of all levels begin and where they end, 1×1 and summed, without η.
func (b bilevel) energies() (start, end ad.Var, err error) { return b.Totals(input.Evaluation(), b.on) }

// weights are parameters and state of a network.
func weights(n network) []*ad.Param {
	return append(append([]*ad.Param{}, n.Params()...), n.State()...)
}

// streamed yields logits of all nodes of a graph that stays on the disk, block by block.
type streamed func(yield func(block int, z []mat.Real) error) error

// beyond is such a graph.
type beyond struct {
	*blocks.Store
	split int
	streamed
}

// Of is the task of a run that has just ended; nil where it trained nothing, or something else.
func Of(r *run.Result) *Task {
	if j, ok := r.Job.(job); ok {
		return j.Task
	}
	return nil
}

// Job is the task as what run.Run, run.NewLoop and run.NewEstimate train.
func (t *Task) Job() run.Job { return job{t} }

// Up is ℓ_up of the task with head g: the criterion of the config over the training nodes.
func (t *Task) Up(g upper.Head) upper.Supervised {
	target := t.target
	target.Pick = t.pick
	return upper.Supervised{Head: g, Criterion: t.criterion, Target: target}
}

// look is the program of an evaluation: logits, and energies.
type look struct {
	looks      *ad.Program // nil before the first
	logits     ad.Var
	start, end ad.Var     // 1×1; absent where energies were not asked for
	z          []mat.Real // the logits of the last evaluation, of the nodes of the graph
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

// judged is what is measured: labels, the logits of the last evaluation, and whose of them count.
type judged struct {
	goal
	z []mat.Real
	dataset.Split
}

// judge evaluates: all nodes of the graph and, where that is a part of one on the disk, the jury.
func (t *Task) judge() error {
	if err := t.evaluate(); err != nil {
		return err
	}
	t.judged = judged{t.goal, t.z, t.Split}
	if t.sampled == nil || t.sampled.jury == nil {
		return nil
	}
	return t.sampled.hear()
}

// evaluate takes the logits of the present weights, with all labels where the lower level is given some.
func (t *Task) evaluate() error {
	if t.apart != nil {
		if t.z == nil {
			t.z = make([]mat.Real, t.Data.Graph.NumNodes()*t.Classes())
		}
		return t.apart.Look(t.z)
	}
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

// epoch is the epoch of the last pass, 0 before the first.
func (t *Task) epoch() uint64 {
	if t.pass == nil {
		return 0
	}
	return t.pass.Clock.Epoch
}

// Score is a metric of some nodes, z being logits of all, as Predictions has them.
func (t *Task) Score(name string, z []mat.Real, nodes []int32) float64 {
	return t.goal.measure(name, z, nodes)
}

// Answer is the class that a row of logits stands for.
func (t *Task) Answer(z []mat.Real) int32 { return t.goal.answer(z) }

// Always is the best answer that is the same for all nodes, in quotes where it is a class.
func (t *Task) Always() string { return t.goal.always() }
