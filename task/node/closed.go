package node

import (
	"math"
	"slices"
	"sync"

	"github.com/bloomgml/bloom"
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/internal/fit"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/upper"
)

// closedForm is the network of recipe closed: answers that are solved for once, from the data and the labels of
// training nodes alone. It has no weights. A run keeps the answers; who asks for their parts solves again.
type closedForm struct {
	*Task
	up     upper.Supervised // its criterion alone
	table  table            // of model.alike; else without columns
	logits *ad.Param        // n×k; nil before somebody asks
	linear *fit.Linear      // the same
	asking sync.Mutex       // held by who looks at linear
	whole  *closedForm      // the same problem with more labels; nil if it is solved by itself
	gone   []int            // those of its labels that are not here
}

var _ network = (*closedForm)(nil)

// closedAlone builds it.
func (t *Task) closedAlone() error {
	if err := t.place(t.Data.Graph); err != nil {
		return err
	}
	f := &closedForm{Task: t, up: t.Up(nil)}
	if t.Config.Model.Alike && t.Data.Raw != nil {
		f.table = t.newTable(t.Data.Graph.NumEdges() > 0 && t.Data.Times == nil)
		f.table.unknown = 0 // nothing leaves residuals
		f.table.sum()
	}
	t.network = f
	return nil
}

// problem returns what is solved.
func (f *closedForm) problem() fit.Problem {
	p := fit.ProblemOf(f.Data, f.Split.Train, f.Trial.Seed)
	p.Unfiltered = f.further()
	return p
}

// further returns the columns of the table, none without model.alike, with means in gaps.
func (f *closedForm) further() (x dataset.Matrix) {
	b := &f.table
	if b.width == 0 {
		return x
	}
	f.fill(b)
	x = dataset.Matrix{Rows: len(b.more) / b.width, Cols: b.width, Values: make([]mat.Real, len(b.more))}
	finite := func(x float32) bool { return !math.IsNaN(float64(x)) && !math.IsInf(float64(x), 0) }
	for j := range b.width {
		sum, known := 0.0, 0.0
		for at := j; at < len(b.more); at += b.width {
			if y := b.more[at]; finite(y) {
				sum, known = sum+float64(y), known+1
			}
		}
		for at := j; at < len(b.more); at += b.width {
			if x.Values[at] = mat.Real(b.more[at]); !finite(b.more[at]) {
				x.Values[at] = mat.Real(sum / max(known, 1))
			}
		}
	}
	return x
}

// Params is empty: nothing is trained.
func (f *closedForm) Params() []*ad.Param { return nil }

// State is empty.
func (f *closedForm) State() []*ad.Param { return nil }

// kept returns the place of the answers, as a run keeps them, and allocates it.
func (f *closedForm) kept() *ad.Param {
	k := f.Classes()
	if _, number := f.goal.(*numbers); number {
		k = 1
	}
	return ad.NewParam("closed.logits", mat.New(f.Data.Graph.NumNodes(), k))
}

// Predict returns the calibrated logits of all nodes, and of numbers the answers in the unit of the goal.
func (f *closedForm) Predict(input.Context) (ad.Var, error) {
	if f.logits != nil {
		return f.logits.Var, nil
	}
	fit, err := f.solve()
	if err != nil {
		return ad.Var{}, err
	}
	k := fit.Outputs
	row, z := make([]float64, k), make([]mat.Real, len(fit.Answers))
	for at := 0; at < len(z); at += k {
		fit.Calibration.Logits(row, fit.Answers[at:at+k])
		for j, x := range row {
			if g, ok := f.goal.(*numbers); ok {
				x = float64(g.scaled(x))
			}
			z[at+j] = mat.Real(x)
		}
	}
	f.logits = f.kept()
	f.logits.Value().Write(z)
	return f.logits.Var, nil
}

// solve finds the answers, by taking labels out of those of the whole problem if there is one.
func (f *closedForm) solve() (*fit.Answers, error) {
	if f.whole == nil && f.linear != nil {
		return f.linear.Answers, nil
	} else if f.whole == nil {
		return fit.Solve(f.problem())
	}
	l, err := f.whole.asLinear()
	if err != nil {
		return nil, err
	}
	f.whole.asking.Lock()
	defer f.whole.asking.Unlock()
	if f.table.width > 0 {
		return l.OnFold(f.further(), f.gone, 0)
	}
	return l.Without(f.gone)
}

// lacks returns the positions of the labels of f that split does not train on, as fit has them.
func (f *closedForm) lacks(split dataset.Split) (gone []int) {
	at, learns := 0, make(map[int32]bool, len(split.Train))
	for _, v := range split.Train {
		learns[v] = true
	}
	for _, v := range f.Split.Train {
		if f.Data.Labels.Class[v] < 0 {
			continue
		}
		if !learns[v] {
			gone = append(gone, at)
		}
		at++
	}
	return gone
}

// within returns the network of sub, a state of the graph of f. If only labels are gone, filters need not be applied
// again.
func (f *closedForm) within(sub *Task, s Subgraph) *closedForm {
	out, old := &closedForm{Task: sub, up: f.up}, f.Data.Graph
	if f.table.width > 0 {
		out.table = f.table.within(sub, s.Raw)
		out.table.unknown = 0
		out.table.sum()
		return out
	}
	if x := f.Features(0); !slices.Equal(s.Graph.Triples(), old.Triples()) ||
		!slices.Equal(s.Graph.Weights(), old.Weights()) || len(s.Node) != old.NumNodes() ||
		!slices.Equal(x.Values, s.Features.Values) || !slices.Equal(x.Idx, s.Features.Idx) ||
		!slices.Equal(x.Ptr, s.Features.Ptr) {
		return out
	}
	for i, v := range s.Node {
		if v >= 0 && v != int32(i) {
			return out
		}
	}
	at := 0
	for _, v := range f.Split.Train {
		if f.Data.Labels.Class[v] < 0 {
			continue
		}
		if s.Node[v] < 0 {
			out.gone = append(out.gone, at)
		}
		at++
	}
	if len(out.gone) > 0 {
		out.whole = f
	}
	return out
}

// Loss returns the criterion of the answers.
func (f *closedForm) Loss(c input.Context) (ad.Var, error) {
	z, err := f.Predict(c)
	if err != nil {
		return ad.Var{}, err
	}
	return f.up.Criterion.Of(z, f.up.Target), nil
}

// asLinear returns the answers as a linear function.
func (f *closedForm) asLinear() (_ *fit.Linear, err error) {
	f.asking.Lock()
	defer f.asking.Unlock()
	if f.linear == nil {
		f.linear, err = fit.NewLinear(f.problem())
	}
	return f.linear, err
}

// slopes returns how fast the sum that q asks about grows with each of the answers; apart was called before. For
// numbers it is the answer itself, or its logarithm.
func (f *closedForm) slopes(q question) []float64 {
	if _, number := f.goal.(*numbers); number {
		return []float64{1}
	}
	slopes := make([]float64, len(q.weight))
	for c, w := range q.weight {
		slopes[c] = w * f.linear.Calibration.Tau
	}
	return slopes
}

// breakdown explains the answer for node v, which is linear in the features, or its logarithm is.
func (f *closedForm) breakdown(v int32, q question, all *Predictions, top int) (b *Breakdown, err error) {
	if _, err := f.asLinear(); err != nil {
		return nil, err
	}
	b = &Breakdown{Of: q.of, For: q.favours, Prior: q.shift, Sum: q.shift}
	if _, number := f.goal.(*numbers); number {
		b.Prior, b.Sum = 0, all.value(v)
	} else {
		none := make([]float64, len(q.weight))
		f.linear.Calibration.Logits(none, make([]float64, len(none))) // of answers of 0
		for c, w := range q.weight {
			b.Prior += w * none[c]
		}
		b.Sum = q.total(all.row(v))
	}
	p := f.linear.Parts(v, f.slopes(q))
	b.Prior += p.Prior
	c := &bloom.Contributions{Own: p.Own, Others: p.Others}
	f.ownParts(b, v, c, top)
	b.add(ownPlace, "", []evidencePart{{Name: ownPlace, Share: p.Place}}, 0)
	b.add(rowsAlike, "", []evidencePart{{Name: rowsAlike, Share: p.Unfiltered}}, 0)
	b.neighbours(f.Task, v, c, all, 0, top)
	switch g, _ := f.goal.(*numbers); {
	case f.linear.Log:
		b.Sum = b.total()
		b.exponential(all.value(v), f.linear.Floor, 1)
	case g != nil:
		b.Prior *= g.factor()
		b.scale(g.factor())
	}
	b.Rest += b.Sum - b.total()
	return b, nil
}
