package train_test

import (
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/train"
)

// TestPassesShareMemory runs losses of other shapes in turn, the largest first, in one memory and each in its own: with
// the same bits, and in less memory than all of them.
func TestPassesShareMemory(t *testing.T) {
	w := ad.NewParam("w", mat.New(3, 2))
	mat.Uniform(w.Value(), -1, 1, 1)
	var shared ad.Arena
	var alone, together []*train.Pass
	bytes := 0
	for i := range 4 {
		x := mat.New(130-10*i, 3)
		mat.Uniform(x, -1, 1, uint64(i))
		loss := func(c input.Context) (ad.Var, error) {
			h := c.Drop(ad.Input(x), 0.3, "x").MatMul(w.Var)
			return h.Square().Shift(1).Log().Mul(h).Sum(), nil
		}
		for memory, list := range map[*ad.Arena]*[]*train.Pass{nil: &alone, &shared: &together} {
			p, err := train.NewPass(memory, 7, []*ad.Param{w}, loss)
			if err != nil {
				t.Fatal(err)
			}
			*list = append(*list, p)
		}
		bytes += alone[i].Program.Bytes()
	}
	for epoch := range 3 {
		for i := range alone {
			for _, p := range []*train.Pass{alone[i], together[i]} {
				if err := p.Run(epoch, uint64(epoch)); err != nil {
					t.Fatal(err)
				}
			}
			for j, g := range append([]*mat.Dense{alone[i].Loss()}, alone[i].Grads()...) {
				got := append([]*mat.Dense{together[i].Loss()}, together[i].Grads()...)[j]
				for k, x := range g.Slice() {
					if got.Slice()[k] != x {
						t.Fatalf("pass %d, epoch %d: %v in shared memory, %v alone", i, epoch, got.Slice()[k], x)
					}
				}
			}
		}
	}
	if shared.Bytes() > bytes/2 {
		t.Errorf("%d bytes together, %d alone", shared.Bytes(), bytes)
	}
}
