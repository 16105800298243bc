package node

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/solve"
	"github.com/bloomgml/bloom/mat"
)

// sweeps is the number of conjugate gradient steps of Coverage. Few of them regularise: directions in which X hardly
// varies are left out.
const sweeps = 30

// tiny keeps a division by zero from happening.
const tiny = 1e-30

// Coverage returns how much of the labels lies in range(X): the share of the squared one-hot labels Y, columns
// centred, that a linear model takes away, over the nodes of the training and validation parts.
//
//	1 − ‖Y − X W‖² / ‖Y‖²    W after 30 conjugate gradient steps on ‖Y − X W‖²
//
// It is 0 if nodes have no features. Where there are more columns than labelled nodes it is high for any X.
func (t *Task) Coverage() (float64, error) {
	x := t.On.X
	if x.Shape().Cols == 0 {
		return 0, nil
	}
	y, mask := targets(t.Data, t.Split)
	target, in := ad.Const(y), ad.Const(mask)
	at := ad.Fill(mat.Shape{Rows: x.Shape().Cols, Cols: y.Cols()}, 0)
	transposed := func(g ad.Var) ad.Var { return ad.VJP(x.MatMul(at), g.Mul(in), at)[0] } // Xᵀ g
	right := transposed(target)
	start := ad.Compile(right)
	if err := start.Run(); err != nil {
		return 0, err
	}
	w := mat.New(right.Rows(), right.Cols())
	gram := solve.NewDense(right.Shape(), func(p ad.Var) ad.Var { return transposed(x.MatMul(p)) })
	if _, err := gram.Solve(w, start.Value(right), 0, sweeps); err != nil {
		return 0, err
	}
	left := target.Sub(x.MatMul(ad.Input(w)).Mul(in)).Square().Sum()
	all := target.Square().Sum()
	prog := ad.Compile(left, all)
	if err := prog.Run(); err != nil {
		return 0, err
	}
	return 1 - float64(prog.Value(left).Item())/max(float64(prog.Value(all).Item()), tiny), nil
}

// targets returns the centred one-hot labels, n×c, of the labelled nodes of two parts of a split, and a mask of them,
// n×1.
func targets(d *dataset.Dataset, s dataset.Split) (y, mask *mat.Dense) {
	n, c := d.Graph.NumNodes(), len(d.Labels.Names)
	rows, in, mean := make([]mat.Real, n*c), make([]mat.Real, n), make([]mat.Real, c)
	known := mat.Real(0)
	for _, part := range [][]int32{s.Train, s.Valid} {
		for _, v := range part {
			if class := d.Labels.Class[v]; class >= 0 {
				rows[int(v)*c+int(class)], in[v] = 1, 1
				mean[class]++
				known++
			}
		}
	}
	for v := range n {
		for j := range c {
			rows[v*c+j] -= in[v] * mean[j] / max(known, 1)
		}
	}
	return mat.FromSlice(n, c, rows), mat.FromSlice(n, 1, in)
}
