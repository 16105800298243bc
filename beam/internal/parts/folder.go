// Package parts is a graph in parts, one per worker at a time: ranges of rows of a folder of blocks, each with the
// neighbours of its rows under numbers of its own. A part knows by itself which of its rows others hear, because edges
// go both ways: rows that have a neighbour there.
//
//	f, err := parts.New(store, 7)
//	p, err := f.Cut(store, 3)          // wherever the blocks can be read
//	err = f.Write(p)
//	err = f.Complete()                 // the folder counts from here on
package parts

import (
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"

	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/ondisk"
	"github.com/bloomgml/bloom/train"
)

// Folder holds the parts of a graph, and how it was cut.
type Folder struct {
	Dir    string `json:"-"`
	Data   string `json:"data"`   // the folder of blocks
	Blocks uint32 `json:"blocks"` // the CRC-32C of its blocks.json
	Starts []int  `json:"starts"` // the first row of every part, then the number of nodes
	Edges  int64  `json:"edges"`
}

const manifestName = "parts.json"

// New cuts the rows of a store into n parts with about the same number of neighbours and rows; it creates dir.
func New(dir string, s *ondisk.Store, n int) (*Folder, error) {
	if s.Typed != nil {
		return nil, files.Errorf(s.Dir(), "graphs with types of nodes or several relations are not cut into parts")
	}
	if n < 1 || n > max(1, s.Nodes) {
		return nil, &train.BadSetting{Key: "parts", Value: fmt.Sprintf("%d parts of %d nodes", n, s.Nodes),
			Want: "a number from 1 to that of nodes"}
	}
	data, err := filepath.Abs(s.Dir())
	if err != nil {
		return nil, err
	}
	sum, err := fingerprint(data)
	if err != nil {
		return nil, err
	}
	return &Folder{Dir: dir, Data: data, Blocks: sum, Starts: starts(s, n), Edges: s.Edges}, os.MkdirAll(dir, 0o777)
}

// fingerprint returns the checksum of blocks.json, which contains the checksums of everything else.
func fingerprint(data string) (uint32, error) {
	path := filepath.Join(data, "blocks.json")
	b, err := os.ReadFile(path)
	if err != nil {
		return 0, files.Because(path, err)
	}
	return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)), nil
}

// starts cuts where the weight of the rows before reaches a multiple of one nth. Within a block all rows weigh the
// same.
func starts(s *ondisk.Store, n int) []int {
	total := float64(2*s.Edges) + float64(s.Nodes)
	out, before := []int{0}, 0.0
	for i := range s.Blocks() {
		first, end := s.Rows(i)
		weight := float64(s.Entries(i)) + float64(end-first)
		for len(out) < n && float64(len(out))*total/float64(n) < before+weight {
			share := (float64(len(out))*total/float64(n) - before) / weight
			row := first + int(share*float64(end-first))
			out = append(out, min(max(row, out[len(out)-1]+1), s.Nodes-n+len(out)))
		}
		before += weight
	}
	return append(out, s.Nodes)
}

// Open opens a complete folder, whose data must not have changed since.
func Open(dir string) (*Folder, error) {
	path := filepath.Join(dir, manifestName)
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, files.Because(path, err)
	}
	f := &Folder{Dir: dir}
	if err := json.Unmarshal(b, f); err != nil {
		return nil, files.Because(path, err)
	}
	if len(f.Starts) < 2 {
		return nil, files.Errorf(path, "it has no parts")
	}
	sum, err := fingerprint(f.Data)
	if err == nil && sum != f.Blocks {
		err = files.Errorf(f.Data, "the blocks have changed since %s was cut from them", dir)
	}
	return f, err
}

// Complete writes parts.json: a folder without it is incomplete.
func (f *Folder) Complete() error {
	for i := range f.Len() {
		if _, err := os.Stat(f.path(i)); err != nil {
			return files.Because(f.path(i), err)
		}
	}
	text, err := json.Marshal(f)
	if err != nil {
		return err
	}
	return files.Replace(filepath.Join(f.Dir, manifestName), files.WriteOptions{}, func(w io.Writer) error {
		_, err := w.Write(append(text, '\n'))
		return err
	})
}

// Len returns the number of parts.
func (f *Folder) Len() int { return len(f.Starts) - 1 }

// Nodes returns the number of rows of all parts together.
func (f *Folder) Nodes() int { return f.Starts[f.Len()] }

func (f *Folder) path(i int) string { return filepath.Join(f.Dir, fmt.Sprintf("part-%05d", i)) }

// Sum tells one cut from another: of other data, or of other parts.
func (f *Folder) Sum() uint32 {
	return crc32.Checksum(fmt.Appendf(nil, "%08x %v", f.Blocks, f.Starts), crc32.MakeTable(crc32.Castagnoli))
}
