package ondisk

import (
	"slices"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/mat"
)

// Kept are the nodes whose rows are kept: the training nodes, and at most about Most validation and Most test nodes.
type Kept struct {
	Place []int32 // ascending
	Class []int32
	Part  []Part
	all   [4]int // number of nodes of every part
}

const defaultMost = 1 << 17

// Trains returns the number of training nodes, kept or not.
func (k *Kept) Trains() int { return k.all[Train] }

// count returns how many rows are kept, with the training nodes thinned or not.
func (k *Kept) count(thin bool) (n int) {
	for _, p := range k.Part {
		if thin || p != Train {
			n++
		}
	}
	if !thin {
		n += k.Trains()
	}
	return n
}

// Choose reads the labels twice: to count, and to choose. A part that is too large is thinned by a hash of the node,
// which is the same for every run with the same seed.
func Choose(s *Store, o SettleOptions) (*Kept, error) {
	if o.Split >= s.Splits {
		return nil, files.Errorf(s.Dir(), "split %d of %d", o.Split, s.Splits)
	}
	k, most := new(Kept), o.Most
	if most == 0 {
		most = defaultMost
	}
	err := k.each(s, o.Split, func(_ int32, _ int32, p Part) { k.all[p]++ })
	if err != nil {
		return nil, err
	}
	return k, k.each(s, o.Split, func(v, class int32, p Part) {
		share := float64(most) / float64(k.all[p])
		if p == Train && !o.Thin || float64(mat.Mix(o.Seed, uint64(v))>>11)/(1<<53) < share {
			k.Place, k.Class, k.Part = append(k.Place, v), append(k.Class, class), append(k.Part, p)
		}
	})
}

// each yields the nodes of a split.
func (k *Kept) each(s *Store, split int, yield func(v, class int32, p Part)) error {
	for i := range s.Blocks() {
		l, err := s.Labels(i)
		if err != nil {
			return err
		}
		first, _ := s.Rows(i)
		for r, p := range l.Parts[split] {
			if p != None {
				yield(int32(first+r), l.Class[r], p)
			}
		}
	}
	return nil
}

// Dataset returns the data set of the kept rows, with features x, which the descent of by has settled.
func (k *Kept) Dataset(s *Store, x []mat.Real, by dataset.Settled) (*dataset.Dataset, error) {
	g, err := graph.Build(graph.Spec{Nodes: len(k.Place), Undirected: true})
	if err != nil {
		return nil, err
	}
	d := &dataset.Dataset{Name: s.Name, Metric: s.Metric, Graph: g, Settled: by,
		Labels:   dataset.Labels{Class: k.Class, Names: slices.Clone(s.Classes)},
		Features: []dataset.Matrix{{Rows: len(k.Place), Cols: len(x) / max(1, len(k.Place)), Values: x}},
		Splits:   make([]dataset.Split, 1)}
	for i, p := range k.Part {
		p.AddTo(&d.Splits[0], int32(i))
	}
	if len(k.Place) < s.Nodes {
		d.Of = s.Nodes
	}
	names, err := s.Names(k.Place)
	d.IDs = dataset.NewIDs(names)
	return d, err
}
