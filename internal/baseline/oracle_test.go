package baseline

import (
	"fmt"
	"math"
)

// The models again, written naively: tables of float64, a loop over every pair of nodes.

// table is a dense matrix.
type table [][]float64

func newTable(rows, cols int) table {
	t := make(table, rows)
	for i := range t {
		t[i] = make([]float64, cols)
	}
	return t
}

// each is f of every entry, with its place.
func (a table) each(f func(i, j int, x float64) float64) table {
	b := newTable(len(a), len(a[0]))
	for i := range a {
		for j := range a[i] {
			b[i][j] = f(i, j, a[i][j])
		}
	}
	return b
}

func (a table) apply(f func(float64) float64) table {
	return a.each(func(_, _ int, x float64) float64 { return f(x) })
}

func (a table) scale(s float64) table { return a.apply(func(x float64) float64 { return s * x }) }

// plus adds b, or its only row to every row.
func (a table) plus(b table) table {
	return a.each(func(i, j int, x float64) float64 { return x + b[i%len(b)][j] })
}

func (a table) times(b table) table {
	c := newTable(len(a), len(b[0]))
	for i := range a {
		for j := range b[0] {
			for k := range b {
				c[i][j] += a[i][k] * b[k][j]
			}
		}
	}
	return c
}

func (a table) beside(b table) table {
	c := make(table, len(a))
	for i := range a {
		c[i] = append(append([]float64(nil), a[i]...), b[i]...)
	}
	return c
}

func (a table) columns(from, to int) table {
	c := make(table, len(a))
	for i := range a {
		c[i] = a[i][from:to]
	}
	return c
}

func relu(x float64) float64 { return max(0, x) }

func naiveELU(x float64) float64 {
	if x > 0 {
		return x
	}
	return math.Expm1(x)
}

func naiveGELU(x float64) float64 {
	return x / 2 * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(x+0.044715*x*x*x)))
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

func leaky(x float64) float64 { return max(x, 0.2*x) }

// oracle is a model with its parameters by name, on the graph with adjacency matrix a.
type oracle struct {
	p     map[string]table
	a     table
	edges [][3]int // source, relation, target of a typed graph
	o     Options
}

// linear is x W + b of a layer.
func (m oracle) linear(name string, x table) table {
	y := x.times(m.p[name+".W"])
	if b, ok := m.p[name+".b"]; ok {
		y = y.plus(b)
	}
	return y
}

// loops is a with 1 or 0 on the diagonal.
func (m oracle) loops(x float64) table {
	return m.a.each(func(i, j int, w float64) float64 {
		if i == j {
			return x
		}
		return w
	})
}

func degrees(a table) []float64 {
	d := make([]float64, len(a))
	for i := range a {
		for _, w := range a[i] {
			d[i] += w
		}
	}
	return d
}

// symmetric is D^-1/2 A D^-1/2.
func symmetric(a table) table {
	d := degrees(a)
	return a.each(func(i, j int, w float64) float64 {
		if w == 0 {
			return 0
		}
		return w / math.Sqrt(d[i]*d[j])
	})
}

// mean is D⁻¹ A.
func mean(a table) table {
	d := degrees(a)
	return a.each(func(i, _ int, w float64) float64 {
		if w == 0 {
			return 0
		}
		return w / d[i]
	})
}

// norm is layer norm, if the model has it.
func (m oracle) norm(name string, z table) table {
	scale, ok := m.p[name+".scale"]
	if !ok {
		return z
	}
	shift := m.p[name+".shift"]
	return z.each(func(i, j int, x float64) float64 {
		d, mean, vari := float64(len(z[i])), 0.0, 0.0
		for _, y := range z[i] {
			mean += y / d
		}
		for _, y := range z[i] {
			vari += (y - mean) * (y - mean) / d
		}
		return (x-mean)/math.Sqrt(vari+1e-5)*scale[0][j] + shift[0][j]
	})
}

// stack is layers above each other.
func (m oracle) stack(name string, x table, act func(float64) float64, layer func(name string, x table) table) table {
	for i := range m.o.Layers - 1 {
		place := fmt.Sprintf("%s.%d", name, i)
		y := m.norm(place, layer(place, x)).apply(act)
		if m.o.Residual && len(x[0]) == len(y[0]) {
			y = y.plus(x)
		}
		x = y
	}
	return layer(fmt.Sprintf("%s.%d", name, m.o.Layers-1), x)
}

// blocks is the residual architecture.
func (m oracle) blocks(name string, x table, aggregate func(name string, h table) table) table {
	h := m.linear(name+".in", x).apply(naiveGELU)
	for i := range m.o.Layers {
		place := fmt.Sprintf("%s.%d", name, i)
		a := m.linear(place+".up", aggregate(place, m.norm(place, h))).apply(naiveGELU)
		h = h.plus(m.linear(place+".down", a))
	}
	return m.linear(name+".out", m.norm(name+".out", h))
}

// attention is one layer of heads over the pairs with an edge in a.
func (m oracle) attention(name string, a, x table, heads int) table {
	y := x.times(m.p[name+".W"])
	d := len(y[0]) / heads
	to, from := m.p[name+".to"][0], m.p[name+".from"][0]
	z := newTable(len(x), len(y[0]))
	for h := range heads {
		for v := range x {
			w, total := make([]float64, len(x)), 0.0
			for u := range x {
				if a[v][u] == 0 {
					continue
				}
				e := 0.0
				for j := h * d; j < (h+1)*d; j++ {
					e += to[j]*y[v][j] + from[j]*y[u][j]
				}
				w[u] = math.Exp(leaky(e))
				total += w[u]
			}
			for u := range x {
				for j := h * d; j < (h+1)*d && w[u] > 0; j++ {
					z[v][j] += w[u] / total * y[u][j]
				}
			}
		}
	}
	return z.plus(m.p[name+".b"])
}

// own adds x V where nodes have a matrix of their own.
func (m oracle) own(name string, z, x table) table {
	if m.o.Separate {
		return z.plus(m.linear(name+".own", x))
	}
	return z
}

// oracles are the models by name, in evaluation.
var oracles = map[string]func(m oracle, x table) table{
	"mlp": func(m oracle, x table) table {
		if m.o.Blocks {
			return m.blocks("mlp", x, func(_ string, h table) table { return h })
		}
		return m.stack("mlp", x, relu, m.linear)
	},
	"gcn": func(m oracle, x table) table {
		s := symmetric(m.loops(1))
		switch {
		case m.o.Blocks && m.o.Separate:
			return m.blocks("gcn", x, func(_ string, h table) table { return h.beside(s.times(h)) })
		case m.o.Blocks:
			return m.blocks("gcn", x, func(_ string, h table) table { return s.times(h) })
		}
		return m.stack("gcn", x, relu, func(name string, x table) table {
			return m.own(name, m.linear(name, s.times(x)), x)
		})
	},
	"gat": func(m oracle, x table) table {
		if m.o.Blocks && m.o.Separate {
			return m.blocks("gat", x, func(name string, h table) table {
				return h.beside(m.attention(name, m.loops(0), h, m.o.Heads))
			})
		}
		if m.o.Blocks {
			return m.blocks("gat", x, func(name string, h table) table {
				return m.attention(name, m.loops(1), h, m.o.Heads)
			})
		}
		return m.stack("gat", x, naiveELU, func(name string, x table) table {
			heads := m.o.Heads
			if name == fmt.Sprintf("gat.%d", m.o.Layers-1) {
				heads = 1
			}
			return m.own(name, m.attention(name, m.loops(1), x, heads), x)
		})
	},
	"sage": func(m oracle, x table) table {
		s := mean(m.a)
		if m.o.Blocks {
			return m.blocks("sage", x, func(_ string, h table) table { return h.beside(s.times(h)) })
		}
		return m.stack("sage", x, relu, func(name string, x table) table {
			return m.linear(name, x).plus(m.linear(name+".neighbours", s.times(x)))
		})
	},
	"appnp": func(m oracle, x table) table {
		first := m.stack("appnp", x, relu, m.linear)
		z, s := first, symmetric(m.loops(1))
		for range m.o.Hops {
			z = s.times(z).scale(1 - m.o.Alpha).plus(first.scale(m.o.Alpha))
		}
		return z
	},
	"fagcn":  oracle.fagcn,
	"fsgnn":  oracle.fsgnn,
	"gbk":    func(m oracle, x table) table { return m.stack("gbk", x, relu, m.gbkLayer) },
	"jacobi": oracle.jacobi,
	"rgcn":   func(m oracle, x table) table { return m.stack("rgcn", x, relu, m.rgcnLayer) },
}

func (m oracle) fagcn(x table) table {
	s := symmetric(m.loops(0))
	first := m.linear("fagcn.in", x).apply(relu)
	h := first
	for l := range m.o.Layers {
		name := fmt.Sprintf("fagcn.%d", l)
		to, from := m.linear(name+".to", h), m.linear(name+".from", h)
		w := s.each(func(v, u int, w float64) float64 { return w * math.Tanh(to[v][0]+from[u][0]) })
		h = w.times(h).plus(first.scale(m.o.Alpha))
	}
	return m.linear("fagcn.out", h)
}

func (m oracle) fsgnn(x table) table {
	var all table
	total := 0.0
	for _, a := range m.p["fsgnn.choice"][0] {
		total += math.Exp(a)
	}
	for i, a := range m.p["fsgnn.choice"][0] {
		y, s := x, symmetric(m.loops(float64(1-i%2)))
		for range (i + 1) / 2 {
			y = s.times(y)
		}
		y = m.linear(fmt.Sprintf("fsgnn.%d", i), y)
		y = y.each(func(v, _ int, e float64) float64 {
			length := 1e-6
			for _, z := range y[v] {
				length += z * z
			}
			return relu(math.Exp(a) / total * e / math.Sqrt(length))
		})
		if all == nil {
			all = y
			continue
		}
		all = all.beside(y)
	}
	return m.linear("fsgnn.out", all)
}

// gate is α for all pairs.
func (m oracle) gate(name string, x table) table {
	to, from := m.linear(name+".to", x), m.linear(name+".from", x)
	return m.a.each(func(v, u int, _ float64) float64 { return sigmoid(to[v][0] + from[u][0]) })
}

func (m oracle) gbkLayer(name string, x table) table {
	z, s, alpha := m.linear(name, x), mean(m.a), m.gate(name, x)
	same, other := m.linear(name+".same", x), m.linear(name+".other", x)
	for v := range x {
		for u := range x {
			for j := range z[v] {
				z[v][j] += s[v][u] * (alpha[v][u]*same[u][j] + (1-alpha[v][u])*other[u][j])
			}
		}
	}
	return z
}

// jacobi sums the polynomials' explicit form, P_k(z) = Σ_s C(k+a, k−s) C(k+b, s) ((z−1)/2)^s ((z+1)/2)^(k−s).
func (m oracle) jacobi(x table) table {
	y, s := m.linear("jacobi", x), symmetric(m.loops(0))
	down := s.each(func(i, j int, w float64) float64 { return (w - one(i == j)) / 2 })
	up := s.each(func(i, j int, w float64) float64 { return (w + one(i == j)) / 2 })
	z, factor := newTable(len(y), len(y[0])), 1.0
	for k := range m.o.Hops + 1 {
		if k > 0 {
			factor *= m.o.Alpha * math.Tanh(m.p["jacobi.eta"][0][k-1])
		}
		for r := range k + 1 {
			t := y
			for i := range k {
				if i < r {
					t = down.times(t)
				} else {
					t = up.times(t)
				}
			}
			n := float64(k)
			c := factor * choose(n+m.o.Jacobi.A, k-r) * choose(n+m.o.Jacobi.B, r)
			z = z.each(func(i, j int, e float64) float64 { return e + c*m.p["jacobi.beta"][k][j]*t[i][j] })
		}
	}
	return z
}

func one(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// choose is the binomial coefficient of a real number, x(x−1)⋯(x−k+1)/k!.
func choose(x float64, k int) float64 {
	c := 1.0
	for i := range k {
		c *= (x - float64(i)) / float64(i+1)
	}
	return c
}

// rgcnLayer adds up one edge after the other, in both directions; the inverse of relation r is r + |R|.
func (m oracle) rgcnLayer(name string, x table) table {
	z := m.linear(name, x)
	relations := 0
	for _, e := range m.edges {
		relations = max(relations, e[1]+1)
	}
	all := append([][3]int(nil), m.edges...)
	for _, e := range m.edges {
		all = append(all, [3]int{e[2], e[1] + relations, e[0]})
	}
	for _, e := range all {
		count := 0.0
		for _, f := range all {
			count += one(f[1] == e[1] && f[2] == e[2])
		}
		for j, y := range (table{x[e[0]]}).times(m.relation(name, e[1], 2*relations, len(x[0]), len(z[0])))[0] {
			z[e[2]][j] += y / count
		}
	}
	return z
}

// relation is W_r, in×out.
func (m oracle) relation(name string, r, relations, in, out int) table {
	if w, ok := m.p[name+".relations.W"]; ok {
		if len(w) == in {
			return w.columns(r*out, (r+1)*out)
		}
		return newTable(in, out).each(func(u, j int, _ float64) float64 { return w[u*relations+r][j] })
	}
	w := newTable(in, out)
	for b := range m.o.Bases {
		w = w.plus(m.p[fmt.Sprintf("%s.basis.%d.W", name, b)].scale(m.p[name+".mix"][r][b]))
	}
	return w
}
