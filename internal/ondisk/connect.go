package ondisk

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/bloomgml/bloom/internal/files"
)

// reorders reports whether nodes are renumbered.
func (b *builder) reorders() bool { return b.Order != Orders[0] }

// plainFile returns the name of the file of neighbours in the numbering of the source.
func (b *builder) plainFile() string {
	if b.reorders() {
		return plainName
	}
	return sectionNames[adjacency]
}

// codesOf returns the name of the file of relations that goes with a file of neighbours.
func codesOf(name string) string {
	if name == plainName {
		return codesName
	}
	return sectionNames[relations]
}

// connect sorts the edges and writes the neighbours of every node.
func (b *builder) connect() error {
	if err := b.sorted(b.plainFile(), "neighbours", b.gather); err != nil {
		return err
	}
	entries := int64(0)
	for _, x := range b.Set.Blocks {
		entries += x.Entries
	}
	b.Set.Edges = entries / 2
	b.repeats = b.told - b.loops - b.Set.Edges
	return nil
}

// sorted writes the pairs that tell adds to a sorter as the adjacency of that name.
func (b *builder) sorted(name, stage string, tell func(*sorter) error) error {
	s := newSorter(b.dir, 2*b.Set.Edges, b.Memory-16*int64(b.Set.Nodes))
	err := tell(s)
	if err == nil {
		w := adjacencyWriter{packing: b.packing, most: b.Rows, row: -1, wrote: func(row int) error {
			return b.progress(stage, int64(row), int64(b.Set.Nodes))
		}}
		if b.Set.Typed != nil {
			w.codesPath = filepath.Join(b.dir, codesOf(name))
		}
		err = w.write(filepath.Join(b.dir, name), b.Set.Nodes, s.each)
		b.Set.Blocks = w.blocks
	}
	return cmp.Or(err, s.close())
}

// gather adds every edge to the sorter, in both directions.
func (b *builder) gather(s *sorter) error {
	told := func(u, v, r int32) error {
		if u < 0 || v < 0 || int(max(u, v)) >= b.Set.Nodes {
			return fmt.Errorf("edge %d joins %d and %d, of %d nodes", b.told, u, v, b.Set.Nodes)
		}
		return b.edge(s, u, v, r)
	}
	if src, ok := b.src.(TypedSource); ok {
		return src.Triples(func(u, r, v int32) error {
			if r < 0 || int(r) >= b.Set.Typed.Relations {
				return fmt.Errorf("edge %d has relation %d of %d", b.told, r, b.Set.Typed.Relations)
			}
			if !b.Set.Typed.Directed && u > v {
				u, v = v, u
			}
			return told(u, v, r)
		})
	}
	return b.src.Pairs(func(u, v int32) error { return told(u, v, 0) })
}

// edge adds one edge to the sorter.
func (b *builder) edge(s *sorter, u, v, r int32) error {
	back := 2 * r
	if b.Set.Typed != nil {
		back++
	}
	if u == v {
		b.loops++
	} else if err := s.add(b.packing.key(u, v, 2*r), b.packing.key(v, u, back)); err != nil {
		return err
	}
	if b.told++; b.told%(1<<16) == 0 {
		return b.progress("edges", b.told, b.Set.Edges)
	}
	return nil
}

// openPlain opens the neighbours in the numbering of the source.
func (b *builder) openPlain() (*rows, error) {
	path := filepath.Join(b.dir, plainName)
	f, err := os.Open(path)
	r := &rows{file: f, path: path, nodes: b.Set.Nodes, blocks: b.Set.Blocks}
	if err == nil && b.Set.Typed != nil {
		r.codes, err = os.Open(filepath.Join(b.dir, codesName))
	}
	return r, err
}

// reorder writes the neighbours again, in the new numbering.
func (b *builder) reorder() error {
	if !b.reorders() {
		return nil
	}
	r, err := b.openPlain()
	if err != nil {
		return err
	}
	fresh := make([]int32, len(b.order))
	for i, v := range b.order {
		fresh[v] = int32(i)
	}
	err = b.sorted(sectionNames[adjacency], "neighbours again", func(s *sorter) error {
		return r.each(func(u int32, near, code []int32) error {
			for i, v := range near {
				c := int32(0)
				if code != nil {
					c = code[i]
				}
				if err := s.add(b.packing.key(fresh[u], fresh[v], c)); err != nil {
					return err
				}
			}
			if u%(1<<12) == 0 {
				return b.progress("new numbers", int64(u), int64(b.Set.Nodes))
			}
			return nil
		})
	})
	err = cmp.Or(err, r.close())
	return cmp.Or(err, b.remove(func(name string) bool { return name == plainName || name == codesName }))
}

// rows reads an adjacency that was just written, row by row.
type rows struct {
	file   *os.File
	codes  *os.File // of relations; nil if there is only one
	path   string
	nodes  int
	blocks []span
	room   []int32
	code   []int32
}

func (r *rows) close() error {
	if r.codes == nil {
		return r.file.Close()
	}
	return errors.Join(r.file.Close(), r.codes.Close())
}

// each yields every node with its neighbours, and their codes if there are relations; both are valid until the next
// call.
func (r *rows) each(yield func(u int32, near, code []int32) error) error {
	if _, err := r.file.Seek(0, 0); err != nil {
		return files.Because(r.path, err)
	}
	u := int32(0)
	for _, b := range r.blocks {
		r.room = sized(r.room, b.Rows+int(b.Entries))
		if err := readFull(r.file, bytesOf(r.room)); err != nil {
			return files.Because(r.path, err)
		}
		fromFile(r.room)
		idx, code := r.room[b.Rows:], []int32(nil)
		if r.codes != nil {
			r.code = sized(r.code, int(b.Entries))
			if err := readFull(r.codes, bytesOf(r.code)); err != nil {
				return files.Because(r.codes.Name(), err)
			}
			fromFile(r.code)
			code = r.code
		}
		for _, d := range r.room[:b.Rows] {
			if err := yield(u, idx[:d], code[:min(int(d), len(code))]); err != nil {
				return err
			}
			idx, code = idx[d:], code[min(int(d), len(code)):]
			u++
		}
	}
	return nil
}

// choose computes the order.
func (b *builder) choose() error {
	if !b.reorders() {
		return nil
	}
	r, err := b.openPlain()
	if err != nil {
		return err
	}
	rank := make([]int32, b.Set.Nodes)
	place := func(u int32, near []int32) { rank[u] = -int32(len(near)) } // the largest degree first
	if b.Order == "ldg" {
		place = NewPartition(b.Set.Nodes, (b.Set.Nodes+blockRows-1)/blockRows).Join(rank)
	}
	err = r.each(func(u int32, near, _ []int32) error {
		if u%blockRows == 0 {
			if err := b.progress("order", int64(u), int64(b.Set.Nodes)); err != nil {
				return err
			}
		}
		place(u, near)
		return nil
	})
	if err = cmp.Or(err, r.close()); err != nil {
		return err
	}
	b.order = make([]int32, b.Set.Nodes)
	for v := range b.order {
		b.order[v] = int32(v)
	}
	slices.SortFunc(b.order, func(u, v int32) int {
		return cmp.Or(cmp.Compare(rank[u], rank[v]), cmp.Compare(u, v))
	})
	return nil
}
