package baseline

import (
	"fmt"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/internal/keys"
)

// Model is a network from the features of all nodes, n×In, to their predictions, n×Out. Those with batch norm
// are input.Stateful too.
type Model = input.Model

// Auxiliary is a Model with a loss of its own, which training adds to the loss of the predictions.
type Auxiliary interface {
	// Auxiliary returns the loss, 1×1, given the classes of the nodes in train: labels[v] for node v. c and x are the
	// arguments of Forward, so a program computes what the two share once.
	Auxiliary(c input.Context, x input.Features, labels, train []int32) (ad.Var, error)
}

// kinds are the models, in the order in which tables list them.
var kinds = []struct {
	name string
	make func(Options, *graph.Graph) (Model, error)
}{
	{"mlp", newMLP},
	{"gcn", newGCN},
	{"gat", newGAT},
	{"sage", newSAGE},
	{"appnp", newAPPNP},
	{"fagcn", newFAGCN},
	{"fsgnn", newFSGNN},
	{"gbk", newGBK},
	{"jacobi", newJacobi},
	{"rgcn", newRGCN},
}

// Names returns the names that New knows.
func Names() []string {
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = k.name
	}
	return names
}

// New returns the model of that name on g, with its parameters. Only "mlp" can do without a graph. The error proposes
// the nearest name, or says which option does not suit the model.
func New(name string, o Options, g *graph.Graph) (Model, error) {
	for _, k := range kinds {
		if k.name != name {
			continue
		}
		if g == nil && name != "mlp" {
			return nil, fmt.Errorf("baseline: %s needs a graph", name)
		}
		o = o.filled()
		if err := o.check(name); err != nil {
			return nil, err
		}
		return k.make(o, g)
	}
	return nil, keys.NewUnknown("baseline", name, Names())
}
