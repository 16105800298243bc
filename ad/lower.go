package ad

import "github.com/bloomgml/bloom/mat"

// fused is an Op that not every Device has. plainly is its outputs by elementary operations.
type fused interface {
	existsOn(dev mat.Device) bool
	plainly(in []Var) []Var
}

// lower returns outputs with the fused operations that dev does not have, or is faster without, replaced by their plain
// forms.
func lower(dev mat.Device, outputs []Var) []Var {
	_, all := dev.(interface {
		mat.Stepper
		mat.Descender
		mat.Normalizer
		mat.Turner
		imaginary
	})
	if all && !cuts(dev) {
		return outputs
	}
	l := &lowering{dev, map[*node][]Var{}}
	for _, n := range needed(outputs) {
		l.lowered(Var{n, 0})
	}
	out := make([]Var, len(outputs))
	for i, v := range outputs {
		out[i] = l.lowered(v)
	}
	return out
}

type lowering struct {
	dev  mat.Device
	done map[*node][]Var
}

// inBlocks reports whether n is a descent of one linear step from p that is faster as a product and sums, which work on
// blocks of rows with what is before and after them.
func (l *lowering) inBlocks(n *node) bool {
	if !cuts(l.dev) {
		return false
	}
	switch o := n.op.(type) {
	case descend:
		return n.in[0] == n.in[1] && o.inBlocks(n.shapes[0])
	case descendVJP:
		return o.same && o.of.inBlocks(n.shapes[0])
	}
	return false
}

// lowered returns v with plain forms in it.
func (l *lowering) lowered(v Var) Var {
	if v.n.op == nil {
		return v
	}
	if _, ok := l.done[v.n]; !ok {
		l.done[v.n] = l.node(v.n)
	}
	return l.done[v.n][v.out]
}

// node returns the outputs of n. A plain form may read what the fused one has for its derivative alone.
func (l *lowering) node(n *node) []Var {
	f, lacking := n.op.(fused)
	lacking = lacking && !(f.existsOn(l.dev) && !l.inBlocks(n))
	from := n.read()
	if lacking {
		from = n.in
	}
	in, same := make([]Var, len(from)), !lacking
	for i, v := range from {
		in[i] = l.lowered(v)
		same = same && in[i] == v
	}
	if lacking {
		outs := f.plainly(in)
		for i, v := range outs { // which may have fused ones in it that are lacking too
			outs[i] = l.lowered(v)
		}
		return outs
	}
	if same {
		outs := make([]Var, len(n.shapes))
		for i := range outs {
			outs[i] = Var{n, i}
		}
		return outs
	}
	return Apply(n.op, in...)
}
