package ondisk

import (
	"errors"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/mat"
)

// Store is an open folder. Its methods are safe for concurrent use.
type Store struct {
	Info
	dir    string
	m      *manifest
	files  [sections]*os.File // nil if there is no such file
	first  []int              // first row of every block, then the number of nodes
	offset [sections][]int64  // of every block in every file
}

// Is reports whether path is such a folder, or one whose build has begun.
func Is(path string, dir bool) bool {
	if !dir || begun(path) {
		return dir
	}
	f, err := os.Open(filepath.Join(path, manifestName))
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, len(magic))
	_, err = io.ReadFull(f, head)
	return err == nil && isMagic(head)
}

// Open opens a folder. It reads blocks.json and checks the lengths of all files; contents are verified when they are
// read. The error is a *files.Error.
func Open(dir string) (*Store, error) {
	m, err := readManifest(dir)
	if err != nil {
		return nil, err
	}
	s := &Store{Info: m.Info, dir: dir, m: m}
	row := 0
	var at [sections]int64
	for _, b := range m.Blocks {
		s.first = append(s.first, row)
		row += b.Rows
		for k := range sections {
			s.offset[k] = append(s.offset[k], at[k])
			at[k] += m.size(b, k)
		}
	}
	s.first = append(s.first, row)
	for k := range sections {
		if err := s.open(k, at[k]); err != nil {
			return nil, errors.Join(err, s.Close())
		}
	}
	return s, nil
}

// open opens a file that must have want bytes.
func (s *Store) open(k section, want int64) error {
	if !s.has(k) {
		return nil
	}
	path := s.path(k)
	f, err := os.Open(path)
	if err != nil {
		return files.Because(path, err)
	}
	s.files[k] = f
	info, err := f.Stat()
	if err != nil {
		return files.Because(path, err)
	}
	if got := info.Size(); got != want {
		return files.Errorf(path, "the file has %d bytes, %s says %d: it was cut or changed", got, manifestName, want)
	}
	return nil
}

func (s *Store) path(k section) string { return filepath.Join(s.dir, sectionNames[k]) }

// Close closes the files.
func (s *Store) Close() error {
	var errs []error
	for _, f := range s.files {
		if f != nil {
			errs = append(errs, f.Close())
		}
	}
	return errors.Join(errs...)
}

// Dir returns the path of the folder.
func (s *Store) Dir() string { return s.dir }

// Blocks returns the number of blocks.
func (s *Store) Blocks() int { return len(s.m.Blocks) }

// Rows returns the range of nodes of block i: first, and one past the last.
func (s *Store) Rows(i int) (first, end int) { return s.first[i], s.first[i+1] }

// Entries returns the total number of neighbours of the nodes of block i.
func (s *Store) Entries(i int) int { return int(s.m.Blocks[i].Entries) }

// read fills b with the data of block i in a file, and verifies its checksum.
func (s *Store) read(k section, i int, b []byte) error {
	at := s.offset[k][i]
	if n, err := s.files[k].ReadAt(b, at); n < len(b) {
		return files.ErrorAtByte(s.path(k), at, "block %d has %d of its %d bytes: %v", i, n, len(b), err)
	}
	if got, want := crc32.Checksum(b, castagnoli), s.m.Blocks[i].Sums[k]; got != want {
		return files.ErrorAtByte(s.path(k), at,
			"the checksum of block %d, %d bytes, is %08x, not %08x: it was changed "+
				"or damaged", i, len(b), got, want)
	}
	return nil
}

// Adjacency holds the neighbours of the nodes of a block: Idx[Ptr[r]:Ptr[r+1]], ascending, for row r. The next
// Store.Adjacency reuses its memory.
type Adjacency struct {
	Ptr []int64
	Idx []int32
	// Code is used if the graph has Typed: 2r for a neighbour to which an edge of relation r goes, 2r + 1 for one from
	// which it comes. A neighbour appears once for every edge.
	Code []int32
	room []int32
}

// Adjacency reads the neighbours of block i into a.
func (s *Store) Adjacency(i int, a *Adjacency) error {
	b := s.m.Blocks[i]
	a.room = sized(a.room, b.Rows+int(b.Entries))
	if err := s.read(adjacency, i, bytesOf(a.room)); err != nil {
		return err
	}
	fromFile(a.room)
	a.Ptr, a.Idx = append(a.Ptr[:0], 0), a.room[b.Rows:]
	at := int64(0)
	for _, d := range a.room[:b.Rows] {
		at += int64(d)
		a.Ptr = append(a.Ptr, at)
	}
	if at != b.Entries {
		return files.ErrorAtByte(s.path(adjacency), s.offset[adjacency][i],
			"degrees of block %d add up to %d, want %d", i,
			at, b.Entries)
	}
	for e, v := range a.Idx {
		if v < 0 || int(v) >= s.Nodes {
			at := s.offset[adjacency][i] + 4*int64(b.Rows+e)
			return files.ErrorAtByte(s.path(adjacency), at, "neighbour %d of %d nodes", v, s.Nodes)
		}
	}
	var err error
	a.Code, err = s.codes(i, a.Code)
	return err
}

// Features returns the features of the nodes of block i, row by row, in dst if it is large enough. If the graph has
// Typed, rows have the columns of their type.
func (s *Store) Features(i int, dst []mat.Real) ([]mat.Real, error) {
	dst = sized(dst, int(s.m.valuesOf(s.m.Blocks[i])))
	x := singles(dst)
	if err := s.read(features, i, bytesOf(x)); err != nil {
		return dst, err
	}
	fromFile(x)
	widen(dst, x)
	return dst, nil
}

// Part is the part of a split that a node is in.
type Part uint8

// The parts of a split; a node of None is in no part of it.
const (
	None Part = iota
	Train
	Valid
	Test
)

// AddTo adds node v to this part of s.
func (p Part) AddTo(s *dataset.Split, v int32) {
	switch p {
	case Train:
		s.Train = append(s.Train, v)
	case Valid:
		s.Valid = append(s.Valid, v)
	case Test:
		s.Test = append(s.Test, v)
	}
}

// Labels are the classes of the nodes of a block, −1 for none, and their part of every split.
type Labels struct {
	Class []int32
	Parts [][]Part // by split
}

// Labels reads the labels of block i.
func (s *Store) Labels(i int) (Labels, error) {
	n := s.m.Blocks[i].Rows
	b := make([]byte, n*(4+s.Splits))
	if err := s.read(labels, i, b); err != nil {
		return Labels{}, err
	}
	l := Labels{Class: make([]int32, n)}
	copy(bytesOf(l.Class), b)
	fromFile(l.Class)
	for r, c := range l.Class {
		if c < -1 || int(c) >= len(s.Classes) {
			at := s.offset[labels][i] + 4*int64(r)
			return l, files.ErrorAtByte(s.path(labels), at, "class %d of %d", c, len(s.Classes))
		}
	}
	for k := range s.Splits {
		parts := make([]Part, n)
		for r, p := range b[n*(4+k) : n*(5+k)] {
			if parts[r] = Part(p); parts[r] > Test || parts[r] != None && l.Class[r] < 0 {
				at := s.offset[labels][i] + int64(n*(4+k)+r)
				return l, files.ErrorAtByte(s.path(labels), at, "part %d of a node of class %d", p, l.Class[r])
			}
		}
		l.Parts = append(l.Parts, parts)
	}
	return l, nil
}

// IDs returns the ids of the nodes of block i.
func (s *Store) IDs(i int) ([]string, error) {
	b := s.m.Blocks[i]
	names := make([]string, b.Rows)
	if !s.Named {
		for r := range names {
			names[r] = strconv.Itoa(s.first[i] + r)
		}
		return names, nil
	}
	all := make([]byte, 4*b.Rows+int(b.IDBytes))
	if err := s.read(ids, i, all); err != nil {
		return nil, err
	}
	ends, text := make([]uint32, b.Rows), all[4*b.Rows:]
	copy(bytesOf(ends), all)
	fromFile(ends)
	at := uint32(0)
	for r, end := range ends {
		if end < at || int(end) > len(text) {
			return nil, files.ErrorAtByte(s.path(ids), s.offset[ids][i]+4*int64(r), "an id from byte %d to %d of %d",
				at,
				end, len(text))
		}
		names[r] = string(text[at:end])
		at = end
	}
	return names, nil
}

// Names returns the ids of the given nodes, which must ascend.
func (s *Store) Names(nodes []int32) ([]string, error) {
	names, at := make([]string, 0, len(nodes)), 0
	for i := range s.Blocks() {
		first, end := s.Rows(i)
		if at == len(nodes) || int(nodes[at]) >= end {
			continue
		}
		list, err := s.IDs(i)
		if err != nil {
			return nil, err
		}
		for ; at < len(nodes) && int(nodes[at]) < end; at++ {
			names = append(names, list[int(nodes[at])-first])
		}
	}
	return names, nil
}
