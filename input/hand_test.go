package input_test

import (
	"math"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/mat"
)

// rows is a matrix in double precision.
type rows [][]float64

func rowsOf(m *mat.Dense) rows {
	x := make(rows, m.Rows())
	for i := range x {
		for _, v := range m.Slice()[i*m.Cols() : (i+1)*m.Cols()] {
			x[i] = append(x[i], float64(v))
		}
	}
	return x
}

// each is f of every entry.
func (x rows) each(f func(i, j int) float64) rows {
	y := make(rows, len(x))
	for i := range x {
		for j := range x[i] {
			y[i] = append(y[i], f(i, j))
		}
	}
	return y
}

// times is x·w.
func (x rows) times(w rows) rows {
	y := make(rows, len(x))
	for i := range x {
		y[i] = make([]float64, len(w[0]))
		for k, v := range x[i] {
			for j := range w[k] {
				y[i][j] += v * w[k][j]
			}
		}
	}
	return y
}

// perceptron is an MLP written out, with its parameters in the order of Params.
type perceptron struct {
	input.MLP
	training bool
	params   []rows
}

// next is the next parameter.
func (p *perceptron) next() rows {
	m := p.params[0]
	p.params = p.params[1:]
	return m
}

// normalised is a norm of x: of columns, by their own mean and variance in training and by 0 and 1 in evaluation, or of
// rows.
func (p *perceptron) normalised(x rows) rows {
	const eps = 1e-5
	if p.Norm == input.NoNorm {
		return x
	}
	scale, shift := p.next()[0], p.next()[0]
	return x.each(func(i, j int) float64 {
		var list []float64
		for k := range x {
			if p.Norm == input.BatchNorm {
				list = append(list, x[k][j])
			}
		}
		if p.Norm == input.LayerNorm {
			list = x[i]
		}
		mean, vari := 0.0, 0.0
		for _, v := range list {
			mean += v / float64(len(list))
		}
		for _, v := range list {
			vari += (v - mean) * (v - mean) / float64(len(list))
		}
		if p.Norm == input.BatchNorm && !p.training {
			mean, vari = 0, 1
		}
		return (x[i][j]-mean)/math.Sqrt(vari+eps)*scale[j] + shift[j]
	})
}

// of is the perceptron on x, without dropout.
func (p *perceptron) of(x rows) rows {
	act := func(x rows) rows { return x.each(func(i, j int) float64 { return math.Tanh(x[i][j]) }) }
	if p.Lead {
		x = act(p.normalised(x))
	}
	for len(p.params) > 0 {
		z := x.times(p.next())
		if !p.NoBias {
			b := p.next()[0]
			z = z.each(func(i, j int) float64 { return z[i][j] + b[j] })
		}
		if len(p.params) == 0 {
			return z
		}
		y := act(p.normalised(z))
		if p.Residual && len(y[0]) == len(x[0]) {
			y = y.each(func(i, j int) float64 { return y[i][j] + x[i][j] })
		}
		x = y
	}
	return x
}

// TestMLPByHand: every variant is the perceptron of its formula, in evaluation and in training.
func TestMLPByHand(t *testing.T) {
	for name, c := range variants {
		c.Name, c.Activation, c.Dropout, c.InputDropout = "pi", ad.Var.Tanh, 0, 0
		m := build(t, c)
		for mode, ctx := range map[string]input.Context{"training": input.Training(nil),
			"evaluation": input.Evaluation()} {
			p := &perceptron{MLP: c, training: ctx.Training}
			for i, w := range m.Params() {
				mat.Uniform(w.Value(), -1, 1, uint64(i))
				p.params = append(p.params, rowsOf(w.Value()))
			}
			x := drawn(6, 5, -2, 2, 9)
			got, want := rowsOf(ad.Eval(m.Forward(ctx, input.Dense(x)))), p.of(rowsOf(x))
			want.each(func(i, j int) float64 {
				if math.Abs(got[i][j]-want[i][j]) > tolerance {
					t.Errorf("%s in %s: entry %d, %d is %v, want %v", name, mode, i, j, got[i][j], want[i][j])
				}
				return 0
			})
		}
	}
}
