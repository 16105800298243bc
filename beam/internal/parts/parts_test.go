package parts_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/bloomgml/bloom/beam/internal/parts"
	"github.com/bloomgml/bloom/internal/generate"
	"github.com/bloomgml/bloom/internal/ondisk"
)

// TestCut wants parts that have all rows between them, neighbours as the graph has them, and halos that are what the
// peers send.
func TestCut(t *testing.T) {
	src, ok, err := generate.Stream("rmat:nodes=128,edges=500,features=2,classes=2")
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	data := filepath.Join(t.TempDir(), "x.bloom")
	if _, err := ondisk.Build(data, src, ondisk.Options{}); err != nil {
		t.Fatal(err)
	}
	s, err := ondisk.Open(data)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var all ondisk.Adjacency
	if err := s.Adjacency(0, &all); err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{1, 2, 7, 128} {
		f, err := parts.New(t.TempDir(), s, n)
		if err != nil {
			t.Fatal(err)
		}
		cut := make([]*parts.Part, n)
		for i := range cut {
			p, err := f.Cut(s, i)
			if err == nil {
				err = f.Write(p)
			}
			if err == nil {
				cut[i], err = f.Read(i)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		for _, p := range cut {
			global := names(t, cut, p)
			for r := range p.Rows() {
				want := all.Idx[all.Ptr[p.First+r]:all.Ptr[p.First+r+1]]
				var got []int32
				for _, v := range p.Idx[p.Ptr[r]:p.Ptr[r+1]] {
					got = append(got, global[v])
				}
				if !slices.Equal(got, want) {
					t.Fatalf("%d parts: neighbours of %d are %v, want %v", n, p.First+r, got, want)
				}
			}
		}
	}
	if _, err := parts.New(t.TempDir(), s, 129); err == nil {
		t.Error("more parts than nodes")
	}
}

// names are the rows of the graph that the rows of p and its halo are, by what its peers send.
func names(t *testing.T, all []*parts.Part, p *parts.Part) []int32 {
	t.Helper()
	var out []int32
	for r := range p.Rows() {
		out = append(out, int32(p.First+r))
	}
	for _, q := range p.Peers {
		peer := all[q.Number]
		at := slices.IndexFunc(peer.Peers, func(x parts.Peer) bool { return x.Number == p.Number })
		if at < 0 || len(peer.Peers[at].Send) != q.Rows || q.Halo != len(out) {
			t.Fatalf("part %d hears %d rows of part %d, which does not send as many", p.Number, q.Rows, q.Number)
		}
		for _, r := range peer.Peers[at].Send {
			out = append(out, int32(peer.First)+r)
		}
	}
	return out
}
