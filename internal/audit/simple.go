package audit

import (
	"math"

	"github.com/bloomgml/bloom/mat"
)

// simple are the methods that an audit is compared with, each a suspicion of every node or edge.
//
//	x           −log p(y) of a logistic regression on the row, five folds; of an edge −log Σ_c p_u(c) p_v(c)
//	neighbours  the same on the mean of the neighbours' rows
//	confidence  the same on the mean of rows over the node, its neighbours and theirs (SGC): a linear graph neural
//	            network, out of fold
//	cosine      −cos of the row and the neighbours' mean; of the two rows of an edge
//	norm        ‖x‖; of an edge ‖x_u − x_v‖
//	adamic      of an edge: −Σ 1/log d over common neighbours
func simple(d Data, fault string, seed uint64) (map[string][]float64, error) {
	w, err := newWorld(d, Options{})
	if err != nil {
		return nil, err
	}
	x, scale := host(w.scaled.times(host(mat.Eye(d.Rows.Cols)), mat.NN).dense()), mat.Real(5)
	if !w.columns.bag {
		scale = mat.Real(math.Sqrt(float64(d.Rows.Cols)))
	}
	near, h := w.hood.average(x), x
	for range 2 {
		h = mixed(h, w.hood.average(h), 0.3)
	}
	if w.columns.bag {
		near, h = near.unit(), h.unit()
	}
	p := map[string]numbers{}
	for name, z := range map[string]numbers{"x": x, "neighbours": near, "confidence": h} {
		if p[name], err = crossValidated(d, z, scale, seed); err != nil {
			return nil, err
		}
	}
	if fault == added {
		return edgeScores(w, x, p), nil
	}
	return nodeScores(w, x, near, p), nil
}

// nodeScores are the suspicions of nodes.
func nodeScores(w *world, x, near numbers, p map[string]numbers) map[string][]float64 {
	out := map[string][]float64{}
	for name, q := range p {
		for v, y := range w.Class {
			s := math.Inf(-1)
			if y >= 0 {
				s = -math.Log(float64(q.at(v)[y]) + 1e-12)
			}
			out[name] = append(out[name], s)
		}
	}
	var r row
	for v := range w.n {
		w.columns.read(&r, v)
		out["cosine"] = append(out["cosine"], -cosine(x.at(v), near.at(v)))
		out["norm"] = append(out["norm"], r.norm())
	}
	return out
}

// mixed is a x + (1 − a) y.
func mixed(x, y numbers, a mat.Real) numbers {
	z := newNumbers(x.rows, x.cols)
	for i := range z.v {
		z.v[i] = a*x.v[i] + (1-a)*y.v[i]
	}
	return z
}

// edgeScores are the suspicions of edges.
func edgeScores(w *world, x numbers, p map[string]numbers) map[string][]float64 {
	out := map[string][]float64{}
	from, to := w.Graph.Sources(), w.Graph.Targets()
	for e := range from {
		u, v := int(from[e]), int(to[e])
		for name, q := range p {
			out[name] = append(out[name], -math.Log(dot(q.at(u), q.at(v))+1e-12))
		}
		a, b := x.at(u), x.at(v)
		out["cosine"] = append(out["cosine"], -cosine(a, b))
		out["norm"] = append(out["norm"], dot(a, a)+dot(b, b)-2*dot(a, b))
		adamic := 0.0
		for _, c := range w.hood.of(from[e]) {
			if w.hood.linked(c, to[e]) {
				adamic += 1 / math.Log(1+float64(w.hood.degree(c)))
			}
		}
		out["adamic"] = append(out["adamic"], -adamic)
	}
	return out
}
