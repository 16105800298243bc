package main

import (
	"context"
	"math"
	"slices"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/internal/audit"
	"github.com/bloomgml/bloom/mat"
)

// measureAudit plants the fault that the row is named after in a tenth of the data set, by the seed of the run: it
// measures the precision among the top k for k planted faults, of the audit and of simple methods, and how well the
// audit estimates how many there are and which.
func measureAudit(_ context.Context, j job) (Outcome, error) {
	d := audit.Data{Graph: j.data.Graph, Rows: j.data.Features[0], Class: j.data.Labels.Class,
		Classes: len(j.data.Labels.Names)}
	fault, seed := j.cell.Row, j.config.Train.Seed
	got, err := audit.Trial(d, fault, seed)
	if err != nil {
		return Outcome{}, err
	}
	d, bad, err := audit.Plant(d, fault, audit.Planted, seed)
	if err != nil {
		return Outcome{}, err
	}
	others, err := suspicions(d, fault == audit.RandomEdges, seed)
	for method, score := range others {
		got[method] = audit.Precision(score, bad)
	}
	o := Outcome{Numbers: map[string]float64{}}
	for name, x := range got {
		o.Numbers[name] = 100 * x
	}
	return o, err
}

// suspicions say how likely every node, or every edge, is wrong, by methods that are not ours; larger is worse:
//
//	x           −log p(y) of a logistic regression on the row, five folds; of an edge −log Σ_c p_u(c) p_v(c)
//	neighbours  the same on the mean of the neighbours' rows
//	confidence  the same on the mean of rows over the node, its neighbours and theirs (SGC): a linear graph neural
//	            network, out of fold
//	cosine      −cos of the row and the neighbours' mean; of the two rows of an edge
//	norm        ‖x‖; of an edge ‖x_u − x_v‖²
//	adamic      of an edge: −Σ 1/log(1 + d) over common neighbours
func suspicions(d audit.Data, edges bool, seed uint64) (map[string][]float64, error) {
	x, bag, err := audit.Scaled(d.Rows)
	if err != nil {
		return nil, err
	}
	h, err := newHood(d.Graph)
	if err != nil {
		return nil, err
	}
	near, far, scale := h.mean(x), x, 5.0
	for range 2 {
		next := mat.New(x.Rows(), x.Cols())
		mat.Axpby(next, far, h.mean(far), 0.3, 0.7)
		far = next
	}
	if !bag {
		scale = math.Sqrt(float64(x.Cols()))
	} else {
		near, far = unitRows(near), unitRows(far)
	}
	p := map[string]*mat.Dense{}
	for name, z := range map[string]*mat.Dense{"x": x, "neighbours": near, "confidence": far} {
		if p[name], err = crossValidated(d, z, scale, seed); err != nil {
			return nil, err
		}
	}
	if edges {
		return h.ofEdges(d.Graph, x, p), nil
	}
	return ofNodes(d, x, near, p), nil
}

// hood is D⁻¹A, without self loops.
type hood struct {
	graph.Pattern
	pattern *mat.Sparse
	weight  *mat.Dense
}

func newHood(g *graph.Graph) (h hood, err error) {
	var weight []mat.Real
	h.Pattern, weight = g.Normalize(graph.Left, graph.DropLoops)
	h.weight = mat.FromSlice(len(weight), 1, weight)
	h.pattern, err = mat.NewSparse(h.Rows, h.Rows, h.Ptr, h.Idx)
	return h, err
}

// mean returns D⁻¹A x, n×c.
func (h hood) mean(x *mat.Dense) *mat.Dense {
	y := mat.New(x.Rows(), x.Cols())
	mat.SpMM(y, h.pattern, false, h.weight, x, 1, 0)
	return y
}

// neighbours returns the nodes next to v, ascending.
func (h hood) neighbours(v int32) []int32 { return h.Idx[h.Ptr[v]:h.Ptr[v+1]] }

// unitRows returns x with rows of length 1; rows of zeros stay.
func unitRows(x *mat.Dense) *mat.Dense {
	v, k := x.Slice(), x.Cols()
	for row := range slices.Chunk(v, k) {
		size := mat.Real(max(math.Sqrt(inner32(row, row)), 1e-9))
		for j := range row {
			row[j] /= size
		}
	}
	return mat.FromSlice(x.Rows(), k, v)
}

// inner32 returns Σ a_i b_i, added in double precision.
func inner32(a, b []mat.Real) (sum float64) {
	for i, x := range a {
		sum += float64(x) * float64(b[i])
	}
	return sum
}

func cosineOf(a, b []mat.Real) float64 {
	return inner32(a, b) / max(math.Sqrt(inner32(a, a)*inner32(b, b)), 1e-12)
}

// rowsOf returns the rows of x on the host.
func rowsOf(x *mat.Dense) [][]mat.Real { return slices.Collect(slices.Chunk(x.Slice(), x.Cols())) }

// ofNodes returns the suspicions of nodes.
func ofNodes(d audit.Data, x, near *mat.Dense, p map[string]*mat.Dense) map[string][]float64 {
	out := map[string][]float64{}
	for name, q := range p {
		rows := rowsOf(q)
		for v, y := range d.Class {
			s := math.Inf(-1)
			if y >= 0 {
				s = -math.Log(float64(rows[v][y]) + 1e-12)
			}
			out[name] = append(out[name], s)
		}
	}
	own, mean := rowsOf(x), rowsOf(near)
	for v := range own {
		square := 0.0
		for _, value := range d.Rows.Entries(v) {
			square += float64(value) * float64(value)
		}
		out["cosine"] = append(out["cosine"], -cosineOf(own[v], mean[v]))
		out["norm"] = append(out["norm"], math.Sqrt(square))
	}
	return out
}

// ofEdges returns the suspicions of edges.
func (h hood) ofEdges(g *graph.Graph, x *mat.Dense, p map[string]*mat.Dense) map[string][]float64 {
	out := map[string][]float64{}
	from, to := g.Sources(), g.Targets()
	for name, q := range p {
		rows := rowsOf(q)
		for e, u := range from {
			out[name] = append(out[name], -math.Log(inner32(rows[u], rows[to[e]])+1e-12))
		}
	}
	rows := rowsOf(x)
	for e, u := range from {
		a, b := rows[u], rows[to[e]]
		adamic := 0.0
		for _, c := range h.neighbours(u) {
			if _, shared := slices.BinarySearch(h.neighbours(c), to[e]); shared {
				adamic += 1 / math.Log(1+float64(len(h.neighbours(c))))
			}
		}
		out["cosine"] = append(out["cosine"], -cosineOf(a, b))
		out["norm"] = append(out["norm"], inner32(a, a)+inner32(b, b)-2*inner32(a, b))
		out["adamic"] = append(out["adamic"], -adamic)
	}
	return out
}

// crossValidated returns probabilities of classes, n×classes, by logistic regressions on scale·z with ½‖W‖², each
// taught by four of five folds of the labelled nodes.
func crossValidated(d audit.Data, z *mat.Dense, scale float64, seed uint64) (*mat.Dense, error) {
	x, err := withOnes(z, mat.Real(scale))
	if err != nil {
		return nil, err
	}
	n := z.Rows()
	labels, fold := make([]int32, n), func(v int) uint64 { return mat.Mix(seed, uint64(v)) % 5 }
	out := make([]mat.Real, n*d.Classes)
	for k := range uint64(5) {
		var teach []int32
		for v, y := range d.Class {
			labels[v] = max(y, 0)
			if y >= 0 && fold(v) != k {
				teach = append(teach, int32(v))
			}
		}
		w, err := logistic(x, labels, teach, d.Classes, 1)
		if err != nil {
			return nil, err
		}
		q := ad.Eval(x.MatMul(ad.Const(w)).Softmax()).Slice()
		for v := range n {
			if fold(v) == k {
				copy(out[v*d.Classes:(v+1)*d.Classes], q[v*d.Classes:])
			}
		}
	}
	return mat.FromSlice(n, d.Classes, out), nil
}

// withOnes returns scale·z and a column of ones, sparse if most of it is 0.
func withOnes(z *mat.Dense, scale mat.Real) (input.Features, error) {
	k := z.Cols() + 1
	ptr, idx, val, all := []int64{0}, []int32{}, []mat.Real{}, make([]mat.Real, 0, z.Rows()*k)
	for _, row := range rowsOf(z) {
		for j, v := range row {
			if all = append(all, scale*v); v != 0 {
				idx, val = append(idx, int32(j)), append(val, scale*v)
			}
		}
		all, idx, val = append(all, 1), append(idx, int32(k-1)), append(val, 1)
		ptr = append(ptr, int64(len(idx)))
	}
	if 4*len(val) > len(all) {
		return input.Dense(mat.FromSlice(z.Rows(), k, all)), nil
	}
	s, err := mat.NewSparse(z.Rows(), k, ptr, idx)
	return input.Sparse(s, mat.FromSlice(len(val), 1, val)), err
}
