package dataset

import (
	"strconv"
	"sync"
)

// IDs are the names that users give to nodes, one after another in one array of bytes, so that a
// file that is mapped into memory has them without a copy. The zero value of Ends names node i by
// its number.
type IDs struct {
	Ends  []int64 // id i is Bytes[Ends[i−1]:Ends[i]]
	Bytes []byte
	index *idIndex
}

// idIndex is built when the first id is looked up.
type idIndex struct {
	once, fold    sync.Once
	nodes, folded map[string][]int32
}

// NewIDs returns the IDs of names.
func NewIDs(names []string) IDs {
	ids := IDs{Ends: make([]int64, len(names)), index: new(idIndex)}
	for i, name := range names {
		ids.Bytes = append(ids.Bytes, name...)
		ids.Ends[i] = int64(len(ids.Bytes))
	}
	return ids
}

// MapIDs returns IDs whose names lie end to end in b, name i ending at ends[i]. It keeps both slices.
func MapIDs(ends []int64, b []byte) IDs { return IDs{Ends: ends, Bytes: b, index: new(idIndex)} }

// At returns the name of node i.
func (ids IDs) At(i int32) string {
	if ids.Ends == nil {
		return strconv.Itoa(int(i))
	}
	start := int64(0)
	if i > 0 {
		start = ids.Ends[i-1]
	}
	return string(ids.Bytes[start:ids.Ends[i]])
}

// Find returns the nodes of a name, ascending: one for each node type that has it. n is the number
// of nodes.
func (ids IDs) Find(name string, n int) []int32 {
	if ids.Ends == nil {
		v, err := strconv.Atoi(name)
		if err != nil || v < 0 || v >= n || strconv.Itoa(v) != name {
			return nil
		}
		return []int32{int32(v)}
	}
	ids.index.once.Do(func() { ids.index.nodes = ids.by(func(name string) string { return name }) })
	return ids.index.nodes[name]
}

// findFolded is Find for names that are the same by FoldID.
func (ids IDs) findFolded(name string) []int32 {
	if ids.Ends == nil {
		return nil
	}
	fold := func(name string) string { return string(FoldID(nil, []byte(name))) }
	ids.index.fold.Do(func() { ids.index.folded = ids.by(fold) })
	return ids.index.folded[fold(name)]
}

// by returns the nodes by a form of their names.
func (ids IDs) by(form func(string) string) map[string][]int32 {
	nodes := make(map[string][]int32, len(ids.Ends))
	for i := range ids.Ends {
		name := form(ids.At(int32(i)))
		nodes[name] = append(nodes[name], int32(i))
	}
	return nodes
}
