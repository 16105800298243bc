package kg

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// poolSize is the default number of false answers that new entities share.
const poolSize = 128

// Settle says how new entities find their place.
type Settle struct {
	L         int     // steps; 0 means 10, and a negative number none, which leaves new entities at their start
	Gamma     float64 // γ of AdaGrad; 0 means 0.1
	Negatives int     // how many false answers all questions share; 0 means 128
	Seed      uint64  // of what is false
}

// algorithm returns the algorithm of a bilevel model if its config names one, or AdaGrad with step size Gamma.
func (s Settle) algorithm(b *Bilevel) descent.Algorithm {
	if b != nil && b.A != nil {
		return b.A
	}
	return descent.AdaGrad(descent.Fixed(s.Gamma), nil)
}

// filled returns s with defaults instead of zeros, given the default of Negatives.
func (s Settle) filled(negatives int) Settle {
	s.L = max(0, cmp.Or(s.L, 10))
	s.Gamma, s.Negatives = cmp.Or(s.Gamma, 0.1), cmp.Or(s.Negatives, negatives)
	return s
}

// Added holds what Add was given.
type Added struct {
	Entities int      // new ones
	Facts    int      // about a new entity
	Idle     int      // facts between old entities, which change nothing
	Alone    []string // new entities without a fact; they stay at their start
}

// Add embeds entities that training has not seen, without training: relations and old entities stay as they are, and
// the new ones take L steps of descent on the loss of their facts, with κ and η of a bilevel model, see moving.
//
// names name the new entities, whose
// numbers follow the old ones. The result is a new model; m stays as it is.
func (m *Model) Add(names []string, facts []graph.Triple, how Settle) (*Model, *Added, error) {
	mine, report, err := m.sift(names, facts)
	if err != nil {
		return nil, nil, err
	}
	out := *m
	out.Entities = m.names(names)
	out.H = ad.NewParam("entities", m.starts(m.H.Rows()+len(names)))
	out.Seen = append(slices.Clone(m.Seen), make([]bool, len(names))...)
	for _, t := range mine {
		out.Seen[t.U], out.Seen[t.V] = true, true
	}
	_, additive := m.Config.Loss.(Additive)
	switch {
	case len(mine) == 0:
		return &out, report, nil
	case !additive:
		return nil, nil, &Bad{"loss", fmt.Sprintf("%T", m.Config.Loss),
			"is not a sum over facts, so new entities cannot be placed by it"}
	}
	return &out, report, out.settle(mine, m.H.Rows(), how.filled(poolSize))
}

// sift checks the facts, counts them, and returns those about new entities.
func (m *Model) sift(names []string, facts []graph.Triple) ([]graph.Triple, *Added, error) {
	old := int32(m.H.Rows())
	r := &Added{Entities: len(names)}
	touched := make([]bool, len(names))
	var mine []graph.Triple
	for i, t := range facts {
		for _, v := range []int32{t.U, t.V} {
			if v < 0 || int(v) >= int(old)+len(names) {
				return nil, nil, fmt.Errorf("kg: fact %d: entity %d is not in [0, %d)", i, v, int(old)+len(names))
			}
			if v >= old {
				touched[v-old] = true
			}
		}
		if t.R < 0 || int(t.R) >= m.numRelations() {
			return nil, nil, fmt.Errorf("kg: fact %d: relation %d is not in [0, %d)", i, t.R, m.numRelations())
		}
		if t.U < old && t.V < old {
			r.Idle++
			continue
		}
		mine = append(mine, t)
	}
	r.Facts = len(mine)
	for i, is := range touched {
		if !is {
			r.Alone = append(r.Alone, names[i])
		}
	}
	return mine, r, nil
}

// names returns the names of old and new entities.
func (m *Model) names(more []string) dataset.IDs {
	all := make([]string, 0, m.H.Rows()+len(more))
	for v := range m.H.Rows() {
		all = append(all, m.Entities.At(int32(v)))
	}
	return dataset.NewIDs(append(all, more...))
}

// starts returns H of n entities: the old rows, and new ones where the descent begins. That is the shared start of
// Bilevel with its noise; for an ordinary model it is the mean of its entities.
func (m *Model) starts(n int) *mat.Dense {
	old, d := m.H.Rows(), m.H.Cols()
	rows := make([]mat.Real, n*d)
	m.H.Value().Read(rows[:old*d])
	var base []mat.Real
	var noise []mat.Real
	if m.Start != nil {
		base, noise = m.Start.Value().Slice(), m.noise(n).Slice()
	} else {
		mean := mat.New(1, d)
		mat.SumRows(mean, m.H.Value())
		mat.Affine(mean, mean, mat.Real(1/float64(max(1, old))), 0)
		base, noise = mean.Slice(), make([]mat.Real, n*d)
	}
	for i := old * d; i < n*d; i++ {
		rows[i] = base[i%d] + noise[i]
	}
	return mat.FromSlice(n, d, rows)
}

// settle lets the rows from old on find their place by the given facts.
func (m *Model) settle(facts []graph.Triple, old int, how Settle) error {
	list := make([]int32, m.H.Rows()-old)
	for i := range list {
		list[i] = int32(old + i)
	}
	return newMoving(m, facts, list, how.Negatives, mat.Mix(how.Seed, 12)).settle(how.algorithm(m.Config.Bilevel),
		how.L)
}

// Resettled returns the model with entities that have seen only the facts of g, which has the same entities: relations
// stay, and all entities settle again, by the steps of the lower level of a bilevel model, or block by block as new
// ones do, see Add. With a g that lacks some facts of training it shows how the model would score them without having
// seen them.
func (m *Model) Resettled(g *graph.Graph) (*Model, error) {
	out, b := *m, m.Config.Bilevel
	out.H = ad.NewParam(m.H.Name, mat.New(m.H.Rows(), m.H.Cols()))
	mat.Copy(out.H.Value(), m.H.Value())
	switch {
	case b != nil && b.Block == 0:
		return &out, out.descendAll(g)
	case b == nil:
		how := Settle{}.filled(poolSize)
		out.Config.Bilevel = &Bilevel{L: how.L, Gamma: how.Gamma, Negatives: how.Negatives, Block: 256}
	}
	err := newBlocks(&out, g).sweep(evaluation)
	out.Config = m.Config
	return &out, err
}
