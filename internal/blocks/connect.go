package blocks

import (
	"fmt"
	"os"
	"path/filepath"
)

// connect sorts the edges and writes adjacency.bin; where nodes get other numbers, twice.
func (b *builder) connect() error {
	s := newSorter(b.dir, 2*b.m.Edges, b.sortMemory())
	if err := b.gather(s); err != nil {
		return closed(s, err)
	}
	path := filepath.Join(b.dir, sectionNames[adjacency])
	var err error
	if b.m.Blocks, err = writeAdjacency(path, b.m.Nodes, b.Rows, s.each); closed(s, err) != nil {
		return err
	}
	b.count()
	if b.Order == Orders[0] {
		return nil
	}
	return b.reorder(path)
}

// closed is err, once the files of s are gone.
func closed(s *sorter, err error) error { return first(err, s.close()) }

// sortMemory is what is left for sorting.
func (b *builder) sortMemory() int64 { return b.Memory - 16*int64(b.m.Nodes) }

// gather tells the sorter every edge in both directions.
func (b *builder) gather(s *sorter) error {
	told := int64(0)
	return b.src.Pairs(func(u, v int32) error {
		if u < 0 || v < 0 || int(max(u, v)) >= b.m.Nodes {
			return fmt.Errorf("edge %d joins %d and %d, of %d nodes", told, u, v, b.m.Nodes)
		}
		if told++; told%(1<<20) == 0 {
			b.say("edges", told, b.src.Info().Edges)
		}
		if u == v {
			b.report.Loops++
			return nil
		}
		b.report.Repeats++ // until count knows how many there are
		if err := s.add(uint64(u)<<32 | uint64(v)); err != nil {
			return err
		}
		return s.add(uint64(v)<<32 | uint64(u))
	})
}

// count takes the number of edges from the blocks.
func (b *builder) count() {
	entries := int64(0)
	for _, x := range b.m.Blocks {
		entries += x.Entries
	}
	b.m.Edges = entries / 2
	b.report.Repeats -= b.m.Edges
}

// reorder gives nodes the numbers that Order asks for, and writes the neighbours again.
func (b *builder) reorder(path string) error {
	old := path + ".tmp"
	if err := os.Rename(path, old); err != nil {
		return err
	}
	f, err := os.Open(old)
	if err != nil {
		return err
	}
	r := &rows{file: f, path: old, nodes: b.m.Nodes, blocks: b.m.Blocks}
	if err := b.choose(r); err != nil {
		return first(err, f.Close())
	}
	fresh := make([]int32, len(b.order))
	for i, v := range b.order {
		fresh[v] = int32(i)
	}
	s := newSorter(b.dir, 2*b.m.Edges, b.sortMemory())
	err = r.each(func(u int32, near []int32) error {
		for _, v := range near {
			if err := s.add(uint64(fresh[u])<<32 | uint64(fresh[v])); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		b.m.Blocks, err = writeAdjacency(path, b.m.Nodes, b.Rows, s.each)
	}
	return first(closed(s, err), first(f.Close(), os.Remove(old)))
}
