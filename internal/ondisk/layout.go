package ondisk

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"path/filepath"

	"github.com/bloomgml/bloom/internal/files"
)

// Overview: the files of a folder. Numbers are little endian, blocks follow one another without gaps.
//
//	blocks.json     a line "bloom blocks 1 CRC", the CRC-32C of the rest in hexadecimal, and JSON: Info and all blocks
//	adjacency.bin   of a block: the degree of every row, i32, then the neighbours row by row, i32, ascending
//	features.bin    of a block: rows × columns, f32
//	labels.bin      of a block: the class of every row, i32, −1 for none; then for every split the parts of rows, u8
//	ids.bin         of a block: where the id of every row ends, u32, then the ids; no file where nodes are numbers
//
// Where there are several types of nodes or several relations the version is 2, rows of features.bin have the columns
// of their type, a neighbour is listed for every edge, and there are
//
//	types.bin       of a block: the type of every row, i32
//	relations.bin   of a block: for every neighbour 2r, or 2r + 1 if the edge goes from there to the row, i32
//
// blocks.json is written last: a folder without it is not a set of blocks, or an incomplete build, see begun.
const (
	manifestName = "blocks.json"
	magic        = "bloom blocks 1 "
	magicTyped   = "bloom blocks 2 "
)

// section is one of the files.
type section int

const (
	adjacency section = iota
	features
	labels
	ids
	types
	relations
	sections
)

var sectionNames = [sections]string{"adjacency.bin", "features.bin", "labels.bin", "ids.bin", "types.bin",
	"relations.bin"}

// Info is what is known about a set without reading its blocks.
type Info struct {
	Name    string   `json:"name"`
	Metric  string   `json:"metric,omitempty"` // what the literature reports
	Nodes   int      `json:"nodes"`
	Edges   int64    `json:"edges"`   // undirected
	Columns int      `json:"columns"` // of features; summed over all types if there are several
	Sparse  bool     `json:"sparse"`  // features come from a sparse matrix
	Classes []string `json:"classes,omitempty"`
	Splits  int      `json:"splits"`
	Named   bool     `json:"named"`           // nodes have ids; otherwise they are numbers
	Order   string   `json:"order"`           // of the nodes, see Options
	Typed   *Typed   `json:"typed,omitempty"` // nil if there is one type of nodes and one relation
}

// manifest is blocks.json.
type manifest struct {
	Info
	Blocks []span `json:"blocks"`
}

// span is a block: what is in it, and the CRC-32C of its part of every file.
type span struct {
	Rows    int   `json:"rows"`
	Entries int64 `json:"entries"` // neighbours of all rows
	IDBytes int64 `json:"id_bytes,omitempty"`
	Values  int64 `json:"values,omitempty"` // features of all rows, if there are types
	Sums    sums  `json:"crc32c"`
}

// sums are checksums, by section. Folders without types lack the last two.
type sums [sections]uint32

// MarshalJSON omits the last two checksums if they are 0; reading restores them.
func (s sums) MarshalJSON() ([]byte, error) {
	list := s[:]
	if s[types] == 0 && s[relations] == 0 {
		list = s[:types]
	}
	return json.Marshal(list)
}

// size returns how many bytes a block has in a file.
func (m *manifest) size(b span, s section) int64 {
	rows := int64(b.Rows)
	switch s {
	case adjacency:
		return 4 * (rows + b.Entries)
	case features:
		return 4 * m.valuesOf(b)
	case labels:
		return rows * int64(4+m.Splits)
	}
	switch {
	case !m.has(s):
		return 0
	case s == types:
		return 4 * rows
	case s == relations:
		return 4 * b.Entries
	}
	return 4*rows + b.IDBytes
}

// has reports whether there is a file for the section.
func (i Info) has(s section) bool {
	switch s {
	case ids:
		return i.Named
	case types, relations:
		return i.Typed != nil
	}
	return true
}

// valuesOf returns the total number of features of the rows of a block.
func (m *manifest) valuesOf(b span) int64 {
	if m.Typed == nil {
		return int64(b.Rows) * int64(m.Columns)
	}
	return b.Values
}

// magic returns how blocks.json begins.
func (i Info) magic() string {
	if i.Typed != nil {
		return magicTyped
	}
	return magic
}

// bytes returns the length of a file.
func (m *manifest) bytes(s section) (n int64) {
	for _, b := range m.Blocks {
		n += m.size(b, s)
	}
	return n
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// encode returns the text of blocks.json.
func (m *manifest) encode() ([]byte, error) {
	text, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	text = append(text, '\n')
	return append(fmt.Appendf(nil, "%s%08x\n", m.magic(), crc32.Checksum(text, castagnoli)), text...), nil
}

// readManifest reads blocks.json of a folder.
func readManifest(dir string) (*manifest, error) {
	path := filepath.Join(dir, manifestName)
	all, err := os.ReadFile(path)
	if begun(dir) && errors.Is(err, os.ErrNotExist) {
		return nil, files.Errorf(dir, "was not written completely: give the bloom data blocks command again")
	}
	if err != nil {
		return nil, files.Because(path, err)
	}
	head, text, found := bytes.Cut(all, []byte("\n"))
	if !found || !isMagic(head) {
		return nil, files.Errorf(path, "does not begin with %q or %q", magic, magicTyped)
	}
	if got, want := fmt.Sprintf("%08x", crc32.Checksum(text, castagnoli)), string(head[len(magic):]); got != want {
		return nil, files.Errorf(path, "its checksum is %s, not %s: the file is damaged", got, want)
	}
	m := new(manifest)
	if err := json.Unmarshal(text, m); err != nil {
		return nil, files.Because(path, err)
	}
	if m.magic() != string(head[:len(magic)]) {
		return nil, files.Errorf(path, "begins with %q, which contradicts the types it lists", head[:len(magic)])
	}
	return m, m.check(path)
}

// isMagic reports whether a file that begins with head is one of ours.
func isMagic(head []byte) bool {
	return bytes.HasPrefix(head, []byte(magic)) || bytes.HasPrefix(head, []byte(magicTyped))
}

// possible returns an error if counts are impossible.
func (i Info) possible(path string) error {
	if i.Nodes < 0 || i.Nodes > math.MaxInt32-1 || i.Columns < 0 || i.Columns > 1<<20 || i.Splits < 0 ||
		i.Splits > 1<<16 || i.Edges < 0 {
		return files.Errorf(path, "%d nodes, %d edges, %d columns, %d splits: at least one of these is "+
			"impossible", i.Nodes, i.Edges,
			i.Columns, i.Splits)
	}
	if i.Typed != nil {
		return i.Typed.possible(path, i.Nodes)
	}
	return nil
}

// check returns an error if the blocks do not add up.
func (m *manifest) check(path string) error {
	if err := m.possible(path); err != nil {
		return err
	}
	rows, entries, values := 0, int64(0), int64(0)
	for i, b := range m.Blocks {
		if b.Rows < 1 || b.Rows > m.Nodes || b.Entries < 0 || b.Entries > math.MaxInt32-1 || b.IDBytes < 0 ||
			b.IDBytes > math.MaxUint32 || b.Values < 0 || b.Values > math.MaxInt64/8 {
			return files.Errorf(path, "block %d has %d rows, %d neighbours and %d bytes of ids", i, b.Rows, b.Entries,
				b.IDBytes)
		}
		rows, entries, values = rows+b.Rows, entries+b.Entries, values+m.valuesOf(b)
	}
	if want := m.values(); values != want {
		return files.Errorf(path, "blocks have %d features, want %d", values, want)
	}
	if rows != m.Nodes || entries != 2*m.Edges {
		return files.Errorf(path, "blocks have %d rows and %d neighbours, want %d and %d", rows, entries, m.Nodes,
			2*m.Edges)
	}
	return nil
}
