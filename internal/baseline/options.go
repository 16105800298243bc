package baseline

import (
	"cmp"
	"fmt"

	"github.com/bloomgml/bloom/input"
)

// Options describe a model. Fields that a model has no use for are ignored.
type Options struct {
	In     int // features; 0, none at all, is for rgcn only
	Hidden int // width between layers, all heads of a gat together; 0 means 64
	Out    int // classes, or numbers to predict
	Layers int // 0 means 2: weight matrices of mlp and appnp, convolutions elsewhere; not in fsgnn and jacobi
	Heads  int // of gat, a divisor of Hidden; 0 means 8
	Hops   int // K; 0 means 10 in appnp and jacobi, 3 in fsgnn
	Bases  int // of rgcn; 0 means a matrix for every relation

	InputDropout float64 // probability, on the features
	Dropout      float64 // probability, on what is between layers
	EdgeDropout  float64 // probability, on the weights of edges: gat, appnp, fagcn

	Norm       input.Norm // of mlp, gcn, sage and gat, before every activation
	Residual   bool       // add the input of a hidden layer to its output, where widths agree: the same models
	Activation Activation // of the same models
	Blocks     bool       // the same models as residual blocks; see blocks
	Separate   bool       // of gcn and gat: a node has its own matrix besides its neighbours' matrix; see separate

	// Alpha is a model-specific number: of appnp the probability α to return (0 means 0.1), of fagcn the weight ε of
	// the first layer (0.3), of jacobi the bound γ′ of its factors (1), of gbk the weight λ of the loss of its gate
	// (1).
	Alpha  float64
	Jacobi *Jacobi // nil means a = b = 1

	Seed uint64
}

// filled is o with the defaults that do not depend on the model.
func (o Options) filled() Options {
	o.Hidden, o.Layers, o.Heads = cmp.Or(o.Hidden, 64), cmp.Or(o.Layers, 2), cmp.Or(o.Heads, 8)
	return o
}

// check says what is wrong with o for any model.
func (o Options) check(name string) error {
	switch {
	case o.In < 0 || o.In == 0 && name != "rgcn":
		return fmt.Errorf("baseline: %s with %d features", name, o.In)
	case o.Out < 1 || o.Hidden < 1 || o.Layers < 1 || o.Heads < 1 || o.Hops < 0 || o.Bases < 0:
		return fmt.Errorf("baseline: %s with Hidden %d, Out %d, Layers %d, Heads %d, Hops %d, Bases %d: none may be "+
			"negative, and there must be an output",
			name, o.Hidden, o.Out, o.Layers, o.Heads, o.Hops, o.Bases)
	case o.Norm > input.LayerNorm:
		return fmt.Errorf("baseline: %s with the unknown norm %d", name, o.Norm)
	case o.Activation > ELU:
		return fmt.Errorf("baseline: %s with the unknown activation %d", name, o.Activation)
	case !(o.Alpha >= 0) || o.Alpha > 1e6:
		return fmt.Errorf("baseline: %s with Alpha %v", name, o.Alpha)
	}
	for _, p := range []float64{o.InputDropout, o.Dropout, o.EdgeDropout} {
		if !(p >= 0 && p < 1) {
			return fmt.Errorf("baseline: %s with dropout %v, which must be in [0, 1)", name, p)
		}
	}
	return nil
}

// sizes returns the widths from the features to the output.
func (o Options) sizes() []int {
	s := []int{o.In}
	for range o.Layers - 1 {
		s = append(s, o.Hidden)
	}
	return append(s, o.Out)
}
