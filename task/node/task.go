package node

import (
	"github.com/bloomgml/bloom"
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/internal/ondisk"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/train"
	"github.com/bloomgml/bloom/upper"
)

// Task is a network with the data that it is trained on and tested with; Job is how it is trained.
type Task struct {
	Config config.Config
	Trial  train.Trial
	Data   *dataset.Dataset // features scaled and, if requested, corrupted
	Split  dataset.Split

	// Stack is the network as bilevel models, usually one, for energies and explanations; nil for a baseline. On is
	// what it runs on.
	Stack *bloom.Stack
	On    bloom.Data

	Warnings []string // what is odd about the data, one sentence each
	// Descents is the evidence that Stack.Evidence gave for the card of a run that has just ended, level by level;
	// nil otherwise.
	Descents []bloom.Evidence

	network   network
	goal      goal
	metric    string           // what chooses the epoch
	raw       *dataset.Dataset // the data before scaling
	criterion upper.Criterion
	target    upper.Target                      // what the loss compares with, but for the nodes of it
	made      func(*Task) (*bloom.Stack, error) // Options.Model; nil for the model of the config
	certified func() (watched bool, err error)  // whether fixed step sizes still are; nil before the first epoch
	pick      *mat.Index                        // the nodes of the loss
	raced     *Raced                            // what was compared before; nil if nothing was
	closed    *train.Closed                     // the closed form's metric on the same split; nil if unknown
	others    []*Trained                        // models whose logits are averaged with the network's
	kept      *solution                         // shared with tasks on the same rows; nil if it is not shared
	labelled  *sampler                          // of trained label propagation; nil for others
	forest    *forest                           // π by trees; nil for others

	simultaneous  bool // of the data as it was opened, see dataset.Simultaneous; subgraphs keep it
	done          bool // nothing is trained: the weights are what Options.Start has set
	wantsEnergies bool
	columns       []Column  // nil before somebody asked
	rows          placement // where the network's rows are in training
	epoch         int       // of the last pass; 0 before the first
	last          judged    // what the last evaluation measures
	all           *beyond   // predictions are of these
}

// network is what a task trains: parameters, logits for the nodes of one graph, and ℓ_up.
type network interface {
	Params() []*ad.Param                   // trained
	State() []*ad.Param                    // kept besides them, like running statistics
	Predict(input.Context) (ad.Var, error) // n×classes
	Loss(input.Context) (ad.Var, error)    // 1×1
}

// bilevel is the network of a bloom.Stack.
type bilevel struct {
	*bloom.Stack
	on bloom.Data
}

var _ network = bilevel{}

func (b bilevel) Predict(c input.Context) (ad.Var, error) { return b.Stack.Predict(c, b.on) }
func (b bilevel) Loss(c input.Context) (ad.Var, error)    { return b.Stack.Loss(c, b.on) }

// energies returns ℓ_low at the start and at the end of the descents, 1×1 and summed over all levels, without η.
func (b bilevel) energies() (start, end ad.Var, err error) { return b.Totals(input.Evaluation(), b.on) }

// weights returns parameters and state of a network.
func weights(n network) []*ad.Param {
	return append(append([]*ad.Param{}, n.Params()...), n.State()...)
}

// streaming yields logits of all nodes of a graph that stays on the disk, block by block.
type streaming func(yield func(block int, z []mat.Real) error) error

// beyond is such a graph.
type beyond struct {
	*ondisk.Store
	split int
	streaming
}

// Of returns the task of a run that has just ended; nil if it trained nothing, or something else.
func Of(r *train.Result) *Task {
	if j, ok := r.Job.(job); ok {
		return j.Task
	}
	return nil
}

// Job returns the task as what train.Run, train.NewLoop and train.NewEstimate train.
func (t *Task) Job() train.Job { return job{t} }

// Up returns ℓ_up of the task with head g: the criterion of the config over the training nodes.
func (t *Task) Up(g upper.Head) upper.Supervised {
	target := t.target
	target.Pick = t.pick
	return upper.Supervised{Head: g, Criterion: t.criterion, Target: target}
}

// lossOf returns ℓ_up of a network, over the samples of train.consistency.
func (t *Task) lossOf(c input.Context, n network) (ad.Var, error) {
	k := t.Config.Train.Consistency
	if !t.drops() {
		k.Samples = 1
	}
	return k.Loss(c, n)
}

// Metric names the metric that chooses the epoch.
func (t *Task) Metric() string { return t.metric }

// Score returns a metric of some nodes; z are the logits of all nodes, as in Predictions.
func (t *Task) Score(name string, z []mat.Real, nodes []int32) float64 {
	return t.goal.measure(name, z, nodes)
}

// Answer returns the class that a row of logits predicts.
func (t *Task) Answer(z []mat.Real) int32 { return t.goal.answer(z) }

// Always returns the best constant answer, in quotes if it is a class.
func (t *Task) Always() string { return t.goal.always() }
