package dataset

import (
	"io"
	"slices"
	"strconv"

	"github.com/bloomgml/bloom/graph"

	"github.com/bloomgml/bloom/mat"
)

// Dataset is a graph and all that is known about it. It is not modified once it is open: transforms
// such as Corrupt return a new one that shares what they leave alone.
//
// There are three kinds. Node classification has Labels and Splits. Link prediction has named
// relations, Valid and Test: Graph holds the training triples only. Its inductive form has a Twin
// with the same relations and other entities, on which it is tested.
type Dataset struct {
	Name      string
	Graph     *graph.Graph
	IDs       IDs      // of nodes
	Types     []string // names of node types; empty when there is one
	Relations []string // names of relations; empty when there is one
	Features  []Matrix // one per node type, rows in the order of Graph.NodesOfType; zero where a type has none
	Labels    Labels   // empty for link prediction
	Splits    []Split  // of labelled nodes
	// validation nodes were drawn from the training nodes, as files name none: a run may draw others
	DrawnValid bool
	// nobody said how the labelled nodes are to be divided, and an import drew Splits: a run may divide them otherwise
	DrawnSplit bool
	Metric     string // what the literature reports: "accuracy", "roc_auc", "mrr" or "hits@10_50"
	Valid      []graph.Triple
	Test       []graph.Triple
	Twin       *Dataset // the graph of new entities, for inductive link prediction
	Times      []int64  // of nodes, in the unit of the data (years, seconds); nil where they are not known
	Corrupted  []int32  // the nodes whose features were corrupted, ascending; nil when none were
	Schema     *Schema  // how columns became features; nil for benchmark files
	Raw        *Raw     // a user's tables as they came; nil for benchmark files
	Settled    Settled  // the descent that features have gone through already; zero for features as they came
	Of         int      // nodes of the graph that these are some of; 0 where these are all
	Notes      []string // what reading dropped, filled or found odd, one sentence each

	File io.Closer // the open file that the arrays above lie in; nil where there is none. Close closes it
}

// Settled says that features are P x and in the column after them P 1, P being the linear map of all steps of a descent
// on a graph that is not here.
type Settled struct {
	Energy string // what descended, in words; empty for features as they came
	Spread bool   // the spread of P x is in the columns after P 1
}

// Labels are what is to be told of nodes: a class, a set of classes, or a number.
type Labels struct {
	// Class is the class of every node, −1 where it is not known. For sets and numbers it is 0 where the label is
	// known. It is nil where there are no labels.
	Class []int32
	Names []string // of the classes; of a number, its own name alone
	Task  string   // Sets or Numbers; empty for one class a node
	// Values are, of sets and numbers alone, a row of len(Names) for every node: 1 for a class that is in the set, else
	// 0; the number itself.
	Values []mat.Real
}

// The tasks beside the class of a node.
const (
	Sets    = "multilabel"
	Numbers = "regression"
)

// Set are the classes of node v, of sets alone.
func (l Labels) Set(v int32) []string {
	var names []string
	for c, name := range l.Names {
		if l.Values[int(v)*len(l.Names)+c] > 0 {
			names = append(names, name)
		}
	}
	return names
}

// Extend is l with more nodes after its own, whose labels are not known.
func (l Labels) Extend(nodes int) Labels {
	l.Class = slices.Concat(l.Class, slices.Repeat([]int32{-1}, nodes))
	if l.Values != nil {
		l.Values = slices.Concat(l.Values, make([]mat.Real, nodes*len(l.Names)))
	}
	return l
}

// Split says which nodes teach, choose and test.
type Split struct{ Train, Valid, Test []int32 }

// IsLinks reports whether triples are to be predicted rather than classes of nodes.
func (d *Dataset) IsLinks() bool {
	return d.Labels.Class == nil && (len(d.Valid) > 0 || len(d.Test) > 0)
}

// TypeName is the name of node type t, "node" where types have no names.
func (d *Dataset) TypeName(t int32) string {
	if int(t) < len(d.Types) {
		return d.Types[t]
	}
	return "node"
}

// RelationName is the name of relation r, its number where relations have no names.
func (d *Dataset) RelationName(r int32) string {
	if int(r) < len(d.Relations) {
		return d.Relations[r]
	}
	return strconv.Itoa(int(r))
}

// NumFeatures is the number of feature columns, summed over node types.
func (d *Dataset) NumFeatures() int {
	n := 0
	for _, x := range d.Features {
		n += x.Cols
	}
	return n
}

// Close releases the file that d was opened from. Only sets read from .bloom files hold one, and
// for others Close does nothing. Nothing of d, nor of a set made from it, may be used afterwards;
// a program that needs d until its end need not call it.
func (d *Dataset) Close() error {
	if d.File == nil {
		return nil
	}
	return d.File.Close()
}
