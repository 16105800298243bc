package ad

import "github.com/bloomgml/bloom/mat"

// softmax turns every row into probabilities, or their logarithms.
type softmax struct{ log bool }

func (softmax) Name() string                      { return "softmax" }
func (softmax) InPlace() int                      { return 1 }
func (softmax) Shapes(in []mat.Shape) []mat.Shape { return in }
func (o softmax) Eval(out, in []*mat.Dense)       { mat.Softmax(out[0], in[0], o.log) }

// VJP. With p = softmax(x): of p, p∘(g − Σ_j g∘p); of log p, g − p∘Σ_j g.
func (o softmax) VJP(in, out, g []Var) []Var {
	if o.log {
		return []Var{g[0].Sub(in[0].Softmax().Mul(g[0].SumCols()))}
	}
	return []Var{out[0].Mul(g[0].Sub(out[0].RowDot(g[0])))}
}

// Softmax returns exp(v) divided by its sum, row by row.
func (v Var) Softmax() Var { return apply1(softmax{}, v) }

// LogSoftmax returns the logarithm of Softmax.
func (v Var) LogSoftmax() Var { return apply1(softmax{log: true}, v) }

// crossEntropy is the mean over pick of −log softmax(x)[label].
type crossEntropy struct{ labels, pick *mat.Index }

func (o crossEntropy) timed() bool                  { return o.labels.Batch() || o.pick != nil && o.pick.Batch() }
func (crossEntropy) Name() string                   { return "crossentropy" }
func (crossEntropy) Shapes([]mat.Shape) []mat.Shape { return []mat.Shape{{Rows: 1, Cols: 1}} }
func (o crossEntropy) Eval(out, in []*mat.Dense)    { mat.CrossEntropy(out[0], in[0], o.labels, o.pick) }
func (o crossEntropy) VJP(in, out, g []Var) []Var {
	return []Var{apply1(crossEntropyGrad(o), in[0]).Mul(g[0])}
}

// CrossEntropy returns the mean of −log softmax(v[i,:])[labels[i]] over the rows i in pick, over all
// rows where pick is nil. labels has one class per row of v.
func (v Var) CrossEntropy(labels, pick *mat.Index) Var { return apply1(crossEntropy{labels, pick}, v) }

// crossEntropyGrad is the derivative of crossEntropy: (softmax(x) − onehot)/m on picked rows.
type crossEntropyGrad struct{ labels, pick *mat.Index }

func (o crossEntropyGrad) timed() bool                     { return crossEntropy(o).timed() }
func (crossEntropyGrad) Name() string                      { return "crossentropy′" }
func (crossEntropyGrad) Shapes(in []mat.Shape) []mat.Shape { return in }
func (o crossEntropyGrad) Eval(out, in []*mat.Dense) {
	mat.CrossEntropyGrad(out[0], in[0], o.labels, o.pick)
}

// VJP applies the Jacobian of softmax on picked rows; the constant onehot drops out.
func (o crossEntropyGrad) VJP(in, out, g []Var) []Var {
	rows := in[0]
	if o.pick == nil {
		return []Var{VJP(rows.Softmax(), g[0], rows)[0].Scale(1 / float64(rows.Rows()))}
	}
	picked := rows.Gather(o.pick)
	d := VJP(picked.Softmax(), g[0].Gather(o.pick), picked)[0]
	return []Var{d.Scale(1 / float64(o.pick.Len())).SegmentSum(o.pick)}
}
