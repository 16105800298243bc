package bloom

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/upper"
)

// What pulls are about: strongest means the class with the largest logit of every node, everyone means all nodes.
const strongest, everyone = -1, -1

// pulls computes which way every edge and every node's features pull, see EdgeShare; about is a class, or strongest,
// and of the node whose margin counts, or everyone.
func (i *Inspection) pulls(about int, of int32) error {
	h, l := ad.Input(i.H), i.lower
	margin := i.model.Head(input.Evaluation(), h).Mul(ad.Const(i.margins(about, of))).Sum()
	slope := ad.Grad(margin, h)[0] // ∇m, n×d
	u, v := h.Gather(l.On.Source()), h.Gather(l.On.Target())
	edges := ad.Number(0)
	for _, f := range l.F {
		edges = edges.Add(f.Edge(energy.Edges{U: u, V: v, R: l.On.Relation(), On: l.On, Held: h}).Sum())
	}
	force := ad.Grad(edges, u, v)
	toU := force[0].RowDot(slope.Gather(l.On.Source())).Neg()
	toV := force[1].RowDot(slope.Gather(l.On.Target())).Neg()
	own := ad.Grad(i.kappa(h, l.Pi).Sum(), h)[0].RowDot(slope).Neg()
	prog := ad.Compile(toU, toV, own, slope)
	if err := prog.Run(); err != nil {
		return err
	}
	i.toU, i.toV, i.own = column(prog.Value(toU)), column(prog.Value(toV)), column(prog.Value(own))
	i.slope = prog.Value(slope)
	return nil
}

// kappa returns Σ κ of every node, n×1.
func (i *Inspection) kappa(h, pi ad.Var) ad.Var {
	l, sum := i.lower, ad.Fill(mat.Shape{Rows: h.Rows(), Cols: 1}, 0)
	for _, k := range l.Kappa {
		sum = sum.Add(k.Node(energy.Nodes{H: h, Pi: pi, X: l.X, On: l.On, Held: h}))
	}
	return sum
}

// Own returns, for every row of pi, the energy and the pull of the features of node v if π(x_v) were that row and h_v
// stayed where it is.
func (i *Inspection) Own(v int32, pi *mat.Dense) (energies, pulls []float64, err error) {
	n, d := i.H.Rows(), i.H.Cols()
	at, row, h := mat.MustIndex([]int32{v}, n), mat.New(1, d), ad.Input(i.H)
	others := ad.Fill(mat.Shape{Rows: 1, Cols: 1}, 1).SegmentSum(at).Neg().Shift(1) // 0 at v, else 1
	each := i.kappa(h, ad.Const(i.Pi).Mul(others).Add(ad.Input(row).SegmentSum(at)))
	pull := ad.Grad(each.Sum(), h)[0].RowDot(ad.Const(i.slope)).Neg().Gather(at)
	cost := each.Gather(at)
	prog, rows := ad.Compile(cost, pull), pi.Slice()
	for ; len(rows) > 0; rows = rows[d:] {
		row.Write(rows[:d])
		if err := prog.Run(); err != nil {
			return nil, nil, err
		}
		energies, pulls = append(energies, item(prog, cost)), append(pulls, item(prog, pull))
	}
	return energies, pulls, nil
}

// margins has in the row of every node that counts a 1 at the class that pulls are about and a −1 at the second, n×c:
// times the logits and summed it is the margin of the class. It notes both.
func (i *Inspection) margins(about int, of int32) *mat.Dense {
	n, c := i.Logits.Rows(), i.Logits.Cols()
	z := i.Logits.Slice()
	i.classes = make([][2]int, n)
	for v := range n {
		row := z[v*c : (v+1)*c]
		first, second := topTwo(row)
		if about != strongest && about != first {
			first, second = about, first
		}
		if i.model.sets() {
			second = -1
		}
		i.classes[v] = [2]int{first, second}
		clear(row)
		if of != everyone && int(of) != v {
			continue
		}
		row[first] = 1
		if second >= 0 {
			row[second] = -1
		}
	}
	return mat.FromSlice(n, c, z)
}

// sets reports whether nodes may have any number of classes.
func (m *Model) sets() bool {
	s, ok := m.Up.(upper.Supervised)
	return ok && s.Criterion == upper.Binary
}

// topTwo returns the indices of the largest and the second largest entry of z; second is −1 if z has only one.
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
