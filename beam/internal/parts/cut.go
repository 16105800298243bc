package parts

import (
	"slices"

	"github.com/bloomgml/bloom/internal/ondisk"
)

// Cut is part i.
func (f *Folder) Cut(s *ondisk.Store, i int) (*Part, error) {
	p := &Part{Number: i, First: f.Starts[i], Ptr: []int64{0}}
	c := &cutter{Folder: f, Part: p, end: f.Starts[i+1], send: map[int][]int32{}}
	var a ondisk.Adjacency
	for b := range s.Blocks() {
		first, end := s.Rows(b)
		from, to := max(first, p.First), min(end, c.end)
		if from >= to {
			continue
		}
		if err := s.Adjacency(b, &a); err != nil {
			return nil, err
		}
		for r := from - first; r < to-first; r++ {
			c.add(a.Idx[a.Ptr[r]:a.Ptr[r+1]])
		}
	}
	c.relabel()
	return p, nil
}

// cutter is a part while it is cut.
type cutter struct {
	*Folder
	*Part
	end  int             // after its last row
	send map[int][]int32 // own rows, by who hears them
}

// add takes the neighbours of the next row, ascending and with their numbers in the graph.
func (c *cutter) add(near []int32) {
	row, last := int32(c.Rows()), -1
	for _, v := range near {
		if int(v) >= c.First && int(v) < c.end {
			continue
		}
		if last < 0 || int(v) >= c.Starts[last+1] {
			last = c.owner(int(v))
			c.send[last] = append(c.send[last], row)
		}
	}
	c.Idx = append(c.Idx, near...)
	c.Ptr = append(c.Ptr, int64(len(c.Idx)))
}

// owner returns the part that a row of the graph is of.
func (c *cutter) owner(v int) int {
	i, found := slices.BinarySearch(c.Starts, v)
	if found {
		return i
	}
	return i - 1
}

// relabel gives neighbours the numbers of the part, and lists its peers.
func (c *cutter) relabel() {
	halo := slices.DeleteFunc(slices.Clone(c.Idx), c.own)
	slices.Sort(halo)
	halo = slices.Compact(halo)
	for e, v := range c.Idx {
		if c.own(v) {
			c.Idx[e] = v - int32(c.First)
			continue
		}
		at, _ := slices.BinarySearch(halo, v)
		c.Idx[e] = int32(c.Rows() + at)
	}
	for at := 0; at < len(halo); {
		q := Peer{Number: c.owner(int(halo[at])), Halo: c.Rows() + at}
		q.Send = c.send[q.Number]
		for ; at < len(halo) && int(halo[at]) < c.Starts[q.Number+1]; at++ {
			q.Rows++
		}
		c.Peers = append(c.Peers, q)
	}
}

// own reports whether a row of the graph is one of the part.
func (c *cutter) own(v int32) bool { return int(v) >= c.First && int(v) < c.end }
