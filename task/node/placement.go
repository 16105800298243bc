package node

import (
	"math"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/train"
)

// placement is where the rows of a task live while it is trained; it runs passes and evaluations over them there:
//
//	whole     all of them on the device: full batch
//	sampled   mini-batches of subgraphs, drawn from memory or from the disk
//	streamed  on the disk, or what a linear descent that was run once has made of them
type placement interface {
	State() []*ad.Param       // what changes in training besides the network's own state
	Batches() int             // in an epoch
	Batch(epoch, i int) error // computes Loss and Grads of mini-batch i of an epoch
	Loss() *mat.Dense         // of the last Batch, 1×1
	Grads() []*mat.Dense      // of the last Batch, in the order of the network's parameters

	// evaluate computes the logits of the current parameters for all nodes of the task's graph. The error is a
	// *train.NotFinite if one of them is NaN or Inf.
	evaluate() (z []mat.Real, err error)
	// judge evaluates, and returns what metrics are measured on.
	judge() (judged, error)
	// energies returns ℓ_low before and after the descent of the last evaluation; NaN if they were not computed.
	energies() (start, end float64)
	// release frees the memory of epochs and evaluations.
	release()
}

var (
	_ placement = (*whole)(nil)
	_ placement = (*sampled)(nil)
	_ placement = (*streamed)(nil)
)

// judged holds what metrics are measured on: labels, the logits of the last evaluation, and the split of their rows.
type judged struct {
	goal
	z []mat.Real
	dataset.Split
}

// whole has all rows on the device. Two programs are compiled when first needed and replayed without an allocation:
// loss with gradients, and logits in evaluation mode.
type whole struct {
	*Task
	pass *train.Pass // nil before the first epoch

	looks      *ad.Program // nil before the first evaluation
	logits     ad.Var
	start, end ad.Var     // 1×1; absent where energies were not asked for
	z          []mat.Real // the logits of the last evaluation
	mark       *mat.Dense // 1×1: which of the values of an evaluation is the first that is not finite
}

func (w *whole) State() []*ad.Param { return nil }
func (w *whole) Batches() int       { return 1 }

// Batch runs the pass of an epoch.
func (w *whole) Batch(epoch, _ int) (err error) {
	if w.pass == nil {
		seed := mat.Mix(w.Trial.Seed, hash("dropout"))
		w.pass, err = train.NewPass(nil, seed, w.network.Params(), func(c input.Context) (ad.Var, error) {
			return w.lossOf(c, w.network)
		})
		if err != nil {
			return err
		}
	}
	if w.labelled != nil {
		if err := w.labelled.drawLabels(epoch); err != nil {
			return err
		}
	}
	return w.pass.Run(epoch, uint64(epoch))
}

func (w *whole) Loss() *mat.Dense    { return w.pass.Loss() }
func (w *whole) Grads() []*mat.Dense { return w.pass.Grads() }
func (w *whole) release()            { w.pass, w.looks = nil, nil }

func (w *whole) judge() (judged, error) {
	z, err := w.evaluate()
	return judged{w.goal, z, w.Split}, err
}

func (w *whole) energies() (start, end float64) {
	if w.start.IsZero() {
		return math.NaN(), math.NaN()
	}
	return float64(w.looks.Value(w.start).Item()), float64(w.looks.Value(w.end).Item())
}

// evaluate gives the lower level all labels if it uses labels.
func (w *whole) evaluate() ([]mat.Real, error) {
	if w.looks == nil {
		if err := w.compile(); err != nil {
			return nil, err
		}
	}
	if w.labelled != nil {
		w.labelled.all()
	}
	if err := w.looks.Run(); err != nil {
		return nil, &train.NotFinite{Epoch: w.epoch, What: "a step of the descent, in evaluation,", Err: err}
	}
	if err := w.finite(); err != nil {
		return nil, err
	}
	w.looks.Value(w.logits).Read(w.z)
	return w.z, nil
}

// compile writes the program of an evaluation: logits, and energies if requested.
func (w *whole) compile() (err error) {
	if w.logits, err = w.network.Predict(input.Evaluation()); err != nil {
		return err
	}
	outputs := []ad.Var{w.logits}
	if b, ok := w.network.(bilevel); ok && w.wantsEnergies {
		if w.start, w.end, err = b.energies(); err != nil {
			return err
		}
		outputs = append(outputs, w.start, w.end)
	}
	w.looks = ad.Compile(outputs...)
	w.z = make([]mat.Real, w.logits.Shape().Len())
	return nil
}

// finite returns the error for an evaluation with a NaN or an Inf. The device keeps one flag for all values, which is
// read once.
func (w *whole) finite() error {
	if w.mark == nil {
		w.mark = mat.New(1, 1)
	}
	mat.Fill(w.mark, 0)
	whats := []string{"a logit, in evaluation,", "ℓ_low before the descent", "ℓ_low after the descent"}
	for i, v := range []ad.Var{w.logits, w.start, w.end} {
		if !v.IsZero() {
			mat.MarkNonFinite(w.mark, w.looks.Value(v), mat.Real(i+1))
		}
	}
	if i := int(w.mark.Item()) - 1; i >= 0 {
		return &train.NotFinite{Epoch: w.epoch, What: whats[i]}
	}
	return nil
}

// streamed has rows on the disk, which come to the device some at a time.
type streamed struct {
	*Task
	from *settled
	z    []mat.Real // the logits of the last evaluation
}

func (s *streamed) State() []*ad.Param { return nil }

// Batches returns 1: an epoch sums over all rows.
func (s *streamed) Batches() int { return 1 }

// Batch adds up all rows that train.
func (s *streamed) Batch(epoch, _ int) error { return s.from.Batch(epoch) }
func (s *streamed) Loss() *mat.Dense         { return s.from.loss }
func (s *streamed) Grads() []*mat.Dense      { return s.from.grads }
func (s *streamed) release()                 {}

func (s *streamed) judge() (judged, error) {
	z, err := s.evaluate()
	return judged{s.goal, z, s.Split}, err
}

func (s *streamed) energies() (start, end float64) { return math.NaN(), math.NaN() }

func (s *streamed) evaluate() ([]mat.Real, error) {
	if s.z == nil {
		s.z = make([]mat.Real, s.Data.Graph.NumNodes()*s.Classes())
	}
	return s.z, s.from.Look(s.z)
}
