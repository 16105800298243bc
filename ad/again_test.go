package ad

import (
	"slices"
	"testing"

	"github.com/bloomgml/bloom/mat"
)

// deep is the loss of levels levels of norm, product, ReLU, dropout and residual, rows×64, and its gradients.
func deep(rows, levels int) []Var {
	b := newBlocky(2)
	h, xs := b.leaf(rows, 64), []Var(nil)
	for i := range levels {
		w, line := b.leaf(64, 64), b.leaf(1, 64)
		xs = append(xs, w, line)
		h = h.Add(h.Norm(line, line, line, 1e-3, false).MatMul(w).ReLU().Dropout(0.2, b.clock, uint64(i)).MatMul(w))
	}
	loss := h.Square().Sum()
	return append([]Var{loss}, Grad(loss, xs...)...)
}

// counted is how many instructions of prog have the name.
func counted(prog *Program, name string) (n int) {
	for i := range prog.each {
		if prog.each[i].op.Name() == name {
			n++
		}
	}
	return n
}

// TestMadeAgain: where a level is far from its derivative, its norm, ReLU and dropout are made again there. That takes
// less memory, and the results equal those of the program without blocks up to the order of sums.
func TestMadeAgain(t *testing.T) {
	if !cuts(mat.Default()) {
		t.Skip("the device has no blocks")
	}
	const levels = 8
	outs := deep(4096, levels)
	prog, whole := Compile(outs...), compile(&Arena{}, outs, false)
	for _, name := range []string{"norm", "relu", "dropout"} {
		plain := counted(whole, name)
		if n := counted(prog, name); n < plain+levels/2 || n > plain+levels {
			t.Errorf("%d times %s, and %d without repetition", n, name, plain)
		}
	}
	if prog.Bytes() >= whole.Bytes() {
		t.Errorf("%d bytes, and %d without repetition", prog.Bytes(), whole.Bytes())
	}
	if err := prog.Run(); err != nil {
		t.Fatal(err)
	}
	if err := whole.Run(); err != nil {
		t.Fatal(err)
	}
	for _, v := range outs {
		compareBlocks(t, v.Shape().String(), prog.Value(v).Slice(), whole.Value(v).Slice(), false)
	}
	if near := Compile(deep(4096, 1)...); counted(near, "norm") != 1 {
		t.Errorf("one level has %d norms: what is still in a cache is made again", counted(near, "norm"))
	}
}

// TestOrderOfMaking: an operation that is taken apart leaves the others in the order in which they were made, so that
// the derivative to a level's weights follows the cotangent that it reads.
func TestOrderOfMaking(t *testing.T) {
	b := newBlocky(2)
	h, xs := b.tall[0], []Var(nil)
	one := StepCoefs{Input(mat.New(b.rows, 1)), Input(mat.New(b.rows, 1)), Input(mat.New(b.rows, 1))}
	for range 4 {
		w := b.leaf(b.cols, b.cols)
		xs = append(xs, w)
		p := h.MatMul(w)
		h = Descend(b.sparse, b.val, p, p, one, 1, mat.Descent{}.Kind)
	}
	loss := h.Square().Sum()
	prog := Compile(append([]Var{loss}, Grad(loss, xs...)...)...)
	var order []mat.Trans
	for i := range prog.each {
		if o, ok := prog.each[i].op.(matmul); ok {
			order = append(order, o.t)
		}
	}
	last := slices.Index(order, mat.TN)
	if last < 0 || !slices.Contains(order[last:], mat.NN) && !slices.Contains(order[last:], mat.NT) {
		t.Errorf("products %v: those for weights come last", order)
	}
}

// TestCheckTakesNoMemory: what a check looks at is read where it stands, also where both are read afterwards.
func TestCheckTakesNoMemory(t *testing.T) {
	x := Input(mat.New(100, 10))
	h := x.Shift(1)
	seen := Apply(watchedRows{}, h)[0]
	prog, plain := Compile(seen.Mul(h.Exp()), seen), Compile(h.Mul(h.Exp()), h)
	if prog.Bytes() != plain.Bytes() {
		t.Errorf("%d bytes, and %d without a check", prog.Bytes(), plain.Bytes())
	}
	if prog.Value(seen).Buffer() == nil {
		t.Error("the output of the check has no memory")
	}
}
