package node

import (
	"fmt"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/internal/generate"
	"github.com/bloomgml/bloom/mat"
)

// TestMemoryPerLevel holds ARCHITECTURE.md to its formula: the memory of a training pass grows by m matrices of n·d
// numbers a level, and by a few of d² and n.
func TestMemoryPerLevel(t *testing.T) {
	if _, ok := mat.Default().(mat.Descender); !ok {
		t.Skip("the formula is of devices that have steps and norms as one operation")
	}
	const n, hidden = 704, 64
	d, _, err := generate.Make(fmt.Sprintf("csbm:nodes=%d,degree=8,seed=1", n))
	if err != nil {
		t.Fatal(err)
	}
	matrix, small := mat.New(n, hidden).Bytes(), 4*mat.New(1, hidden*hidden+n).Bytes()
	for _, x := range []struct {
		recipe string
		set    []string
		m      float64
	}{
		{"stack-laplace", nil, 5},
		{"stack-laplace", []string{"stack.norm=batch"}, 6},
		{"stack-compat", nil, 7},
		{"stack-compat", []string{"energy.steps=2"}, 9},
		{"stack-bundle", nil, 6.5},
		{"stack-bundle", []string{"energy.steps=2"}, 6.5},
	} {
		at := func(levels int) int {
			return trainingBytes(d, x.recipe, append([]string{"energy.steps=1", "stack.norm=layer", "model.dropout=0.2",
				fmt.Sprint("stack.levels=", levels), fmt.Sprint("model.hidden=", hidden)}, x.set...))
		}
		two, four, eight := at(2), at(4), at(8)
		per, want := (four-two)/2, int(x.m*float64(matrix))
		if rest := per - want; rest < 0 || rest > small || eight-four != 4*per {
			t.Errorf("%s %v: %d and %d bytes a level, want %d and at most %d more", x.recipe, x.set, per,
				(eight-four)/4, want, small)
		}
	}
}

// trainingBytes is the memory of the program for loss and gradients.
func trainingBytes(d *dataset.Dataset, recipe string, set []string) int {
	c := must(config.Load(config.Options{Recipe: recipe, Data: d.Name, Set: set}))
	task := must(Build(*c, d, Trials(*c, d)[0], Options{}))
	loss := must(task.Stack.Loss(input.Training(&ad.Clock{}), task.On))
	var xs []ad.Var
	for _, p := range task.Stack.Params() {
		xs = append(xs, p.Var)
	}
	return ad.Compile(append([]ad.Var{loss}, ad.Grad(loss, xs...)...)...).Bytes()
}
