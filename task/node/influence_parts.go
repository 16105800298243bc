package node

import (
	"cmp"
	"math"
	"slices"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/mat"
)

// partInfluence is an edge, or the row of features of a node where Target is empty.
type partInfluence struct {
	Source string  `json:"source"`
	Target string  `json:"target,omitempty"`
	Change float64 `json:"change"` // of the sum without it, to first order, with the parameters as they are
}

// withoutParts returns how Σ_c weight_c z_vc changes to first order without each of the edges, and without the features
// of each of the nodes, by the exact derivative through all steps of the descent:
//
//	−w_e ∂m/∂w_e        −⟨x_u, ∂m/∂x_u⟩
//
// nil where answers are no function of weights of edges, as those of baselines.
func (t *Task) withoutParts(v int32, weight []float64) (edges, nodes []float64, err error) {
	d := t.On
	if t.Stack == nil || t.forest != nil || d.On.Graph.NumEdges() == 0 {
		return nil, nil, nil
	}
	for _, l := range t.Stack.Levels {
		if l.Edges != nil { // which weigh them by themselves
			return nil, nil, nil
		}
	}
	w := slices.Repeat([]mat.Real{1}, d.On.Graph.NumEdges())
	if own := d.On.Graph.Weights(); own != nil {
		copy(w, own)
	}
	along := []ad.Var{ad.Input(mat.FromSlice(len(w), 1, w))}
	d.On = d.On.Reweighted(along[0])
	values, at := d.X.Entries()
	if !values.IsZero() {
		x := ad.Eval(values)
		along = append(along, ad.Input(mat.FromSlice(x.Rows(), x.Cols(), x.Slice())))
		d.X = d.X.With(along[1])
	}
	z, err := t.Stack.Predict(input.Evaluation(), d)
	if err != nil {
		return nil, nil, err
	}
	row := make([]mat.Real, z.Rows()*z.Cols())
	for c, x := range weight {
		row[int(v)*z.Cols()+c] = mat.Real(x)
	}
	slopes := ad.VJP(z, ad.Const(mat.FromSlice(z.Rows(), z.Cols(), row)), along...)
	prog := ad.Compile(slopes...)
	if err := prog.Run(); err != nil {
		return nil, nil, err
	}
	edges, nodes = make([]float64, len(w)), make([]float64, z.Rows())
	for e, s := range prog.Value(slopes[0]).Slice() {
		edges[e] = -float64(w[e]) * float64(s)
	}
	if len(along) == 1 {
		return edges, nil, nil
	}
	each := ad.Eval(along[1].Mul(ad.Const(prog.Value(slopes[1])))) // of every entry
	if at != nil {
		ones := ad.Fill(mat.Shape{Rows: at.Shape().Cols, Cols: 1}, 1)
		each = ad.Eval(ad.Propagate(at, ad.Const(each), ones))
	}
	for i, x := range each.Slice() {
		nodes[i/each.Cols()] -= float64(x)
	}
	return edges, nodes, nil
}

// addParts fills in the edges and rows whose absence changes the sum most, at most top of each.
func (i *Influence) addParts(t asked, v int32, q question, last func(float64) float64, top int) error {
	edges, nodes, err := t.withoutParts(v, q.weight)
	if err != nil {
		return err
	}
	i.Edges = strongest(edges, top, func(e int) partInfluence {
		x := t.On.On.Graph.Edge(int32(e))
		return partInfluence{t.Data.NodeName(x.U), t.Data.NodeName(x.V), last(edges[e])}
	})
	i.Rows = strongest(nodes, top, func(u int) partInfluence {
		return partInfluence{Source: t.Data.NodeName(int32(u)), Change: last(nodes[u])}
	})
	return nil
}

// strongest names the parts with the largest changes, at most top; 0 means all that change anything.
func strongest(changes []float64, top int, name func(int) partInfluence) []partInfluence {
	order := make([]int, 0, len(changes))
	for k, x := range changes {
		if x != 0 {
			order = append(order, k)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(math.Abs(changes[b]), math.Abs(changes[a])) })
	if top > 0 {
		order = order[:min(top, len(order))]
	}
	list := []partInfluence{}
	for _, k := range order {
		list = append(list, name(k))
	}
	return list
}
