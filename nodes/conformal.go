package nodes

import (
	"fmt"
	"math"
	"slices"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/kernel"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/run"
)

// Conformal is how sets of classes, or intervals of numbers, are made that hold what is true with a given probability.
// Validation nodes vouch for it, as far as they are like other nodes.
type Conformal struct {
	Coverage float64 `json:"coverage"` // asked for
	// Diffusion is the share of a score that comes from the neighbours, chosen on one half of the validation nodes: the
	// other half calibrates, so that the choice does not spoil the promise. All calibrate where nothing is chosen.
	Diffusion float64 `json:"diffusion"`
	Quantile  float64 `json:"quantile"` // classes whose score is at most this are in the set; half the width of intervals
	Nodes     int     `json:"nodes"`    // that calibrated
	Test      float64 `json:"test"`     // share of the test nodes whose set holds what is true; 0 without any
	Size      float64 `json:"size"`     // mean size of the sets, or width of the intervals, of the test nodes
}

// Conforming says how sets or intervals are made.
type Conforming struct {
	Coverage    float64 // asked for, above 0 and below 1
	Plain       bool    // without diffusion, so that all validation nodes calibrate
	Valid, Test []int32 // the nodes that calibrate and test; nil means those of the split
	Seed        uint64  // beside that of the run, for how Valid is divided
}

// Conform makes Each and WriteCSV give sets, or intervals, that hold what is true with a probability. Where a node has
// any number of classes, the set holds all of them with that probability.
//
// Classes are scored as for adaptive prediction sets (Romano et al. 2020): the probability of all classes that are more
// probable and a random share of the class's own, a function of the node. Classes that do not exclude each other have
// the score 1 − p, and a node has the largest score of its classes. Diffusion mixes in the mean of the neighbours'
// scores (DAPS, Zargarbashi et al. 2023). Scores of numbers are |true − predicted|. The error is a *run.BadData.
func (p *Predictions) Conform(o Conforming) (*Conformal, error) {
	t := p.task
	if o.Valid == nil {
		o.Valid, o.Test = t.Split.Valid, t.Split.Test
	}
	if err := t.vouch(o.Coverage, len(o.Valid)); err != nil {
		return nil, err
	}
	p.host()
	c, rest := &Conformal{Coverage: o.Coverage}, o.Valid
	switch {
	case t.Data.Labels.Task == dataset.Numbers:
		p.scores = nil
	case o.Plain:
		p.scores = p.plain()
	default:
		var tune []int32
		tune, rest = halves(o.Valid, t.Trial.Seed+o.Seed)
		c.Diffusion = p.diffuse(tune, o.Coverage)
	}
	c.Nodes, c.Quantile = len(rest), quantile(p.own(rest), o.Coverage)
	p.conformal = c
	p.tested(o.Test)
	return c, nil
}

// vouch refuses a coverage for which n validation nodes are too few.
func (t *Task) vouch(coverage float64, n int) error {
	if need := 2 * (int(math.Ceil(1/(1-coverage))) - 1); n < need {
		return &run.BadData{Data: t.Data.Name, Text: fmt.Sprintf("sets that hold the truth with probability %g "+
			"need %d validation nodes; there are %d", coverage, need, n)}
	}
	return nil
}

// halves divides nodes at random.
func halves(nodes []int32, seed uint64) (a, b []int32) {
	all := slices.Clone(nodes)
	seed = mat.Mix(seed, hash("halves")) // not what scores are drawn by
	slices.SortFunc(all, func(u, v int32) int {
		x, y := mat.Mix(seed, uint64(u)), mat.Mix(seed, uint64(v))
		if x < y {
			return -1
		}
		return 1
	})
	return all[:len(all)/2], all[len(all)/2:]
}

// quantile is the smallest score that a share coverage of scores, and of one more, does not exceed.
func quantile(scores []float64, coverage float64) float64 {
	slices.Sort(scores)
	at := int(math.Ceil(coverage*float64(len(scores)+1))) - 1
	return scores[max(0, min(len(scores)-1, at))]
}

// diffuse fills the scores of all nodes and classes with the diffusion that makes the sets of some nodes smallest.
func (p *Predictions) diffuse(nodes []int32, coverage float64) float64 {
	plain, k := p.plain(), p.task.Classes()
	near := p.neighbours(plain)
	p.scores = make([]float64, len(plain))
	mix := func(share float64, from, to int) {
		for i := from * k; i < to*k; i++ {
			p.scores[i] = (1-share)*plain[i] + share*near[i]
		}
	}
	best, size := 0.0, math.Inf(1)
	for _, share := range []float64{0, 0.25, 0.5, 0.75} {
		for _, v := range nodes {
			mix(share, int(v), int(v)+1)
		}
		q, n := quantile(p.own(nodes), coverage), 0
		for _, v := range nodes {
			n += p.size(v, q)
		}
		if float64(n) < size {
			best, size = share, float64(n)
		}
	}
	mix(best, 0, len(plain)/k)
	return best
}

// plain are the scores of all nodes and classes, without diffusion.
func (p *Predictions) plain() []float64 {
	if p.task.Data.Labels.Task != dataset.Sets {
		return p.adaptive()
	}
	s := make([]float64, len(p.probability))
	for i, x := range p.probability {
		s[i] = 1 - float64(x)
	}
	return s
}

// adaptive are the scores of all nodes and classes that exclude each other.
func (p *Predictions) adaptive() []float64 {
	k := p.task.Classes()
	s := make([]float64, len(p.probability))
	each(len(s)/k, adaptiveOf, func(from, to int) {
		for v := from; v < to; v++ {
			adaptive(s[v*k:(v+1)*k], p.probability[v*k:(v+1)*k], p.task.lot(int32(v)))
		}
	})
	return s
}

// adaptiveOf is how many nodes are one piece of the scores.
const adaptiveOf = 1024

// each does f for the parts of 0, …, n−1 that are size long, in parallel.
func each(n, size int, f func(from, to int)) { kernel.Each((n+size-1)/size, pieces{n, size, f}) }

// pieces are the parts of each.
type pieces struct {
	n, size int
	f       func(from, to int)
}

func (p pieces) Do(i int) { p.f(i*p.size, min((i+1)*p.size, p.n)) }

// lot is the share of the probability of a class in its own score, drawn for node v.
func (t *Task) lot(v int32) float64 {
	return float64(mat.Mix(mat.Mix(t.Trial.Seed, hash("adaptive")), uint64(v))>>11) / (1 << 53)
}

// adaptive are the scores of the classes of one node: the probability of all that are more probable, and a share of its
// own.
func adaptive(s []float64, p []mat.Real, share float64) {
	for y, own := range p {
		s[y] = share * float64(own)
		for j, other := range p {
			if other > own || other == own && j < y {
				s[y] += float64(other)
			}
		}
	}
}

// neighbours are the mean scores of the neighbours of every node, its own where it has none.
func (p *Predictions) neighbours(s []float64) []float64 {
	k := p.task.Classes()
	sum, count := make([]float64, len(s)), make([]float64, len(s)/k)
	triples := p.task.Data.Graph.Triples()
	for _, e := range triples {
		if e.U != e.V {
			count[e.U]++
			count[e.V]++
		}
	}
	each(k, neighboursOf, func(from, to int) {
		add := func(dst, src int32) {
			own, other := sum[int(dst)*k+from:int(dst)*k+to], s[int(src)*k+from:int(src)*k+to]
			for y, x := range other {
				own[y] += x
			}
		}
		for _, e := range triples {
			if e.U != e.V {
				add(e.U, e.V)
				add(e.V, e.U)
			}
		}
	})
	for i := range sum {
		if n := count[i/k]; n > 0 {
			sum[i] /= n
		} else {
			sum[i] = s[i]
		}
	}
	return sum
}

// neighboursOf is how many classes are one piece of the sums over neighbours: two lines of the cache.
const neighboursOf = 16

// own are the scores of what is true of nodes.
func (p *Predictions) own(nodes []int32) []float64 {
	l, k := p.task.Data.Labels, p.task.Classes()
	list := make([]float64, len(nodes))
	for i, v := range nodes {
		row := int(v) * k
		switch g := p.task.goal.(type) {
		case *numbers:
			list[i] = math.Abs(g.value(p.logits[v]) - float64(l.Values[v]))
		case *sets:
			for y, has := range l.Values[row : row+k] {
				if has > 0 {
					list[i] = max(list[i], p.scores[row+y])
				}
			}
		default:
			list[i] = p.scores[row+int(l.Class[v])]
		}
	}
	return list
}

// within are the classes of node v whose score is at most q.
func (p *Predictions) within(v int32, q float64) []string {
	k, names := p.task.Classes(), []string{}
	for y, name := range p.task.Data.Labels.Names {
		if p.scores[int(v)*k+y] <= q {
			names = append(names, name)
		}
	}
	return names
}

// size is how many there are.
func (p *Predictions) size(v int32, q float64) int {
	k, n := p.task.Classes(), 0
	for _, s := range p.scores[int(v)*k : int(v+1)*k] {
		if s <= q {
			n++
		}
	}
	return n
}

// tested measures test nodes.
func (p *Predictions) tested(nodes []int32) {
	c := p.conformal
	for i, s := range p.own(nodes) {
		if s <= c.Quantile {
			c.Test += 1 / float64(len(nodes))
		}
		size := 2 * c.Quantile
		if p.scores != nil {
			size = float64(p.size(nodes[i], c.Quantile))
		}
		c.Size += size / float64(len(nodes))
	}
}

// conform writes the set or the interval of node v into out.
func (p *Predictions) conform(out *Prediction, v int32) {
	q := p.conformal.Quantile
	if out.Value != nil {
		low, high := *out.Value-q, *out.Value+q
		out.Low, out.High = &low, &high
		return
	}
	out.Set = p.within(v, q)
}
