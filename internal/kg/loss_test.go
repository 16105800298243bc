package kg

import (
	"fmt"
	"math"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/metric"
)

func softplus(x float64) float64 { return math.Log1p(math.Exp(x)) }

// start is a batcher with its second batch in place, and the model that it trains.
func start(t *testing.T, c Config, g *graph.Graph) (batcher, *Model) {
	t.Helper()
	if err := c.check(); err != nil {
		t.Fatal(err)
	}
	b := newBatcher(c, g)
	b.shuffle(3)
	if err := b.loadBatch(1); err != nil {
		t.Fatal(err)
	}
	return b, newModel(c, g)
}

// small is a config for finite differences.
func small(m energy.QueryModel) Config {
	return Config{Model: m, Dim: 4, Batch: 5, Scale: 0.7, Margin: 1, Negatives: Negatives{PerSide: 3},
		Seed: seed}.filled()
}

func TestDrawnIsItsDefinition(t *testing.T) {
	g := smallGraph(t, 9, 2, 14)
	for _, m := range models {
		t.Run(fmt.Sprintf("%#v", m), func(t *testing.T) {
			c := small(m)
			batch, model := start(t, c, g)
			d := batch.(*drawnFalse)
			compare(t, model, d.loss(c, model.H.Var, model.E.Var, new(ad.Clock)), func(n naive) float64 {
				loss, rows := 0.0, len(d.end)
				for i := range rows {
					q := metric.Question{End: d.end[i], Of: d.relation[i]}
					list := d.now.list[i*d.width : (i+1)*d.width]
					loss += softplus(-n.answer(q, list[0])) / float64(2*rows)
					for _, x := range list[1:] {
						loss += softplus(n.answer(q, x)) / float64(2*rows*(d.width-1))
					}
				}
				return loss
			})
		})
	}
}

// TestDrawnAsks: rows hold the questions of facts, with the fact's own answer first and others after it.
func TestDrawnAsks(t *testing.T) {
	g := smallGraph(t, 9, 2, 14)
	facts := graph.NewTripleSet(g.Undirected(), g.Triples())
	batch, _ := start(t, small(energy.DistMult), g)
	d := batch.(*drawnFalse)
	heads := 0
	for i := range d.end {
		list := d.now.list[i*d.width : (i+1)*d.width]
		for j, x := range list {
			f := graph.Triple{U: d.end[i], R: d.relation[i] / 2, V: x}
			if d.relation[i]%2 == 1 {
				f.U, f.V = f.V, f.U
				heads++
			}
			if j == 0 && !facts.Has(f) || j > 0 && x == list[0] {
				t.Errorf("entry %d of question %d: %v", j, i, f)
			}
		}
	}
	if heads*2 != len(d.now.list) {
		t.Errorf("%d of %d answers are heads, want half", heads, len(d.now.list))
	}
}

func TestSharedIsItsDefinition(t *testing.T) {
	g := smallGraph(t, 9, 2, 14)
	for _, m := range models {
		for _, cubic := range []bool{false, true} {
			t.Run(fmt.Sprintf("%#v/%v", m, cubic), func(t *testing.T) {
				c := small(m)
				c.Negatives.Shared, c.Loss, c.Penalty = 6, Softmax{}, Penalty{0.1, cubic}
				batch, model := start(t, c, g)
				s := batch.(*sharedFalse)
				compare(t, model, s.loss(c, read(s, model.H.Var), model.E.Var, new(ad.Clock)), func(n naive) float64 {
					loss, rows := 0.0, len(s.end)
					for i := range rows {
						q, answer := metric.Question{End: s.read.list[s.end[i]], Of: s.relation[i]},
							s.read.list[s.answer[i]]
						own := n.answer(q, answer)
						sum := math.Exp(own)
						for _, x := range s.list {
							sum += math.Exp(n.answer(q, s.read.list[x]))
						}
						loss += (math.Log(sum) - own + 0.1*n.size(q, answer)) / float64(rows)
					}
					return loss
				})
			})
		}
	}
}

// size is Σ|x|ᵖ over the rows of a question and its answer.
func (n naive) size(q metric.Question, answer int32) float64 {
	d, w := n.c.Dim, n.c.Model.Width(n.c.Dim)
	rows := [][]float64{n.h[int(q.End)*d : int(q.End+1)*d], n.h[int(answer)*d : int(answer+1)*d]}
	if r := int(q.Of / 2); w == d {
		rows = append(rows, n.e[r*w:(r+1)*w])
	}
	sum := 0.0
	for _, x := range rows {
		for i := range x {
			switch k := d / 2; {
			case !n.c.Penalty.Cubic:
				sum += x[i] * x[i]
			case !n.c.complex():
				sum += math.Pow(math.Abs(x[i]), 3)
			case i < k:
				sum += math.Pow(math.Hypot(x[i], x[k+i]), 3)
			}
		}
	}
	return sum
}

func TestEverythingIsItsDefinition(t *testing.T) {
	g := smallGraph(t, 9, 2, 60) // dense: questions have several answers
	for _, m := range models {
		t.Run(fmt.Sprintf("%#v", m), func(t *testing.T) {
			c := small(m)
			c.Against = Everything
			batch, model := start(t, c, g)
			v := batch.(*againstAll)
			compare(t, model, v.loss(c, model.H.Var, model.E.Var, new(ad.Clock)), func(n naive) float64 {
				loss := 0.0
				for _, id := range v.batch(1) {
					a := v.all[id]
					sum, own := 0.0, 0.0
					for x := range g.NumNodes() {
						sum += math.Exp(n.answer(a.Question, int32(x)))
					}
					for _, y := range a.answers {
						own += n.answer(a.Question, y) / float64(len(a.answers))
					}
					loss += (math.Log(sum) - own) / float64(v.size)
				}
				return loss
			})
		})
	}
}

// TestGroup: every fact stands in the list twice, once for either end, and no row has too many answers.
func TestGroup(t *testing.T) {
	g := smallGraph(t, 40, 1, 700)
	have := map[graph.Triple]int{}
	for _, a := range group(g) {
		if len(a.answers) == 0 || len(a.answers) > maxAnswers {
			t.Fatalf("%d answers in a row", len(a.answers))
		}
		for _, x := range a.answers {
			f := graph.Triple{U: a.End, R: a.Of / 2, V: x}
			if a.Of%2 == 1 {
				f.U, f.V = f.V, f.U
			}
			have[f]++
		}
	}
	for _, f := range g.Triples() {
		if have[f] != 2 {
			t.Errorf("%v stands %d times, want 2", f, have[f])
		}
		delete(have, f)
	}
	if len(have) > 0 {
		t.Errorf("%d triples that are no facts", len(have))
	}
}
