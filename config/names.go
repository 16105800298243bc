package config

import (
	"fmt"
	"path"
	"slices"

	"github.com/bloomgml/bloom/internal/keys"
	"github.com/bloomgml/bloom/recipe"
)

// baseline is a model without an energy, for comparison.
type baseline struct{ Name, Summary, Source string }

func baselines() []baseline {
	return []baseline{
		{"trees", "boosted trees on the columns of a node and of its neighbours", "Friedman 2001; Ke et al. 2017"},
		{"closed", "ridge regression on smoothed features, chosen by leave-one-out error",
			"Wu et al. 2019; Cook 1977"},
		{"mlp", "an MLP on features alone", "Platonov et al. 2023, ResNet"},
		{"gcn", "graph convolution: means over neighbours", "Kipf and Welling 2017"},
		{"gat", "graph attention", "Veličković et al. 2018"},
		{"sage", "GraphSAGE: neighbours' mean next to the node's own row", "Hamilton et al. 2017"},
		{"appnp", "an MLP, then personalised PageRank", "Gasteiger et al. 2019"},
		{"fagcn", "attention of either sign", "Bo et al. 2021"},
		{"fsgnn", "a soft choice among powers of the graph", "Maurya et al. 2021"},
		{"gbk", "two kernels and a gate: neighbours alike or not", "Du et al. 2022"},
		{"jacobi", "JacobiConv: Jacobi polynomials of the graph", "Wang and Zhang 2022"},
		{"rgcn", "graph convolution with a matrix for every relation", "Schlichtkrull et al. 2018"},
		{"decay", "links in time: counts that decay, recency and repeats of pairs", "Cornell et al. 2025, in spirit"},
		{"refactor", "ReFactor GNN: factorisation as message passing", "Chen et al. 2022"},
	}
}

// IsBaseline reports whether a name is a baseline.
func IsBaseline(name string) bool {
	return slices.ContainsFunc(baselines(), func(b baseline) bool { return b.Name == name })
}

// Names returns the valid values of key recipe: the recipes in the order of the paper, then the baselines.
func Names() []string {
	names := recipe.Names()
	for _, b := range baselines() {
		names = append(names, b.Name)
	}
	return names
}

// find returns an error for a name that is not in Names.
func find(name string) error {
	names := Names()
	if slices.Contains(names, name) {
		return nil
	}
	err := keys.NewUnknown("recipe", name, names)
	if err.Near == nil {
		return fmt.Errorf("%w; bloom recipe list shows them", err)
	}
	return err
}

// DefaultRecipe returns the recipe for a data set when the user names none. It goes by the name alone; node.Advise
// looks at the data.
//
// Chosen: heterophily-huber for unknown data, because its C learns whether neighbours are alike; if few nodes have a
// label, C has nothing to learn from, and base is better. The built-in graph gets a small stack, which does better on
// it than a single energy and still finishes in the time that a first run may take.
func DefaultRecipe(set string) string {
	for _, d := range []struct{ pattern, recipe string }{
		{"cora", "base"}, {"citeseer", "base"}, {"pubmed", "base"}, {"ogbn-arxiv", "base"},
		{"minesweeper", "stack-compat"},
		{"aifb", "halo"}, {"mutag", "halo"}, {"bgs", "halo"}, {"am", "halo"}, {"acm", "halo"}, {"dblp", "halo"},
		{"aifb:*", "halo"}, {"mutag:*", "halo"},
		{"wn18rr-v?", "path"}, {"fb*237-v?", "path"}, {"family", "path"}, {"family:*", "path"},
		{"wn18rr", "distmult"}, {"fb15k-237", "distmult"}, {"umls", "complex"}, {"kinship", "complex"},
		{"nations", "complex"},
	} {
		if ok, _ := path.Match(d.pattern, normal(set)); ok {
			return d.recipe
		}
	}
	return "heterophily-huber"
}
