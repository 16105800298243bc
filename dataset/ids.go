package dataset

import (
	"bytes"
	"fmt"
	"html"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/bloomgml/bloom/internal/keys"
)

// IDs are the names that users give to nodes, one after another in one array of bytes, so that a file that is mapped
// into memory has them without a copy. The zero value of Ends names node i by its number.
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

// Find returns the nodes of a name, ascending: one for each node type that has it. n is the number of nodes.
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

// FoldID appends what ids are compared by: lower case, without spaces, without the .0 that whole numbers get from
// programs that take them for others, without the zeros before numbers that Excel takes away, without the hyphen of
// C-0017 between letters and digits, and without HTML entities. Phone numbers such as +49 (171) 123-45 and
// 004917112345 are compared by their digits.
func FoldID(dst, id []byte) []byte {
	id = bytes.TrimSpace(id)
	isDigits := func(text []byte) bool {
		return bytes.IndexFunc(text, func(r rune) bool { return r < '0' || r > '9' }) < 0
	}
	if whole, found := bytes.CutSuffix(id, []byte(".0")); found && len(whole) > 0 && isDigits(whole) {
		id = whole
	}
	if bytes.IndexByte(id, '&') >= 0 {
		id = []byte(html.UnescapeString(string(id)))
	}
	if bytes.IndexByte(id, ' ') >= 0 || bytes.IndexByte(id, 0xa0) >= 0 {
		id = dropRunes(id, unicode.IsSpace)
	}
	if len(id) > 4 && (id[0] == '+' || id[0] == '0' && id[1] == '0') {
		if phone := dropRunes(id, func(r rune) bool { return strings.ContainsRune("+()-/.", r) }); isDigits(phone) {
			id = phone
		}
	}
	if len(id) > 1 && id[0] == '0' && isDigits(id) {
		last := len(id) - 1
		id = id[last-len(bytes.TrimLeft(id[:last], "0")):]
	}
	for _, c := range id {
		if c >= utf8.RuneSelf {
			return append(dst, bytes.ToLower(id)...)
		}
	}
	for i, c := range id {
		if (c == '-' || c == '_') && i > 0 && i+1 < len(id) && isLetter(id[i-1]) && isDigits(id[i+1:i+2]) {
			continue
		}
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		dst = append(dst, c)
	}
	return dst
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// dropRunes returns text without some runes.
func dropRunes(text []byte, some func(rune) bool) []byte {
	return bytes.Map(func(r rune) rune {
		if some(r) {
			return -1
		}
		return r
	}, text)
}

// Node returns the node of an id, which may be written type/id. The error proposes what may have been meant.
func (d *Dataset) Node(id string) (int32, error) {
	types := d.Graph.NodeTypes()
	found := d.Find(id)
	if len(found) == 1 {
		return found[0], nil
	}
	if kind, rest, ok := strings.Cut(id, "/"); ok && types != nil {
		for _, v := range d.Find(rest) {
			if d.TypeName(types[v]) == kind {
				return v, nil
			}
		}
	}
	if len(found) == 0 {
		some := make([]string, min(d.Graph.NumNodes(), 20000)) // comparing with millions takes too long
		for v := range some {
			some[v] = d.IDs.At(int32(v))
		}
		return 0, keys.NewUnknown("node", id, some)
	}
	var of []string
	for _, v := range found {
		of = append(of, d.TypeName(types[v]))
	}
	return 0, fmt.Errorf("nodes of the types %s have the id %q; write %s", strings.Join(of, ", "), id, of[0]+"/"+id)
}

// Find returns the nodes of an id, ascending: one for each node type that has it. If the import compared ids by FoldID,
// an id that no node has as it is written is compared so too.
func (d *Dataset) Find(id string) []int32 {
	found := d.IDs.Find(id, d.Graph.NumNodes())
	if len(found) == 0 && d.Schema != nil && len(d.Schema.Types) > 0 && d.Schema.Types[0].Folded {
		return d.IDs.findFolded(id)
	}
	return found
}

// NodeName returns the id of a node, with its type if there are several, as Node finds it.
func (d *Dataset) NodeName(v int32) string {
	if types := d.Graph.NodeTypes(); types != nil {
		return d.TypeName(types[v]) + "/" + d.IDs.At(v)
	}
	return d.IDs.At(v)
}
