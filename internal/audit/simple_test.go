package audit

import (
	"math"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/optim"
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
func simple(t *testing.T, d Data, fault string, seed uint64) map[string][]float64 {
	t.Helper()
	w, err := newWorld(d, Options{})
	if err != nil {
		t.Fatal(err)
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
	out, p := map[string][]float64{}, map[string]numbers{}
	for name, z := range map[string]numbers{"x": x, "neighbours": near, "confidence": h} {
		p[name] = crossValidated(t, d, z, scale, seed)
	}
	if fault == added {
		edgeScores(out, w, x, p)
		return out
	}
	for name, q := range p {
		for v, y := range d.Class {
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

func mixed(x, y numbers, a mat.Real) numbers {
	z := newNumbers(x.rows, x.cols)
	for i := range z.v {
		z.v[i] = a*x.v[i] + (1-a)*y.v[i]
	}
	return z
}

// edgeScores are the suspicions of edges.
func edgeScores(out map[string][]float64, w *world, x numbers, p map[string]numbers) {
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
}

// crossValidated are probabilities of classes by multinomial logistic regressions with ½‖W‖² beside the sum of cross
// entropies, each on four of five folds of the labelled nodes.
func crossValidated(t *testing.T, d Data, z numbers, scale mat.Real, seed uint64) numbers {
	t.Helper()
	x := featuresOf(t, z, scale)
	p := newNumbers(z.rows, d.Classes)
	labels := make([]int32, z.rows)
	for fold := range uint64(5) {
		var teach []int32
		for v, y := range d.Class {
			labels[v] = max(y, 0)
			if y >= 0 && mat.Mix(seed, uint64(v))%5 != fold {
				teach = append(teach, int32(v))
			}
		}
		q := logistic(t, x, labels, teach, d.Classes)
		for v := range z.rows {
			if mat.Mix(seed, uint64(v))%5 == fold {
				copy(p.at(v), q.at(v))
			}
		}
	}
	return p
}

// featuresOf is scale·z, sparse where most of it is 0.
func featuresOf(t *testing.T, z numbers, scale mat.Real) input.Features {
	t.Helper()
	ptr, idx, val, all := []int64{0}, []int32{}, []mat.Real{}, newNumbers(z.rows, z.cols)
	for i := range z.rows {
		for k, v := range z.at(i) {
			if all.at(i)[k] = scale * v; v != 0 {
				idx, val = append(idx, int32(k)), append(val, scale*v)
			}
		}
		ptr = append(ptr, int64(len(idx)))
	}
	if 4*len(val) > len(z.v) {
		return input.Dense(all.dense())
	}
	s, err := mat.NewSparse(z.rows, z.cols, ptr, idx)
	if err != nil {
		t.Fatal(err)
	}
	return input.Sparse(s, mat.FromSlice(len(val), 1, val))
}

// logistic is a logistic regression taught by some rows, and its probabilities for all.
func logistic(t *testing.T, x input.Features, labels, teach []int32, classes int) numbers {
	t.Helper()
	net := input.NewLinear("w", x.Shape().Cols, classes, 1)
	z := net.Forward(input.Evaluation(), x)
	loss := z.CrossEntropy(mat.MustIndex(labels, classes), mat.MustIndex(teach, x.Shape().Rows))
	params := net.Params()
	vars := make([]ad.Var, len(params))
	for i, p := range params {
		vars[i] = p.Var
	}
	grads := ad.Grad(loss, vars...)
	program := ad.Compile(append([]ad.Var{loss, z.Softmax()}, grads...)...)
	o, err := optim.New(optim.Config{Rate: 0.1, Schedule: "cosine", Decay: 1 / float64(len(teach))}, params, nil)
	if err != nil {
		t.Fatal(err)
	}
	values := make([]*mat.Dense, len(grads))
	const steps = 80
	for s := range steps {
		if err := program.Run(); err != nil {
			t.Fatal(err)
		}
		for i, g := range grads {
			values[i] = program.Value(g)
		}
		o.Step(values, o.RateAt(float64(s), steps))
	}
	q := z.Softmax()
	last := ad.Compile(q)
	if err := last.Run(); err != nil {
		t.Fatal(err)
	}
	return host(last.Value(q))
}
