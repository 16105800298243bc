package ad

import "github.com/bloomgml/bloom/mat"

// relmm is Σ x[j,:]∘y[k,:] over triples, by their number in place `to`; x and y belong to the other
// two places, in order. Its derivatives are the same sum to the other places.
type relmm struct {
	t  *mat.Triples
	to int
}

func (relmm) Name() string                   { return "relmm" }
func (o relmm) timed() bool                  { return o.t.Batch() }
func (o relmm) Eval(out, in []*mat.Dense)    { mat.RelMM(out[0], o.t, o.to, in[0], in[1], 0) }
func (o relmm) EvalAdd(out, in []*mat.Dense) { mat.RelMM(out[0], o.t, o.to, in[0], in[1], 1) }

func (o relmm) Shapes(in []mat.Shape) []mat.Shape {
	p, q := o.others()
	for i, r := range [...]int{p, q} {
		want := mat.Shape{Rows: o.t.Bound(r), Cols: in[0].Cols}
		if in[i] != want {
			panicShapes("RelSum", in[i], want)
		}
	}
	return []mat.Shape{{Rows: o.t.Bound(o.to), Cols: in[0].Cols}}
}

// others returns the places that are not `to`, in order.
func (o relmm) others() (p, q int) { return [3]int{1, 0, 0}[o.to], [3]int{2, 2, 1}[o.to] }

func (o relmm) VJP(in, out, g []Var) []Var {
	p, q := o.others()
	var at [3]Var
	at[o.to], at[p], at[q] = g[0], in[0], in[1]
	return []Var{relSum(o.t, p, at), relSum(o.t, q, at)}
}

// relSum returns the sum to place `to`, of the matrices at the other two places.
func relSum(t *mat.Triples, to int, at [3]Var) Var {
	o := relmm{t, to}
	p, q := o.others()
	return apply1(o, at[p], at[q])
}

// RelSum returns the matrix whose row i is the sum of x[j,:]∘y[k,:] over the triples with i in place `to` and
// j and k, in order, in the other two. With triples (target, source, relation) and to = 0 it adds up
// DistMult messages without one row per edge.
func RelSum(t *mat.Triples, to int, x, y Var) Var { return apply1(relmm{t, to}, x, y) }

// relStats is sum, sum of squares, maximum, minimum and the places of these two, over messages x∘y, or with plus
// x + y.
type relStats struct {
	t    *mat.Triples
	plus bool
}

func (relStats) Name() string  { return "relstats" }
func (o relStats) timed() bool { return o.t.Batch() }

func (o relStats) Shapes(in []mat.Shape) []mat.Shape {
	s := relmm{o.t, 0}.Shapes(in)[0]
	return []mat.Shape{s, s, s, s, s, s}
}

func (o relStats) Eval(out, in []*mat.Dense) {
	mat.RelStats(mat.RelStatistics{
		Sum: out[0], Square: out[1], Max: out[2], Min: out[3], ArgMax: out[4], ArgMin: out[5], Plus: o.plus,
	}, o.t, in[0], in[1])
}

// VJP goes through the messages' own derivative, a row per triple.
func (o relStats) VJP(in, out, g []Var) []Var {
	var at [3]Var
	at[0] = o.toMessages(in[0], in[1], out, g)
	at[1], at[2] = in[0], in[1]
	if o.plus {
		at[1], at[2] = Fill(in[0].Shape(), 1), Fill(in[1].Shape(), 1)
	}
	m := o.t.Numbered()
	return []Var{relSum(m, 1, at), relSum(m, 2, at)}
}

// toMessages returns the derivative of Σ g∘out to the messages between x and y.
func (o relStats) toMessages(x, y Var, out, g []Var) Var {
	in := []Var{x, y, out[4], out[5]}
	for i := range 4 {
		d := g[i]
		if d.IsZero() {
			d = Fill(out[i].Shape(), 0)
		}
		in = append(in, d)
	}
	return apply1(relStatsVJP(o), in...)
}

// RelStatistics are the statistics of messages, column by column.
type RelStatistics struct{ Sum, Square, Max, Min Var }

// RelStats returns, over the messages x[j,:]∘y[k,:], or with plus x[j,:] + y[k,:], of the triples (i, j, k), by i,
// their sum, the sum of their squares, the largest and the smallest; zeros if i has no messages. If several are equal,
// the derivative of the largest and the smallest goes to the first.
func RelStats(t *mat.Triples, x, y Var, plus bool) RelStatistics {
	s := Apply(relStats{t, plus}, x, y)
	return RelStatistics{s[0], s[1], s[2], s[3]}
}

// relStatsVJP is the derivative to the messages. Inputs: x, y, the places of maximum and minimum, and the
// cotangents of the four statistics.
type relStatsVJP relStats

func (relStatsVJP) Name() string  { return "relstats′" }
func (o relStatsVJP) timed() bool { return o.t.Batch() }

func (o relStatsVJP) Shapes(in []mat.Shape) []mat.Shape {
	return []mat.Shape{{Rows: o.t.Len(), Cols: in[0].Cols}}
}

func (o relStatsVJP) Eval(out, in []*mat.Dense) {
	mat.RelStatsVJP(out[0], mat.RelStatistics{
		ArgMax: in[2], ArgMin: in[3], Sum: in[4], Square: in[5], Max: in[6], Min: in[7], Plus: o.plus,
	}, o.t, in[0], in[1])
}

// plain returns the same, row by row with elementary operations. Which message is the largest does not
// change with x and y as far as a derivative can see.
func (o relStatsVJP) plain(in []Var) Var {
	x, y, first := in[0], in[1], o.t.First()
	ones, none := Fill(in[4].Shape(), 1), Fill(in[4].Shape(), 0)
	largest := Stop(apply1(o, x, y, in[2], in[3], none, none, ones, none))
	smallest := Stop(apply1(o, x, y, in[2], in[3], none, none, none, ones))
	return in[4].Gather(first).
		Add(o.messages(x, y).Mul(in[5].Gather(first)).Scale(2)).
		Add(largest.Mul(in[6].Gather(first))).
		Add(smallest.Mul(in[7].Gather(first)))
}

// messages returns the messages, one row per triple.
func (o relStatsVJP) messages(x, y Var) Var {
	t := o.t.Numbered()
	if o.plus {
		return RelSum(t, 0, x, Fill(y.Shape(), 1)).Add(RelSum(t, 0, Fill(x.Shape(), 1), y))
	}
	return RelSum(t, 0, x, y)
}

// VJP goes through the plain definition, to any order.
func (o relStatsVJP) VJP(in, out, g []Var) []Var {
	in = renew(in)
	d := VJP(o.plain(in), g[0], in[0], in[1], in[4], in[5], in[6], in[7])
	return []Var{d[0], d[1], {}, {}, d[2], d[3], d[4], d[5]}
}
