package energy

import (
	"encoding/binary"
	"slices"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/mat"
)

// blend multiplies the row of every node by the sum of the matrices of its edges' relations, each as often as it has
// such edges:
//
//	h_v ← h_v Σ_r c_vr G_r
//
// with c from a tally. It has one of two forms, with rows in groups that share a matrix.
type blend struct {
	nodes  *mat.Index // of the rows
	groups *mat.Groups
	mix    adjacency // groups×|R|, the c of a group; absent if group r has G_r itself
	share  ad.Var    // what a row counts for; absent for 1
}

// run returns the product for a stack of G_r.
func (b blend) run(h, g ad.Var) ad.Var {
	if b.mix.s != nil {
		g = stacked(b.mix.mul(flat(g)), g.Cols())
	}
	rows := h.Gather(b.nodes).GroupMatMul(b.groups, g, mat.NN)
	if !b.share.IsZero() {
		rows = rows.Mul(b.share)
	}
	return rows.SegmentSum(b.nodes)
}

// blends are the two forms of a blend: a row for every node and each of its relations, and a row for every node, nodes
// with the same c together. The second is absent if edges have weights, as no two nodes would have the same c.
type blends struct{ pairs, profiles blend }

// forColumns returns the form for d columns. The matrices of profiles are summed once for all steps, and take d²
// numbers each; the rows of pairs take d numbers at every step.
func (b blends) forColumns(d int) blend {
	if b.profiles.nodes != nil && d*b.profiles.groups.Len() <= 4*b.pairs.groups.Rows() {
		return b.profiles
	}
	return b.pairs
}

// blendOut counts the edges out of every node.
func (s *Structure) blendOut(d int) blend {
	return s.outs.get(func() blends { return s.blends(s.tally(s.Graph.Out())) }).forColumns(d)
}

func (s *Structure) blends(q tally) blends {
	b := blends{pairs: q.pairs(s)}
	if !s.weighted() {
		b.profiles = q.profiles(s)
	}
	return b
}

// pairs has a row for every entry of the tally, by relation.
func (q tally) pairs(s *Structure) blend {
	nodes, entries := make([][]int32, q.Cols), make([][]int32, q.Cols)
	for v := range q.Rows {
		for i := q.Ptr[v]; i < q.Ptr[v+1]; i++ {
			r := q.Idx[i]
			nodes[r], entries[r] = append(nodes[r], int32(v)), append(entries[r], int32(i))
		}
	}
	sizes := make([]int, q.Cols)
	for r := range sizes {
		sizes[r] = len(nodes[r])
	}
	return blend{nodes: mat.MustIndex(slices.Concat(nodes...), q.Rows), groups: mat.NewGroups(sizes...),
		share: q.values(s).Gather(mat.MustIndex(slices.Concat(entries...), len(q.Idx)))}
}

// profiles has a row for every node with edges; a group is the nodes with the same c.
func (q tally) profiles(s *Structure) blend {
	count := make([]mat.Real, len(q.Idx))
	for _, i := range q.entry {
		count[i]++
	}
	var groups [][]int32
	at, mix, values := map[string]int{}, graphRows{ptr: []int64{0}}, []mat.Real(nil)
	var key []byte
	for v := range q.Rows {
		a, b := q.Ptr[v], q.Ptr[v+1]
		if a == b {
			continue
		}
		key = key[:0]
		for i := a; i < b; i++ {
			key = binary.AppendUvarint(binary.AppendUvarint(key, uint64(q.Idx[i])), uint64(count[i]))
		}
		k, ok := at[string(key)]
		if !ok {
			k = len(groups)
			at[string(key)], groups = k, append(groups, nil)
			mix.add(q.Idx[a:b])
			values = append(values, count[a:b]...)
		}
		groups[k] = append(groups[k], int32(v))
	}
	sizes := make([]int, len(groups))
	for k := range sizes {
		sizes[k] = len(groups[k])
	}
	return blend{nodes: mat.MustIndex(slices.Concat(groups...), q.Rows), groups: mat.NewGroups(sizes...),
		mix: adjacency{sparse(len(groups), q.Cols, mix.ptr, mix.idx), column(values)}}
}

// graphRows are the rows of a pattern, one after the other.
type graphRows struct {
	ptr []int64
	idx []int32
}

func (g *graphRows) add(row []int32) {
	g.idx = append(g.idx, row...)
	g.ptr = append(g.ptr, int64(len(g.idx)))
}
