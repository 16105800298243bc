package importer

import (
	"errors"
	"fmt"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/build"
)

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
