package importer

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/build"
)

// nodeIndex numbers nodes by type and id.
type nodeIndex struct {
	open     []bool   // by type: unknown ids become nodes
	known    int      // nodes that were there before the tables were read
	types    []string // empty when there is one
	tables   []*build.Names
	numbers  [][]int32 // the node of every entry of a table; nil when there is one table, whose entries are the nodes
	nodeType []int32   // of every node; nil when there is one type
	late     lateIDs   // on their way to the one table

	fold   bool            // the tables hold folded ids
	texts  []dataset.Texts // the ids as they are written then
	folded atomic.Int64    // ends of edges that are spelt differently
}

// lateIDs are ids that are added together, because waiting for memory once for all of them is faster.
type lateIDs struct {
	names [][]byte
	nodes []*int32 // where their numbers go
}

// newNodeIndex returns an index for nodes of the given types, or of one type without a name.
func newNodeIndex(types []string, fold bool) (*nodeIndex, error) {
	n := max(1, len(types))
	x := &nodeIndex{fold: fold, texts: make([]dataset.Texts, n), open: make([]bool, n)}
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
	for range n {
		x.tables = append(x.tables, build.NewNames(0, 0))
	}
	return x, nil
}

// indexOf returns the index of the nodes of d.
func indexOf(d *dataset.Dataset, fold bool) (*nodeIndex, error) {
	types, kinds := []string(nil), d.Graph.NodeTypes()
	if kinds != nil {
		for t := range d.Graph.NumTypes() {
			types = append(types, d.TypeName(int32(t)))
		}
	}
	x, err := newNodeIndex(types, fold)
	if err != nil {
		return nil, err
	}
	for v := range int32(d.Graph.NumNodes()) {
		t := 0
		if kinds != nil {
			t = int(kinds[v])
		}
		if x.add(t, []byte(d.IDs.At(v))) != v {
			return nil, fmt.Errorf("%s has several nodes %q", d.Name, d.IDs.At(v))
		}
	}
	x.known = d.Graph.NumNodes()
	return x, nil
}

// isOpen reports whether unknown ids of type t become nodes.
func (x *nodeIndex) isOpen(t int) bool { return t >= 0 && x.open[t] }

// grows reports whether looking up ids must wait while others are added: one table of ids that are compared as they are
// written need not.
func (x *nodeIndex) grows() bool { return len(x.tables) > 1 || x.fold && slices.Contains(x.open, true) }

// key returns the form of an id that is compared.
func (x *nodeIndex) key(id []byte) []byte {
	if x.fold {
		return dataset.FoldID(nil, id)
	}
	return id
}

// has reports whether an id of type t was added, and whether it was spelt differently.
func (x *nodeIndex) has(t int, id []byte) (known, otherwise bool) {
	n, known := x.tables[t].Find(x.key(id))
	return known, known && x.otherwise(t, n, id)
}

// otherwise reports whether entry n of type t is spelt differently from id.
func (x *nodeIndex) otherwise(t int, n int32, id []byte) bool {
	return x.fold && !bytes.Equal(x.texts[t].Get(int(n)), id)
}

// add numbers an id of type t, the next free number if it is new.
func (x *nodeIndex) add(t int, id []byte) int32 {
	n := x.tables[t].ID(x.key(id))
	if x.fold && int(n) == x.texts[t].Len() {
		x.texts[t].Append(bytes.TrimSpace(id))
	} else if x.otherwise(t, n, id) {
		x.folded.Add(1)
	}
	if x.numbers == nil {
		return n
	}
	if int(n) == len(x.numbers[t]) {
		x.numbers[t] = append(x.numbers[t], int32(len(x.nodeType)))
		x.nodeType = append(x.nodeType, int32(t))
	}
	return x.numbers[t][n]
}

// addLater is add for an id whose number is needed, in node, only after flush.
func (x *nodeIndex) addLater(t int, id []byte, node *int32) {
	if x.numbers != nil || x.fold {
		*node = x.add(t, id)
		return
	}
	x.late.names, x.late.nodes = append(x.late.names, id), append(x.late.nodes, node)
	if len(x.late.names) == build.BatchSize {
		x.flush()
	}
}

// flush adds the ids that wait, in the order in which they came.
func (x *nodeIndex) flush() {
	var numbers [build.BatchSize]int32
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

// find returns the node of an id of type t, of any type if t is −1.
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
	n, ok := x.tables[t].Find(x.key(id))
	if ok && x.otherwise(t, n, id) {
		x.folded.Add(1)
	}
	switch {
	case !ok:
		return unknownNode
	case x.numbers == nil:
		return n
	}
	return x.numbers[t][n]
}

// at returns the node of row i of type t.
func (x *nodeIndex) at(t, i int) int32 {
	if x.numbers == nil {
		return int32(i)
	}
	return x.numbers[t][i]
}

// typeOf returns the number of a type by its name, −1 if there is none.
func (x *nodeIndex) typeOf(name string) int { return slices.Index(x.types, name) }

func (x *nodeIndex) count() int {
	if x.numbers == nil {
		return x.tables[0].Len()
	}
	return len(x.nodeType)
}

// freeze releases what only find and add need; neither may be called afterwards.
func (x *nodeIndex) freeze() {
	for _, t := range x.tables {
		t.Freeze()
	}
}

func (x *nodeIndex) ids() dataset.IDs {
	if x.numbers == nil && x.fold {
		return dataset.MapIDs(x.texts[0].Ends, x.texts[0].Bytes)
	}
	if x.numbers == nil {
		return dataset.MapIDs(x.tables[0].Ends(), x.tables[0].Bytes())
	}
	var names dataset.Texts
	next := make([]int32, len(x.tables)) // entries of a type come in the order of its nodes
	for _, t := range x.nodeType {
		if x.fold {
			names.Append(x.texts[t].Get(int(next[t])))
		} else {
			names.Append(x.tables[t].At(next[t]))
		}
		next[t]++
	}
	return dataset.MapIDs(names.Ends, names.Bytes)
}

// Overview: ids are compared as written until an end of an edge matches a node by dataset.FoldID only. Then the import
// starts again and compares all ids so, which merges nodes whose ids differ only in case. It does not if folding would
// merge more than a twentieth of the nodes, because their case then means something.

// errFold stops an import that compares ids as written.
var errFold = errors.New("ids differ in case or spaces")

// folder finds nodes of one type by their folded ids, while ids are compared as written.
type folder struct {
	names *build.Names
	same  int // ids that equal an earlier one when folded
}

// foldable reports whether an id that no node of type t has is the folded id of one, and folding is allowed; −1 is any
// type.
func (e *edgeImport) foldable(t int, id []byte) bool {
	open := e.nodes.isOpen(max(t, 0))
	if e.fold || e.spec.ExactIDs || open && e.old == nil {
		return false
	}
	key := dataset.FoldID(nil, id)
	if was, there := e.values[string(key)]; open && there && was != string(id) {
		return true
	}
	if open {
		e.values[string(key)] = string(id)
	}
	for k, names := range e.nodes.tables {
		if t >= 0 && t != k {
			continue
		}
		f := e.folder(k)
		if _, known := f.names.Find(key); known {
			if 20*f.same <= names.Len() && (e.old == nil || f.same == 0) { // old nodes stay
				return true
			}
			e.cased++
		}
	}
	return false
}

func (e *edgeImport) folder(k int) *folder {
	if e.folders == nil {
		e.folders = make([]*folder, len(e.nodes.tables))
	}
	if e.folders[k] == nil {
		e.folders[k] = folderOf(e.nodes.tables[k], e.nodes.tables[k].Len())
	}
	return e.folders[k]
}

// folderOf returns the folder of the first n names.
func folderOf(names *build.Names, n int) *folder {
	f := &folder{names: build.NewNames(n, 0)}
	var key []byte
	for i := range int32(n) {
		key = dataset.FoldID(key[:0], names.At(i))
		if _, known := f.names.Find(key); known {
			f.same++
			continue
		}
		f.names.ID(key)
	}
	return f
}

// Where no table says which nodes there are, ids are folded if one of manySame equals another then, of the first
// firstEnds.
const manySame, firstEnds = 5, 1 << 17

// foldsEnds reports whether ends of edges without tables of nodes are the same nodes in several spellings.
func (e *edgeImport) foldsEnds() bool {
	if e.fold || e.spec.ExactIDs || len(e.spec.Nodes) > 0 || e.old != nil || len(e.nodes.tables) > 1 ||
		len(e.relations.Names()) > 1 {
		return false
	}
	names := e.nodes.tables[0]
	n := min(names.Len(), firstEnds)
	return n >= fewLabels && manySame*folderOf(names, n).same >= n
}

// tellFold notes what folding did.
func (e *edgeImport) tellFold() {
	switch {
	case e.cased > 0:
		e.note("%d more ends of edges would find their nodes if case were ignored, "+
			"but more than 5 %% of the nodes would be merged", e.cased)
	case e.nodes.folded.Load() > 0:
		text := fmt.Sprintf("case, spaces, hyphens and leading zeros of ids are ignored: %d more ends of edges "+
			"find their nodes",
			e.nodes.folded.Load())
		if e.same > 0 {
			text += fmt.Sprintf(", and %d rows of nodes are the same node as an earlier one", e.same)
		}
		e.notes = append(e.notes, text+"; --ids exact compares them as they are written")
	}
}
