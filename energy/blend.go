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
	return s.outs.get(func() blends {
		q := s.tally(s.Graph.Out())
		b := blends{pairs: q.pairs(s)}
		if s.Graph.Weights() == nil && s.own.IsZero() {
			b.profiles = q.profiles()
		}
		return b
	}).forColumns(d)
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
	b := inGroups(nodes, q.Rows)
	b.share = q.values(s).Gather(mat.MustIndex(slices.Concat(entries...), len(q.Idx)))
	return b
}

// profiles has a row for every node with edges; a group is the nodes with the same c.
func (q tally) profiles() blend {
	count := make([]mat.Real, len(q.Idx))
	for _, i := range q.entry {
		count[i]++
	}
	var groups [][]int32
	at, ptr, idx, values := map[string]int{}, []int64{0}, []int32(nil), []mat.Real(nil) // of mix, a row for every group
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
			idx, values = append(idx, q.Idx[a:b]...), append(values, count[a:b]...)
			ptr = append(ptr, int64(len(idx)))
		}
		groups[k] = append(groups[k], int32(v))
	}
	b := inGroups(groups, q.Rows)
	b.mix = adjacency{sparse(len(groups), q.Cols, ptr, idx), column(values)}
	return b
}

// inGroups has the nodes of every group, below n, one group after the other.
func inGroups(nodes [][]int32, n int) blend {
	sizes := make([]int, len(nodes))
	for k, list := range nodes {
		sizes[k] = len(list)
	}
	return blend{nodes: mat.MustIndex(slices.Concat(nodes...), n), groups: mat.NewGroups(sizes...)}
}
