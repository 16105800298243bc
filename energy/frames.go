package energy

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/mat"
)

// Reflections are Frames that are products of b Householder reflections in every block of b columns:
//
//	O_v = Π_i (I − 2 v_i v_iᵀ/‖v_i‖²)       v_i = e₁ + tanh( x_v W + (S x)_v N + b )_i ∘ [½ 1 … 1]
//
// S being D^−½ A D^−½. The half keeps ‖v_i‖ at ½ or more; two reflections reach every rotation of their plane. With k =
// ⌊d/b⌋ the columns j, j + k, … and j + (b − 1)k are a block; the last d − bk columns stay as they are. own, W, and
// near, N, have a row per feature and b²k columns; bias, b, has one row. If all three are zero, all nodes reflect
// alike, and the energy is the same as without reflections.
func Reflections(own, near, bias *ad.Param, block int) Frames {
	return Frames{own, near, bias, inBlocks(block, reflected)}
}

// Restrictions are Frames of any b×b matrices, one a block of b columns, which need not be orthogonal:
//
//	O_v = I + tanh( x_v W + (S x)_v N + b )
//
// with blocks and parameters as Reflections have them.
func Restrictions(own, near, bias *ad.Param, block int) Frames {
	return Frames{own, near, bias, inBlocks(block, restricted)}
}

// grid are b×b matrices, one for every node and block: number i, j of all of them, n×k.
type grid [][]ad.Var

// inBlocks cuts tanh(z) into b×b matrices, b² numbers a block, which make a turn.
func inBlocks(b int, of func(grid) Turn) func(ad.Var) Turn {
	return func(z ad.Var) Turn {
		z = z.Tanh()
		k, g := z.Cols()/(b*b), make(grid, b)
		for i := range g {
			g[i] = pieces(z.Columns(i*b*k, (i+1)*b*k), b)
		}
		return of(g)
	}
}

// pieces cuts the columns of h into b parts of equal width, leaving out the remainder.
func pieces(h ad.Var, b int) []ad.Var {
	k, list := h.Cols()/b, make([]ad.Var, b)
	for j := range list {
		list[j] = h.Columns(j*k, (j+1)*k)
	}
	return list
}

// gather returns the matrices of the nodes of a list.
func (g grid) gather(of *mat.Index) grid {
	to := make(grid, len(g))
	for i, row := range g {
		for _, v := range row {
			to[i] = append(to[i], v.Gather(of))
		}
	}
	return to
}

// apply returns f of the parts of h in the blocks of g, leaving the other columns as they are.
func (g grid) apply(h ad.Var, f func([]ad.Var) []ad.Var) ad.Var {
	return onFirst(h, len(g)*g[0][0].Cols(), func(h ad.Var) ad.Var { return ad.Concat(f(pieces(h, len(g)))...) })
}

// dot returns Σ_j a_j∘b_j.
func dot(a, b []ad.Var) ad.Var {
	y := a[0].Mul(b[0])
	for j := range a[1:] {
		y = y.Add(a[j+1].Mul(b[j+1]))
	}
	return y
}

// reflections have row i of a matrix as v_i.
type reflections struct{ v grid }

var _ Turn = reflections{}

func reflected(g grid) Turn {
	for _, v := range g {
		v[0] = v[0].Scale(0.5).Shift(1)
	}
	return reflections{g}
}

func (r reflections) rows(of *mat.Index) Turn { return reflections{r.v.gather(of)} }

// There returns h H₁ H₂ … with symmetric H_i.
func (r reflections) There(h ad.Var) ad.Var {
	return r.v.apply(h, func(h []ad.Var) []ad.Var {
		for _, v := range r.v {
			h = reflect(h, v)
		}
		return h
	})
}

// Back returns h … H₂ H₁.
func (r reflections) Back(h ad.Var) ad.Var {
	return r.v.apply(h, func(h []ad.Var) []ad.Var {
		for i := len(r.v) - 1; i >= 0; i-- {
			h = reflect(h, r.v[i])
		}
		return h
	})
}

// reflect returns h − 2(h·v)v/‖v‖² in every block.
func reflect(h, v []ad.Var) []ad.Var {
	along, y := dot(h, v).Mul(dot(v, v).Recip().Scale(2)), make([]ad.Var, len(h))
	for j := range h {
		y[j] = h[j].Sub(v[j].Mul(along))
	}
	return y
}

// restrictions are the matrices F themselves.
type restrictions struct{ f grid }

var (
	_ Turn       = restrictions{}
	_ stretching = restrictions{}
)

func restricted(g grid) Turn {
	for i := range g {
		g[i][i] = g[i][i].Shift(1)
	}
	return restrictions{g}
}

func (r restrictions) rows(of *mat.Index) Turn { return restrictions{r.f.gather(of)} }

// transposed returns the matrices Fᵀ.
func (g grid) transposed() grid {
	t := make(grid, len(g))
	for i := range g {
		for j := range g {
			t[i] = append(t[i], g[j][i])
		}
	}
	return t
}

// There returns h F.
func (r restrictions) There(h ad.Var) ad.Var { return r.f.transposed().times(h) }
func (r restrictions) Back(h ad.Var) ad.Var  { return r.f.times(h) }

// times returns the rows of g times h.
func (g grid) times(h ad.Var) ad.Var {
	return g.apply(h, func(h []ad.Var) []ad.Var {
		y := make([]ad.Var, len(g))
		for i, row := range g {
			y[i] = dot(h, row)
		}
		return y
	})
}

// stretch returns ‖F‖₁‖F‖∞ ≥ ‖F‖₂² of the block where it is largest, and 1 for columns that stay as they are: 1 at F =
// I.
func (r restrictions) stretch() ad.Var {
	all := r.f.sums().Mul(r.f.transposed().sums())
	y := ad.Fill(mat.Shape{Rows: all.Rows(), Cols: 1}, 1)
	for _, v := range pieces(all, all.Cols()) {
		y = y.Max(v)
	}
	return y
}

// sums returns the largest Σ_j |F_ij| of every matrix, n×k.
func (g grid) sums() ad.Var {
	var most ad.Var
	for i, row := range g {
		sum := row[0].Map("abs", 0)
		for _, v := range row[1:] {
			sum = sum.Add(v.Map("abs", 0))
		}
		if i > 0 {
			sum = most.Max(sum)
		}
		most = sum
	}
	return most
}
