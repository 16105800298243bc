package ad

import "github.com/bloomgml/bloom/mat"

// spmm is S·x or Sᵀ·x; the second input, if there is one, holds the values of S.
type spmm struct {
	s         *mat.Sparse
	transpose bool
	alpha     mat.Real
}

func (spmm) Name() string  { return "spmm" }
func (o spmm) timed() bool { return o.s.Batch() }

func (o spmm) Shapes(in []mat.Shape) []mat.Shape {
	s := o.s.Shape()
	if o.transpose {
		s.Rows, s.Cols = s.Cols, s.Rows
	}
	if s.Cols != in[0].Rows {
		panicShapes("Propagate", s, in[0])
	}
	return []mat.Shape{{Rows: s.Rows, Cols: in[0].Cols}}
}

func (o spmm) Eval(out, in []*mat.Dense)    { o.run(out, in, 0) }
func (o spmm) EvalAdd(out, in []*mat.Dense) { o.run(out, in, 1) }
func (o spmm) scaled(c mat.Real) Op         { return spmm{o.s, o.transpose, c * o.alpha} }

func (o spmm) run(out, in []*mat.Dense, beta mat.Real) {
	mat.SpMM(out[0], o.s, o.transpose, values(in), in[0], o.alpha, beta)
}

// values returns the values of the entries, nil if all are 1.
func values(in []*mat.Dense) *mat.Dense {
	if len(in) > 1 {
		return in[1]
	}
	return nil
}

// copier is a Device whose sparse products may gather rows from a copy of x. SpMMCopies returns the bytes per number of
// the copy, 0 if there is no copy.
type copier interface {
	SpMMCopies(dst *mat.Dense, s *mat.Sparse, transpose bool, val, x *mat.Dense) int
}

// work counts a copy as written once, and the bytes of its rows instead of the bytes of the rows of x.
func (o spmm) work(out, in []*mat.Dense) work {
	w, x := gathering(out, in, o.s, 1), in[0]
	if d, ok := x.Device().(copier); ok {
		if b := d.SpMMCopies(out[0], o.s, o.transpose, values(in), x); b > 0 {
			row := float64(x.Bytes() / max(1, x.Rows()))
			copied := float64(b * x.Cols())
			w.bytes += float64(x.Rows())*copied + float64(o.s.NNZ())*(copied-row)
		}
	}
	return w
}

func (o spmm) VJP(in, out, gs []Var) []Var {
	x, g := in[0], gs[0].scale(o.alpha)
	back := !o.transpose
	if len(in) == 1 {
		return []Var{propagate(o.s, back && !o.s.Symmetric(), Var{}, g)}
	}
	left, right := g, x
	if o.transpose {
		left, right = x, g
	}
	return []Var{propagate(o.s, back, in[1], g), SampledDot(o.s, left, right)}
}

// Propagate returns S·x: row i is the sum of the rows of x that row i of S lists, times val, NNZ×1, of the entry. Where
// val is the zero Var the entries are ones.
func Propagate(s *mat.Sparse, val, x Var) Var { return propagate(s, false, val, x) }

// PropagateT returns Sᵀ·x.
func PropagateT(s *mat.Sparse, val, x Var) Var { return propagate(s, true, val, x) }

func propagate(s *mat.Sparse, transpose bool, val, x Var) Var {
	if val.IsZero() {
		return apply1(spmm{s, transpose, 1}, x)
	}
	return apply1(spmm{s, transpose, 1}, x, val)
}

// sddmm is x·yᵀ at the entries of S.
type sddmm struct{ s *mat.Sparse }

func (o sddmm) timed() bool                    { return o.s.Batch() }
func (sddmm) Name() string                     { return "sddmm" }
func (o sddmm) Shapes([]mat.Shape) []mat.Shape { return []mat.Shape{{Rows: o.s.NNZ(), Cols: 1}} }
func (o sddmm) Eval(out, in []*mat.Dense)      { mat.SDDMM(out[0], o.s, in[0], in[1]) }
func (o sddmm) work(out, in []*mat.Dense) work { return gathering(out, in, o.s, 1) }
func (o sddmm) VJP(in, out, g []Var) []Var {
	return []Var{Propagate(o.s, g[0], in[1]), PropagateT(o.s, g[0], in[0])}
}

// SampledDot is, for every entry of S, the inner product of its row of x and its column's row of y.
func SampledDot(s *mat.Sparse, x, y Var) Var { return apply1(sddmm{s}, x, y) }

// gather picks rows.
type gather struct{ idx *mat.Index }

func (o gather) timed() bool                   { return o.idx.Batch() }
func (gather) Name() string                    { return "gather" }
func (o gather) Eval(out, in []*mat.Dense)     { mat.Gather(out[0], in[0], o.idx) }
func (o gather) VJP(in, out, g []Var) []Var    { return []Var{g[0].SegmentSum(o.idx)} }
func (o gather) work(out, _ []*mat.Dense) work { return entrywise(out, out) }
func (o gather) Shapes(in []mat.Shape) []mat.Shape {
	if in[0].Rows != o.idx.Bound() {
		panicShapes("Gather", in[0], mat.Shape{Rows: o.idx.Bound(), Cols: in[0].Cols})
	}
	return []mat.Shape{{Rows: o.idx.Len(), Cols: in[0].Cols}}
}

// Gather returns the matrix whose row i is row idx[i] of v.
func (v Var) Gather(idx *mat.Index) Var { return apply1(gather{idx}, v) }

// segment adds rows up by number.
type segment struct {
	idx   *mat.Index
	alpha mat.Real
}

func (o segment) timed() bool                  { return o.idx.Batch() }
func (segment) Name() string                   { return "segment" }
func (o segment) Eval(out, in []*mat.Dense)    { mat.SegmentSum(out[0], in[0], o.idx, o.alpha, 0) }
func (o segment) EvalAdd(out, in []*mat.Dense) { mat.SegmentSum(out[0], in[0], o.idx, o.alpha, 1) }
func (o segment) scaled(c mat.Real) Op         { return segment{o.idx, c * o.alpha} }
func (o segment) VJP(in, out, g []Var) []Var   { return []Var{g[0].Gather(o.idx).scale(o.alpha)} }
func (o segment) Shapes(in []mat.Shape) []mat.Shape {
	if in[0].Rows != o.idx.Len() {
		panicShapes("SegmentSum", in[0], mat.Shape{Rows: o.idx.Len(), Cols: in[0].Cols})
	}
	return []mat.Shape{{Rows: o.idx.Bound(), Cols: in[0].Cols}}
}

// SegmentSum returns the matrix whose row k is the sum of the rows i of v with idx[i] = k.
func (v Var) SegmentSum(idx *mat.Index) Var { return apply1(segment{idx, 1}, v) }
