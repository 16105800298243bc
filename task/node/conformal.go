package node

import (
	"fmt"
	"math"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/fit"
	"github.com/bloomgml/bloom/internal/kernel"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/train"
)

// Conformal describes sets of classes, or intervals of numbers, that contain the truth with a given probability. It
// is calibrated on validation nodes, and holds as far as these are like other nodes.
type Conformal struct {
	Coverage float64 `json:"coverage"` // asked for
	// Quantile is half the width of intervals. If a node has any number of classes, its set contains the classes with
	// at most this score; if it has one class, see Classes.
	Quantile float64          `json:"quantile"`
	Nodes    int              `json:"nodes"`             // that calibrated
	Test     float64          `json:"test"`              // share of test nodes whose set holds the truth; 0 without
	Tested   int              `json:"tested"`            // test nodes
	Size     float64          `json:"size"`              // mean size of sets, or width of intervals, of test nodes
	Classes  []ConformalClass `json:"classes,omitempty"` // where a node has one class
}

// Conforming says how sets or intervals are made.
type Conforming struct {
	Coverage    float64 // asked for, above 0 and below 1
	Valid, Test []int32 // the nodes that calibrate and test; nil means the nodes of the split
}

// Conform makes Each and WriteCSV return sets, or intervals, that contain the truth with a given probability, for the
// nodes of every class that has enough calibration nodes, see ConformalClass. If a node may have any number of
// classes, the set contains all of them with that probability. No set is empty: the answer, or the most probable
// class if there may be any number, has the score 0, also in calibration, so the guarantee holds.
//
// Other classes are scored as for adaptive prediction sets (Romano et al. 2020): the probability of all classes that
// are more probable plus a random share of the class's own, a function of the node. Classes that do not exclude each
// other have the score 1 − p, and a node has the largest score of its classes. Scores of numbers are |true −
// predicted|. The error is a *train.BadData.
//
// Chosen: scores of neighbours are not mixed in (DAPS, Zargarbashi et al. 2023). That needs half of the calibration
// nodes to choose the mixing weight, and quantiles of single classes need these: sets were 2 to 7 % larger with it on
// Cora, Citeseer and Pubmed, and 1 % smaller on tolokers.
func (p *Predictions) Conform(o Conforming) (*Conformal, error) {
	t := p.task
	vouch := p
	if o.Valid == nil {
		o.Valid, o.Test = t.Split.Valid, t.Split.Test
		if t.raced.hasFolds() {
			vouch, o.Valid = t.outOfFold(), t.raced.answers.nodes
		}
	}
	if err := t.vouch(o.Coverage, len(o.Valid)); err != nil {
		return nil, err
	}
	p.host()
	if p.scores = nil; t.Data.Labels.Task != dataset.Numbers {
		p.scores = p.scored()
	}
	if vouch != p && p.scores != nil {
		vouch.scores = vouch.scored()
	}
	p.conformal = t.calibrated(vouch.own(o.Valid), o.Valid, o.Coverage)
	p.tested(o.Test)
	return p.conformal, nil
}

// calibrated computes the quantiles from the scores of the true labels of nodes.
func (t *Task) calibrated(scores []float64, nodes []int32, coverage float64) *Conformal {
	c := &Conformal{Coverage: coverage, Nodes: len(nodes)}
	if t.Data.Labels.Task == "" {
		c.Classes = conformalClasses(t.Data.Labels, scores, nodes, coverage)
	}
	c.Quantile = fit.Quantile(scores, coverage)
	return c
}

// limit returns the largest score of class y with which a set contains y.
func (c *Conformal) limit(y int) float64 {
	if c.Classes == nil {
		return c.Quantile
	}
	return c.Classes[y].Quantile
}

// vouch rejects a coverage for which n validation nodes are too few.
func (t *Task) vouch(coverage float64, n int) error {
	what := "sets"
	if t.Data.Labels.Task == dataset.Numbers {
		what = "intervals"
	}
	if need := fit.Enough(coverage); n < need {
		return &train.BadData{Data: t.Data.Name,
			Text: fmt.Sprintf("%s that contain the truth with probability %g need %d "+
				"validation nodes; there are %d", what, coverage, need, n)}
	}
	return nil
}

// scored returns the scores of all nodes and classes.
func (p *Predictions) scored() []float64 {
	k := p.task.Classes()
	s := make([]float64, len(p.probability))
	kernel.Each((len(s)/k+scoredOf-1)/scoredOf, scoring{p, s})
	return s
}

// scoredOf is the number of nodes in one piece of the scores.
const scoredOf = 1024

// scoring fills scores, some nodes at a time.
type scoring struct {
	of *Predictions
	s  []float64
}

func (x scoring) Do(piece int) {
	p, k := x.of, x.of.task.Classes()
	for v := piece * scoredOf; v < min((piece+1)*scoredOf, len(x.s)/k); v++ {
		p.task.score(x.s[v*k:(v+1)*k], int32(v), p.logits[v*k:(v+1)*k], p.probability[v*k:(v+1)*k])
	}
}

// score writes the scores of the classes of node v, −1 for a new node, from rows of logits and probabilities. The
// answer, or the most probable class if there may be any number, has score 0.
func (t *Task) score(s []float64, v int32, z, p []mat.Real) {
	switch {
	case t.Data.Labels.Task == dataset.Sets:
		for y, x := range p {
			s[y] = 1 - float64(x)
		}
	case v < 0:
		adaptive(s, p, 0) // keeps the set from being too small
	default:
		adaptive(s, p, t.lot(v))
	}
	s[t.goal.answer(z)] = 0
}

// lot returns the share of the probability of a class in its own score, drawn for node v.
func (t *Task) lot(v int32) float64 {
	return float64(mat.Mix(mat.Mix(t.Trial.Seed, hash("adaptive")), uint64(v))>>11) / (1 << 53)
}

// adaptive writes to s the scores of the classes of one node: the probability of all classes that are more probable,
// plus a share of its own.
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

// own returns the scores of the true labels of nodes.
func (p *Predictions) own(nodes []int32) []float64 {
	list := make([]float64, len(nodes))
	for i, v := range nodes {
		list[i] = p.task.trueScore(v, p.row(v), p.scoresOf(v))
	}
	return list
}

// trueScore returns the score of the true label of node v, the largest of several, by its row of logits and the scores
// of all classes.
func (t *Task) trueScore(v int32, z []mat.Real, scores []float64) (worst float64) {
	l := t.Data.Labels
	switch g := t.goal.(type) {
	case *numbers:
		return math.Abs(g.value(z[0]) - float64(l.Values[v]))
	case *sets:
		for y, s := range scores {
			if l.Values[int(v)*len(scores)+y] > 0 {
				worst = max(worst, s)
			}
		}
		return worst
	}
	return scores[l.Class[v]]
}

// scoresOf returns the scores of all classes for node v; nil for numbers.
func (p *Predictions) scoresOf(v int32) []float64 {
	if p.scores == nil {
		return nil
	}
	k := p.task.Classes()
	return p.scores[int(v)*k : int(v+1)*k]
}

// size returns the number of classes in the set of node v.
func (p *Predictions) size(v int32, c *Conformal) int {
	n := 0
	for y, s := range p.scoresOf(v) {
		if s <= c.limit(y) {
			n++
		}
	}
	return n
}

// tested measures test nodes.
func (p *Predictions) tested(nodes []int32) {
	c, class := p.conformal, p.task.Data.Labels.Class
	c.Tested = len(nodes)
	for i, s := range p.own(nodes) {
		q, size := c.Quantile, 2*c.Quantile
		if c.Classes != nil {
			q = c.limit(int(class[nodes[i]]))
			c.Classes[class[nodes[i]]].tested(s <= q)
		}
		if p.scores != nil {
			size = float64(p.size(nodes[i], c))
		}
		if s <= q {
			c.Test += 1 / float64(len(nodes))
		}
		c.Size += size / float64(len(nodes))
	}
}

// fill writes the interval around the value of out, or the classes by their scores, into out.
func (c *Conformal) fill(out *Prediction, names []string, scores []float64) {
	if out.Value != nil {
		low, high := *out.Value-c.Quantile, *out.Value+c.Quantile
		out.Low, out.High = &low, &high
		return
	}
	out.Set = []string{}
	for y, s := range scores {
		if s <= c.limit(y) {
			out.Set = append(out.Set, names[y])
		}
	}
}

// ConformalClass describes how sets are calibrated for the nodes of one class (Mondrian: Vovk et al. 2005).
// Calibration nodes of the class decide the score above which it is left out, so the sets of its nodes contain it
// with the requested probability. A class with too few of them shares them with all such classes: the probability
// then holds for their nodes together; if even these are too few, nothing is guaranteed, and Alone and Together are
// false.
type ConformalClass struct {
	Name     string  `json:"class"`
	Nodes    int     `json:"nodes"`    // of the class that calibrated
	Alone    bool    `json:"alone"`    // they were enough
	Together bool    `json:"together"` // the nodes of all classes that had too few were
	Quantile float64 `json:"quantile"` // the class is in a set where its score is at most this
	Tested   int     `json:"tested"`   // test nodes of the class
	Test     float64 `json:"test"`     // share of them whose set holds it; 0 without any
}

// conformalClasses calibrates every class by the scores of the true labels of nodes.
func conformalClasses(l dataset.Labels, scores []float64, nodes []int32, coverage float64) []ConformalClass {
	of := make([]int32, len(nodes))
	for i, v := range nodes {
		of[i] = l.Class[v]
	}
	out := make([]ConformalClass, len(l.Names))
	for y, x := range fit.ByGroup(scores, of, len(l.Names), coverage) {
		out[y] = ConformalClass{Name: l.Names[y], Nodes: x.Count, Alone: x.Alone, Together: x.Together,
			Quantile: x.Quantile}
	}
	return out
}

// tested counts a test node of the class.
func (c *ConformalClass) tested(held bool) {
	hits := c.Test * float64(c.Tested)
	if held {
		hits++
	}
	c.Tested++
	c.Test = hits / float64(c.Tested)
}

// Conform makes Tell return sets, or intervals, that contain the truth with a given probability, by the rows of H of
// the validation nodes, as Predictions.Conform does. The error is a *train.BadData.
func (t *Teller) Conform(coverage float64, row func(v int32) []mat.Real) (*Conformal, error) {
	valid := t.task.Split.Valid
	if t.task.raced.hasFolds() {
		p := t.task.outOfFold()
		if valid = t.task.raced.answers.nodes; t.task.Data.Labels.Task != dataset.Numbers {
			p.scores = p.scored()
		}
		if err := t.task.vouch(coverage, len(valid)); err != nil {
			return nil, err
		}
		t.conformal = t.task.calibrated(p.own(valid), valid, coverage)
		return t.conformal, nil
	}
	if err := t.task.vouch(coverage, len(valid)); err != nil {
		return nil, err
	}
	var scores []float64
	k := t.task.Classes()
	for from := 0; from < len(valid); from += t.rows {
		some := valid[from:min(from+t.rows, len(valid))]
		if err := t.run(len(some), func(i int) []mat.Real { return row(some[i]) }); err != nil {
			return nil, err
		}
		for i, v := range some {
			scores = append(scores, t.task.trueScore(v, t.z[i*k:], t.scores(v, i)))
		}
	}
	t.conformal = t.task.calibrated(scores, valid, coverage)
	return t.conformal, nil
}

// scores returns the conformal scores of all classes for node v, −1 for a new node, which row i is about; nil for
// numbers.
func (t *Teller) scores(v int32, i int) []float64 {
	if t.task.Data.Labels.Task == dataset.Numbers {
		return nil
	}
	k := t.task.Classes()
	s := make([]float64, k)
	t.task.score(s, v, t.z[i*k:(i+1)*k], t.p[i*k:(i+1)*k])
	return s
}
