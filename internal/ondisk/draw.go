package ondisk

import (
	"math/rand/v2"
	"slices"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/mat"
)

// NeighbourRows iterates over the neighbours of nodes in order, some nodes at a time: idx[ptr[r]:ptr[r+1]] are the
// neighbours of node first + r. A graph on disk is then read from one end to the other, skipping ranges of nodes, from
// first to before end, for which wanted returns false.
type NeighbourRows func(wanted func(first, end int) bool, yield func(first int, ptr []int64, idx []int32) error) error

// SamplePart is the subgraph that one step trains on.
type SamplePart struct {
	Nodes []int32 // ascending
	Seeds []int32 // positions of the nodes of the batch in Nodes, ascending
}

// Batches are nodes divided into mini-batches, around which parts are drawn.
type Batches struct {
	SampleOptions
	list  []member // the nodes
	all   []member // the nodes of whole parts if they are clusters; nil if neighbours are drawn
	count int
	seed  uint64
	anew  bool
}

// Divide divides seeds into batches of nearly equal size at random.
func Divide(seeds []int32, o SampleOptions, seed uint64) *Batches {
	b := newBatches(len(seeds), o, seed)
	rng := rand.New(rand.NewPCG(seed, uint64(len(seeds))))
	order := rng.Perm(len(seeds))
	for i, v := range seeds {
		b.list[i] = memberOf(v, int32(order[i]*b.count/len(seeds)))
	}
	slices.Sort(b.list)
	return b
}

// InOrder divides the first n nodes into batches of consecutive nodes.
func InOrder(n int, o SampleOptions, seed uint64) *Batches {
	b := newBatches(n, o, seed)
	for v := range n {
		b.list[v] = memberOf(int32(v), int32(v*b.count/n))
	}
	return b
}

func newBatches(n int, o SampleOptions, seed uint64) *Batches {
	return &Batches{SampleOptions: o, list: make([]member, n), count: (n + o.Batch - 1) / o.Batch, seed: seed}
}

// Len returns the number of batches.
func (b *Batches) Len() int { return b.count }

// Anew reports whether the same clusters can be dealt to different batches.
func (b *Batches) Anew() bool { return b.anew }

// DrawParts samples neighbours for the batches from first to before end: up to Fanout neighbours of every node that was
// added last, Hops times (Hamilton et al. 2017). A part is meant to have all edges between its nodes (Zeng et al.
// 2021), so nodes at its rim have neighbours too. The result depends on seed and node only, however rows are cut and
// batches are requested. Draw holds 16 bytes for every node of every part. If most is not 0 and all parts together have
// more nodes, it gives up and returns no parts.
func (b *Batches) DrawParts(rows NeighbourRows, first, end, most int) ([]SamplePart, error) {
	seeds := between(b.list, first, end)
	if b.all != nil {
		return cut(seeds, between(b.all, first, end), first, end, most), nil
	}
	all, last := seeds, seeds
	for hop := range b.Hops {
		next, err := around(rows, last, b.Fanout, mat.Mix(b.seed, uint64(hop)))
		if err != nil {
			return nil, err
		}
		if all, last = join(all, next); most > 0 && len(all) > most {
			return nil, nil
		}
	}
	return cut(seeds, all, first, end, most), nil
}

// between returns the members of the parts from first to before end.
func between(list []member, first, end int) []member {
	var some []member
	for _, c := range list {
		if i := int(c.part()); first <= i && i < end {
			some = append(some, c)
		}
	}
	return some
}

// cut returns the parts from first to before end with all these nodes; nil if there are more than most.
func cut(seeds, all []member, first, end, most int) []SamplePart {
	if most > 0 && len(all) > most {
		return nil
	}
	parts := make([]SamplePart, end-first)
	for _, c := range all {
		p := &parts[int(c.part())-first]
		p.Nodes = append(p.Nodes, c.node())
	}
	for _, c := range seeds {
		p := &parts[int(c.part())-first]
		at, _ := slices.BinarySearch(p.Nodes, c.node())
		p.Seeds = append(p.Seeds, int32(at))
	}
	return parts
}

// member is a node in a part; members sort by node.
type member uint64

func memberOf(node, part int32) member {
	return member(uint64(uint32(node))<<32 | uint64(uint32(part)))
}

func (m member) node() int32 { return int32(m >> 32) }
func (m member) part() int32 { return int32(uint32(m)) }

// around returns the neighbours sampled for the members of a list, in order.
func around(rows NeighbourRows, list []member, fanout int, seed uint64) ([]member, error) {
	var found []member
	at, drawn := 0, make([]int, 0, fanout)
	wanted := func(_, end int) bool { return at < len(list) && int(list[at].node()) < end }
	err := rows(wanted, func(first int, ptr []int64, idx []int32) error {
		for ; at < len(list) && int(list[at].node()) < first+len(ptr)-1; at++ {
			r := int(list[at].node()) - first
			near := idx[ptr[r]:ptr[r+1]]
			drawn = some(drawn[:0], len(near), fanout, mat.Mix(seed, uint64(list[at])))
			for _, i := range drawn {
				found = append(found, memberOf(near[i], list[at].part()))
			}
		}
		return nil
	})
	slices.Sort(found)
	return slices.Compact(found), err
}

// some returns k of the numbers below n, or all of them, by Floyd's method.
func some(dst []int, n, k int, seed uint64) []int {
	for j := max(0, n-k); j < n; j++ {
		x := j
		if n > k {
			x = int(mat.Mix(seed, uint64(j)) % uint64(j+1))
		}
		if slices.Contains(dst, x) {
			x = j
		}
		dst = append(dst, x)
	}
	return dst
}

// join returns the union of two sorted lists, and the members of b that are not in a.
func join(a, b []member) (all, fresh []member) {
	all = make([]member, 0, len(a)+len(b))
	i := 0
	for _, m := range b {
		for ; i < len(a) && a[i] < m; i++ {
			all = append(all, a[i])
		}
		if i == len(a) || a[i] != m {
			all, fresh = append(all, m), append(fresh, m)
		}
	}
	return append(all, a[i:]...), fresh
}

// SampleOptions say how parts are drawn and tied: config.Sample, which describes them.
type SampleOptions struct {
	Batch      int     // training nodes per part
	Accumulate int     // parts per step of the optimiser
	Clusters   int     // number of clusters, dealt to parts again in every epoch; 0 draws neighbours around nodes
	Fanout     int     // neighbours drawn per node
	Hops       int     // number of rounds of drawing neighbours
	Gamma      float64 // of γ/2 ‖h_v − μ_v‖², which ties a node to its mean over parts; 0 for none
	Forget     float64 // ρ: when a part has descended, μ ← ρ μ + (1 − ρ) h
}

// Means are μ: for every node of a graph the mean of what it is in the parts that it is in, so that the descents of
// all parts s are one (Jiang et al. 2024, "MuseGNN: Interpretable and Convergent Graph Neural Network Layers at
// Scale"),
//
//	min over all H_s and μ of  Σ_s [ ℓ_low(H_s) + γ/2 Σ_v∈s ‖h_sv − μ_v‖² ]
//
// Every part descends while μ is held, and then moves it, μ ← ρ μ + (1 − ρ) h. A node that has no mean yet is pulled
// nowhere.
type Means struct {
	gamma, forget float64
	mean          *ad.Param // n×d
	known         *ad.Param // n×1: 1 if the node has a mean
}

// NewMeans returns the means of n nodes, d columns wide; no node has a mean yet.
func NewMeans(n, d int, o SampleOptions) *Means {
	return &Means{gamma: o.Gamma, forget: o.Forget, mean: ad.NewParam("sample.mean", mat.New(n, d)),
		known: ad.NewParam("sample.known", mat.New(n, 1))}
}

// State returns the parameters that a checkpoint must hold.
func (m *Means) State() []*ad.Param { return []*ad.Param{m.mean, m.known} }

// Tie returns γ/2 ‖h_v − μ_v‖² of the part whose nodes are rows.
func (m *Means) Tie(rows *mat.Index) energy.NodeTerm {
	return energy.WeightedNodes(energy.ToTarget(energy.HalfSquared, m.mean.Gather(rows)),
		m.known.Gather(rows).Scale(m.gamma))
}

// Follow updates the means of rows with h, the result of a descent.
func (m *Means) Follow(u *input.Updates, rows *mat.Index, h ad.Var) {
	keep := m.known.Gather(rows).Scale(m.forget)
	mean := m.mean.Gather(rows).Mul(keep).Add(ad.Stop(h).Mul(keep.Neg().Shift(1)))
	u.Follow(m.mean, rows, mean)
	u.Follow(m.known, rows, ad.Fill(mat.Shape{Rows: rows.Len(), Cols: 1}, 1))
}
