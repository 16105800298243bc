package dataset

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/random"

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
	Features  []Matrix // one per node type, rows in the order of Graph.NodesOfType; zero if a type has no features
	Labels    Labels   // empty for link prediction
	Splits    []Split  // of labelled nodes
	// DrawnValid reports that validation nodes were drawn from the training nodes, because the files have none: a run
	// may draw others.
	DrawnValid bool
	// DrawnSplit reports that an import drew Splits, because the user did not say how to split: a run may split
	// differently.
	DrawnSplit bool
	Metric     string // what the literature reports: "accuracy", "roc_auc", "mrr" or "hits@10_50"
	Valid      []graph.Triple
	Test       []graph.Triple
	False      [2][]graph.Triple // triples known to be false, to validate and to test with; nil if none are
	Literals   int               // for link prediction: columns of Features that are numbers; those after are words
	Twin       *Dataset          // the graph of new entities, for inductive link prediction
	Times      []int64           // of nodes, in the unit of the data (years, seconds); nil if unknown
	Events     *Events           // the edges with their times, repeats included; nil if the graph is not one in time
	Corrupted  []int32           // the nodes whose features were corrupted, ascending; nil when none were
	Schema     *Schema           // how columns became features; nil for benchmark files
	Raw        *Raw              // a user's tables as they came; nil for benchmark files
	Settled    Settled           // the descent that features have gone through already; zero for original features
	Of         int               // number of nodes of the graph that these are a subset of; 0 if these are all
	Notes      []string          // what reading dropped, filled or found odd, one sentence each

	File io.Closer // the open file that holds the arrays above; may be nil. Close closes it
}

// Settled says that features are P x and in the column after them P 1, where P is the linear map of all steps of a
// descent on a graph that is not here.
type Settled struct {
	Energy string // what descended, in words; empty for original features
	Spread bool   // the spread of P x is in the columns after P 1
}

// Labels are what is to be predicted for nodes: a class, a set of classes, or a number.
type Labels struct {
	// Class is the class of every node, −1 if unknown. For sets and numbers it is 0 if the label is known. It is nil if
	// there are no labels.
	Class []int32
	Names []string // of the classes; for a number, only its own name
	Task  string   // Sets or Numbers; empty for one class per node
	// Values is for sets and numbers only: a row of len(Names) for every node, with 1 for a class in the set and else
	// 0, or the number itself.
	Values []mat.Real
}

// The tasks besides the class of a node.
const (
	Sets    = "multilabel"
	Numbers = "regression"
)

// Set returns the classes of node v, for sets only.
func (l Labels) Set(v int32) []string {
	var names []string
	for c, name := range l.Names {
		if l.Values[int(v)*len(l.Names)+c] > 0 {
			names = append(names, name)
		}
	}
	return names
}

// Extend returns l with more nodes at the end, whose labels are unknown.
func (l Labels) Extend(nodes int) Labels {
	l.Class = slices.Concat(l.Class, slices.Repeat([]int32{-1}, nodes))
	if l.Values != nil {
		l.Values = slices.Concat(l.Values, make([]mat.Real, nodes*len(l.Names)))
	}
	return l
}

// Split says which nodes train, validate and test.
type Split struct{ Train, Valid, Test []int32 }

// IsLinks reports whether triples are to be predicted rather than classes of nodes.
func (d *Dataset) IsLinks() bool {
	return d.Labels.Class == nil && (len(d.Valid) > 0 || len(d.Test) > 0)
}

// TypeName returns the name of node type t, "node" if types have no names.
func (d *Dataset) TypeName(t int32) string {
	if int(t) < len(d.Types) {
		return d.Types[t]
	}
	return "node"
}

// RelationName returns the name of relation r, its number if relations have no names.
func (d *Dataset) RelationName(r int32) string {
	if int(r) < len(d.Relations) {
		return d.Relations[r]
	}
	return strconv.Itoa(int(r))
}

// Simultaneous reports whether nodes have times and edges join only nodes of the same time, or new ones whose time is
// unknown: when one is asked about, the labels of its neighbours are as unknown as its own.
func (d *Dataset) Simultaneous() bool {
	if d.Times == nil {
		return false
	}
	to := d.Graph.Targets()
	for e, u := range d.Graph.Sources() {
		if a, b := d.Times[u], d.Times[to[e]]; a != b && min(a, b) != math.MinInt64 {
			return false
		}
	}
	return true
}

// NumFeatures returns the number of feature columns, summed over node types.
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

// Events are the edges of a graph in time: event i goes from Source[i] to Target[i] at Time[i].
type Events struct {
	Source, Target []int32
	Time           []float64 // never descending, in the unit of the file; of dates, seconds since 1970
	Dates          bool      // whether the file has dates
}

// When returns a time as it is written in the file: a number, or a date.
func (e *Events) When(t float64) string {
	if !e.Dates {
		return strconv.FormatFloat(t, 'f', -1, 64)
	}
	return time.UnixMilli(int64(math.Round(t * 1e3))).UTC().Format("2006-01-02T15:04:05.999Z07:00")
}

// WithValidation returns d with new validation nodes: in every split, the given share of the training and validation
// nodes, rounded down, become validation nodes. The draw is uniform, not by class, and a function of seed and the split
// alone. Everything else is shared with d.
func (d *Dataset) WithValidation(share float64, seed uint64) (*Dataset, error) {
	if !(share >= 0 && share < 1) {
		return nil, fmt.Errorf("the share of validation nodes is %v, want 0 ≤ share < 1", share)
	}
	other := *d
	other.Splits, other.DrawnValid = make([]Split, len(d.Splits)), false
	for i, s := range d.Splits {
		pool := slices.Concat(s.Train, s.Valid)
		slices.Sort(pool)
		random.New(seed, random.Splits).Shuffle(len(pool), func(i, j int) { pool[i], pool[j] = pool[j], pool[i] })
		n := int(share*float64(len(pool)) + 1e-9) // a product such as 28.999…96 stands for 29
		s.Train, s.Valid = pool[n:], pool[:n:n]
		slices.Sort(s.Train)
		slices.Sort(s.Valid)
		other.Splits[i] = s
	}
	return &other, nil
}
