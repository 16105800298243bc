package ondisk

import (
	"reflect"
	"slices"
	"testing"
)

// TestCluster: clusters of a ring are mostly stretches of it, the same however rows are cut: of 200 edges at most one
// in four leaves a cluster of 20 nodes.
func TestCluster(t *testing.T) {
	const n = 200
	o := SampleOptions{Clusters: 10}
	cluster, err := Cluster(ring(n, 1, n), n, o)
	if err != nil {
		t.Fatal(err)
	}
	cut := 0
	for v, c := range cluster {
		if c < 0 || c >= 10 {
			t.Fatalf("node %d is in cluster %d", v, c)
		}
		if cluster[(v+1)%n] != c {
			cut++
		}
	}
	if cut > n/4 {
		t.Errorf("%d of %d edges are cut", cut, n)
	}
	for _, each := range []int{1, 13, 64} {
		if other, err := Cluster(ring(n, 1, each), n, o); err != nil || !slices.Equal(other, cluster) {
			t.Errorf("rows of %d give other clusters, %v", each, err)
		}
	}
}

// TestDeal: an epoch has every node in one part, every seed is one of it, every part has a seed, a cluster is in one
// part whole, some parts at a time are the same, and another seed deals otherwise.
func TestDeal(t *testing.T) {
	const n = 200
	cluster := make([]int32, n)
	for v := range cluster {
		cluster[v] = int32(v * 7 % 23)
	}
	for _, x := range []struct {
		batch, every, parts int
		anew                bool
	}{{10, 3, 7, true}, {1, 3, 23, false}, {1000, 1, 1, true}, {2, 67, 2, true}, {1, 67, 3, true}} {
		var seeds []int32
		for v := 0; v < n; v += x.every {
			seeds = append(seeds, int32(v))
		}
		o := SampleOptions{Batch: x.batch, Clusters: 23, Fanout: 5, Hops: 2}
		b := Deal(seeds, cluster, o, 7)
		if b.Len() != x.parts || b.Anew() != x.anew {
			t.Errorf("%+v: %d parts, anew %v", x, b.Len(), b.Anew())
		}
		parts, err := b.DrawParts(nil, 0, b.Len(), 0)
		if err != nil {
			t.Fatal(err)
		}
		var all, found []int32
		in := map[int32]int{}
		for i, p := range parts {
			for _, v := range p.Nodes {
				if at, ok := in[cluster[v]]; ok && at != i {
					t.Errorf("%+v: cluster %d is in parts %d and %d", x, cluster[v], at, i)
				}
				in[cluster[v]] = i
			}
			for _, s := range p.Seeds {
				found = append(found, p.Nodes[s])
			}
			if all = append(all, p.Nodes...); len(p.Seeds) == 0 || !slices.IsSorted(p.Nodes) {
				t.Errorf("%+v: part %d has %d seeds and nodes %v", x, i, len(p.Seeds), p.Nodes)
			}
			if one, err := b.DrawParts(nil, i, i+1, n); err != nil || !reflect.DeepEqual(one[0], p) {
				t.Errorf("%+v: part %d alone is %v, %v", x, i, one, err)
			}
		}
		slices.Sort(all)
		if slices.Sort(found); len(all) != n || len(slices.Compact(all)) != n || !slices.Equal(found, seeds) {
			t.Errorf("%+v: %d nodes, seeds %v", x, len(all), found)
		}
		if none, err := b.DrawParts(nil, 0, b.Len(), n-1); none != nil || err != nil {
			t.Errorf("%+v: %d nodes where there may be one less, %v", x, n, err)
		}
		other, _ := Deal(seeds, cluster, o, 8).DrawParts(nil, 0, b.Len(), 0)
		if x.parts > 1 && reflect.DeepEqual(other, parts) {
			t.Errorf("%+v: another seed deals the same", x)
		}
	}
}
