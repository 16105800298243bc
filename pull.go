package bloom

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/mat"
)

// pulls computes which way every edge and every node's features pull, see EdgeShare.
func (i *Inspection) pulls(m *Model, l *energy.Lower) error {
	h := ad.Input(i.H)
	margin := m.Head(input.Evaluation(), h).Mul(ad.Const(i.margins())).Sum()
	direction := ad.Grad(margin, h)[0] // ∇m, n×d
	u, v := h.Gather(l.On.Source()), h.Gather(l.On.Target())
	edges, nodes := ad.Number(0), ad.Number(0)
	for _, f := range l.F {
		edges = edges.Add(f.Edge(energy.Edges{U: u, V: v, R: l.On.Relation(), On: l.On, Held: h}).Sum())
	}
	for _, k := range l.Kappa {
		nodes = nodes.Add(k.Node(energy.Nodes{H: h, Pi: l.Pi, X: l.X, On: l.On, Held: h}).Sum())
	}
	force := ad.Grad(edges, u, v)
	toU := force[0].RowDot(direction.Gather(l.On.Source())).Neg()
	toV := force[1].RowDot(direction.Gather(l.On.Target())).Neg()
	own := ad.Grad(nodes, h)[0].RowDot(direction).Neg()
	prog := ad.Compile(toU, toV, own)
	if err := prog.Run(); err != nil {
		return err
	}
	i.toU, i.toV, i.own = column(prog.Value(toU)), column(prog.Value(toV)), column(prog.Value(own))
	return nil
}

// margins has in every row a 1 at the largest logit and a −1 at the second, n×c: times the logits and summed it is the
// margin of the prediction. It notes both classes.
func (i *Inspection) margins() *mat.Dense {
	n, c := i.Logits.Rows(), i.Logits.Cols()
	z := i.Logits.Slice()
	i.classes = make([][2]int, n)
	for v := range n {
		row := z[v*c : (v+1)*c]
		first, second := topTwo(row)
		i.classes[v] = [2]int{first, second}
		clear(row)
		row[first] = 1
		if second >= 0 {
			row[second] = -1
		}
	}
	return mat.FromSlice(n, c, z)
}

// topTwo are the places of the largest and the second largest of z; the second is −1 where there is none.
func topTwo(z []mat.Real) (first, second int) {
	second = -1
	for j := 1; j < len(z); j++ {
		switch {
		case z[j] > z[first]:
			first, second = j, first
		case second < 0 || z[j] > z[second]:
			second = j
		}
	}
	return first, second
}
