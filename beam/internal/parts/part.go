package parts

import (
	"slices"

	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/ondisk"
)

// Part holds some rows with their neighbours. Its own rows are numbered from 0, followed by the rows of other parts
// that it hears, its halo, ordered by part.
type Part struct {
	Number int
	First  int     // its first row in the graph
	Ptr    []int64 // neighbours of own row r: Idx[Ptr[r]:Ptr[r+1]], in the order of the graph
	Idx    []int32
	Peers  []Peer // ascending
}

// Peer is a part with which it has edges.
type Peer struct {
	Number int
	Send   []int32 // own rows that the peer hears, ascending: its halo from here
	Halo   int     // the number of the first row that comes from there
	Rows   int     // how many do
}

// Rows returns the number of the part's own rows.
func (p *Part) Rows() int { return len(p.Ptr) - 1 }

// Halo returns the number of rows of other parts that it hears.
func (p *Part) Halo() (n int) {
	for _, q := range p.Peers {
		n += q.Rows
	}
	return n
}

// From returns the position and number of the rows of a part among the rows of p and its halo; ok is false for a part
// that it does not hear. Its own rows come first.
func (p *Part) From(number int) (first, rows int, ok bool) {
	if number == p.Number {
		return 0, p.Rows(), true
	}
	for _, q := range p.Peers {
		if q.Number == number {
			return q.Halo, q.Rows, true
		}
	}
	return 0, 0, false
}

// Write writes a part.
func (f *Folder) Write(p *Part) error {
	head := []int64{int64(f.Blocks), int64(p.Number), int64(p.First)}
	peers, send := []int64{}, []int32{}
	for _, q := range p.Peers {
		peers = append(peers, int64(q.Number), int64(len(q.Send)), int64(q.Rows))
		send = append(send, q.Send...)
	}
	return Write(f.path(p.Number), head, p.Ptr, p.Idx, peers, send)
}

// Read reads part i.
func (f *Folder) Read(i int) (*Part, error) {
	p := &Part{Number: i, First: f.Starts[i]}
	var head, peers []int64
	var send []int32
	path := f.path(i)
	if err := Read(path, &head, &p.Ptr, &p.Idx, &peers, &send); err != nil {
		return nil, err
	}
	if len(head) != 3 || head[0] != int64(f.Blocks) || head[1] != int64(i) || head[2] != int64(p.First) ||
		p.Rows() != f.Starts[i+1]-p.First {
		return nil, files.Errorf(path, "%v with %d rows: not part %d of this graph", head, p.Rows(), i)
	}
	halo := p.Rows()
	for ; len(peers) >= 3; peers = peers[3:] {
		if peers[1] < 0 || peers[1] > int64(len(send)) || peers[2] < 0 {
			return nil, files.Errorf(path, "peer %d receives %d rows and sends %d", peers[0], peers[1], peers[2])
		}
		q := Peer{Number: int(peers[0]), Send: send[:peers[1]], Halo: halo, Rows: int(peers[2])}
		p.Peers = append(p.Peers, q)
		halo, send = halo+q.Rows, send[peers[1]:]
	}
	return p, nil
}

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
