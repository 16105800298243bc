package parts

import (
	"github.com/bloomgml/bloom/internal/files"
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
