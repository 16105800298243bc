package ondisk

import (
	"fmt"
	"os"
	"path/filepath"
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
	return first(err, s.close())
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
		return b.gatherTyped(src, told)
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
	err = first(err, r.close())
	return first(err, b.remove(func(name string) bool { return name == plainName || name == codesName }))
}
