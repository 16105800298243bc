package audit

import (
	"math"

	"github.com/bloomgml/bloom/mat"
)

// Label is a class that is given, judged.
type Label struct {
	Verdict
	Node     int32
	Given    int32
	Proposed int32   // the likeliest class by everything but the given one
	Against  []int32 // neighbours of the proposed class if it differs from the given one; at most 5
}

// opinions are probabilities of the classes of one node, without it.
type opinions struct{ own, around, both, votes, beyond []float64 }

// all returns the opinions that exist.
func (p *opinions) all() [][]float64 {
	if p.own == nil {
		return [][]float64{p.around, p.votes, p.beyond}
	}
	return [][]float64{p.own, p.around, p.both, p.votes, p.beyond}
}

// opinions of node i.
func (v *view) opinions(i int) *opinions {
	if v.k < 2 {
		return nil
	}
	p := &opinions{around: make([]float64, v.k), votes: make([]float64, v.k), beyond: make([]float64, v.k)}
	v.fromHood.leftOut(p.around, i)
	p.both = p.around
	if v.fromRow != nil {
		p.own, p.both = make([]float64, v.k), make([]float64, v.k)
		v.fromRow.leftOut(p.own, i)
		v.fromBoth.leftOut(p.both, i)
	}
	for c := range v.k {
		p.votes[c], p.beyond[c] = float64(v.votes.at(i)[c]), float64(v.beyond.at(i)[c])
	}
	return p
}

// labelTerms returns, for class y at node i, all else unchanged:
//
//	log p(y | row), log p(y | neighbourhood), log p(y | both), log p(y | classes one and two steps away),
//	each with its margin over the best other class; log prior(y); log(1 + degree)
func (v *view) labelTerms(i int, y int32, p *opinions) []float64 {
	var t []float64
	for _, q := range p.all() {
		t = append(t, math.Log(q[y]), margin(q, y))
	}
	return append(t, math.Log(v.prior[y]), math.Log1p(float64(v.hood.degree(int32(i)))))
}

// margin is log p(y) less the largest of the others.
func margin(p []float64, y int32) float64 {
	other := math.Inf(-1)
	for c, x := range p {
		if int32(c) != y {
			other = max(other, math.Log(x))
		}
	}
	return math.Log(p[y]) - other
}

// judgeLabels judges the classes of the nodes of a fold: as they are, and as if they were others.
func (v *view) judgeLabels(f int32) {
	rng := v.random(200 + uint64(f))
	step := 1 + v.n/mostExamples
	for i, g := range v.fold {
		if g != f {
			continue
		}
		p := v.opinions(i)
		v.tell(i, p)
		y := v.Class[i]
		if y < 0 || v.NoLabels {
			continue
		}
		at := v.labels.add(int32(i), v.labelTerms(i, y, p))
		for range 1 + repeats(v.n) {
			other := (y + 1 + int32(rng.IntN(v.k-1))) % int32(v.k)
			if i%step == 0 {
				v.labels.suppose(0, at, v.labelTerms(i, other, p))
			}
		}
	}
}

// tell keeps what the row and everything say of the class of node i.
func (v *view) tell(i int, p *opinions) {
	v.told[i] = argmax(p.both)
	for c, x := range p.own {
		v.said.at(i)[c] = mat.Real(x)
	}
}

func argmax[T ~float32 | ~float64](p []T) (best int32) {
	for c, x := range p {
		if x > p[best] {
			best = int32(c)
		}
	}
	return best
}

// rankLabels fills the ranking and returns the share of wrong ones.
func (w *world) rankLabels(r *Report) (Share, error) {
	w.labels.undone, w.labels.untold = 1/float64(w.k-1), untoldClasses
	if w.columns != nil {
		w.labels.simplest = 4 // log p(y | both)
	}
	verdicts, err := w.labels.verdicts(w.Seed)
	if err != nil {
		return Share{}, err
	}
	for k, v := range w.labels.thing {
		l := Label{Verdict: verdicts.judgement(k), Node: v, Given: w.Class[v], Proposed: w.told[v]}
		if l.Proposed != l.Given {
			l.Against = w.voters(v, l.Proposed)
		}
		r.Labels = append(r.Labels, l)
	}
	ranked(r.Labels, func(l Label) Verdict { return l.Verdict })
	return verdicts.share(), nil
}

// voters returns neighbours of a class, at most 5.
func (w *world) voters(v, class int32) (list []int32) {
	for _, u := range w.hood.neighboursOf(v) {
		if w.Class[u] == class && len(list) < 5 {
			list = append(list, u)
		}
	}
	return list
}
