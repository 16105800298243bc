package importer

import (
	"errors"
	"fmt"
	"slices"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/intern"
	"github.com/bloomgml/bloom/internal/tabular"
)

// nodeIndex numbers nodes by type and id.
type nodeIndex struct {
	open     bool     // unknown ids become nodes
	types    []string // empty when there is one
	tables   []*intern.Table
	numbers  [][]int32 // the node of every entry of a table; nil when there is one table, whose entries are the nodes
	nodeType []int32   // of every node; nil when there is one type
	late     lateIDs   // on their way to the one table
}

// lateIDs are ids that are added together, because waiting for memory once for all of them takes less time.
type lateIDs struct {
	names [][]byte
	nodes []*int32 // where their numbers go
}

// newNodeIndex is an index for nodes of the given types, or of one type without a name.
func newNodeIndex(types []string) (nodeIndex, error) {
	var x nodeIndex
	for t, name := range types {
		if name == "" && len(types) > 1 {
			return x, errors.New("several tables of nodes need names: --nodes person=people.csv")
		}
		if slices.Contains(types[:t], name) {
			return x, fmt.Errorf("node type %q is given twice", name)
		}
	}
	if len(types) > 1 {
		x.types, x.numbers = types, make([][]int32, len(types))
	}
	for range max(1, len(types)) {
		x.tables = append(x.tables, intern.NewTable(0, 0))
	}
	return x, nil
}

// add numbers an id of type t, the next free number if it is new.
func (x *nodeIndex) add(t int, id []byte) int32 {
	n := x.tables[t].ID(id)
	if x.numbers == nil {
		return n
	}
	if int(n) == len(x.numbers[t]) {
		x.numbers[t] = append(x.numbers[t], int32(len(x.nodeType)))
		x.nodeType = append(x.nodeType, int32(t))
	}
	return x.numbers[t][n]
}

// addLater is add for an id whose number is wanted, in node, not before flush.
func (x *nodeIndex) addLater(t int, id []byte, node *int32) {
	if x.numbers != nil {
		*node = x.add(t, id)
		return
	}
	x.late.names, x.late.nodes = append(x.late.names, id), append(x.late.nodes, node)
	if len(x.late.names) == intern.BatchSize {
		x.flush()
	}
}

// flush adds the ids that wait, in the order in which they came.
func (x *nodeIndex) flush() {
	var numbers [intern.BatchSize]int32
	x.tables[0].IDAll(numbers[:], x.late.names)
	for i, node := range x.late.nodes {
		*node = numbers[i]
	}
	x.late.names, x.late.nodes = x.late.names[:0], x.late.nodes[:0]
}

// Results of find that are not nodes.
const (
	unknownNode   int32 = -1
	missingNode   int32 = -2
	ambiguousNode int32 = -3
)

// find is the node of an id of type t, of any type where t is −1.
func (x *nodeIndex) find(t int, id []byte) int32 {
	if len(id) == 0 {
		return missingNode
	}
	if t < 0 {
		found := unknownNode
		for t := range x.tables {
			if v := x.find(t, id); v >= 0 {
				if found >= 0 {
					return ambiguousNode
				}
				found = v
			}
		}
		return found
	}
	n, ok := x.tables[t].Find(id)
	switch {
	case !ok:
		return unknownNode
	case x.numbers == nil:
		return n
	}
	return x.numbers[t][n]
}

// at is the node of row i of type t.
func (x *nodeIndex) at(t, i int) int32 {
	if x.numbers == nil {
		return int32(i)
	}
	return x.numbers[t][i]
}

// typeOf is the number of a type by its name.
func (x *nodeIndex) typeOf(name string) (int, bool) {
	for t, other := range x.types {
		if other == name {
			return t, true
		}
	}
	return 0, false
}

// count is the number of nodes.
func (x *nodeIndex) count() int {
	if x.numbers == nil {
		return x.tables[0].Len()
	}
	return len(x.nodeType)
}

// freeze gives back what only find and add need; neither may be called afterwards.
func (x *nodeIndex) freeze() {
	for _, t := range x.tables {
		t.Freeze()
	}
}

// ids are the names of all nodes.
func (x *nodeIndex) ids() dataset.IDs {
	if x.numbers == nil {
		return dataset.MapIDs(x.tables[0].Ends(), x.tables[0].Bytes())
	}
	var names tabular.Texts
	next := make([]int32, len(x.tables)) // entries of a type come in the order of its nodes
	for _, t := range x.nodeType {
		names.Append(x.tables[t].At(next[t]))
		next[t]++
	}
	return dataset.MapIDs(names.Ends, names.Bytes)
}
