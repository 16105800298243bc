package certify

import (
	"math"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/bloomgml/bloom/internal/codec"
	"github.com/bloomgml/bloom/internal/testkit"
)

// published is a graph with logits of Bojchevski and Günnemann: its largest component, undirected.
type published struct {
	near   [][]int32
	logits [][]float64 // by columns
	test   []int
}

func openPublished(t *testing.T, name string) *published {
	t.Helper()
	dir := testkit.Benchmark(t, "certificates")
	read := func(file, member string) []float64 {
		a, err := codec.OpenNPZ(filepath.Join(dir, file), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer a.Close()
		array, err := a.Read(member)
		if err != nil {
			t.Fatal(err)
		}
		x, err := codec.Floats[float64](array)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	p := &published{}
	ptr, idx := read(name+".npz", "adj_matrix.indptr"), read(name+".npz", "adj_matrix.indices")
	near := make([][]int32, len(ptr)-1)
	for u := range near {
		for _, x := range idx[int(ptr[u]):int(ptr[u+1])] {
			if v := int(x); u != v {
				near[u], near[v] = append(near[u], int32(v)), append(near[v], int32(u))
			}
		}
	}
	p.near = largest(near)
	z := read(name+"_pretrained_logits.npz", "logits")
	k := len(z) / len(p.near)
	p.logits = make([][]float64, k)
	for i, x := range z {
		p.logits[i%k] = append(p.logits[i%k], x)
	}
	for _, v := range read(name+"_pretrained_logits.npz", "split_test") {
		p.test = append(p.test, int(v))
	}
	return p
}

// largest returns the largest component, without duplicate edges, its nodes in their order.
func largest(near [][]int32) [][]int32 {
	component := make([]int, len(near))
	count := []int{0}
	for v := range near {
		if component[v] > 0 {
			continue
		}
		count = append(count, 0)
		component[v] = len(count) - 1
		for queue := []int32{int32(v)}; len(queue) > 0; queue = queue[1:] {
			count[len(count)-1]++
			for _, u := range near[queue[0]] {
				if component[u] == 0 {
					component[u] = len(count) - 1
					queue = append(queue, u)
				}
			}
		}
	}
	best := slices.Index(count, slices.Max(count))
	number, next := make([]int32, len(near)), int32(0)
	for v, c := range component {
		if c == best {
			number[v] = next
			next++
		}
	}
	out := make([][]int32, 0, next)
	for v, list := range near {
		if component[v] != best {
			continue
		}
		var row []int32
		for _, u := range list {
			row = append(row, number[u])
		}
		slices.Sort(row)
		out = append(out, slices.Compact(row))
	}
	return out
}

// tree returns the edges of the spanning tree that the authors' notebook kept, of minimum_spanning_tree of SciPy 1.9
// with NumPy 1.24: Kruskal's algorithm on all entries of the adjacency matrix, in the order that an unstable quicksort
// leaves equal weights in.
func tree(near [][]int32) [][]int32 {
	root, entries := make([]int, len(near)), [][2]int32{}
	for v := range root {
		root[v] = v
		for _, u := range near[v] {
			entries = append(entries, [2]int32{int32(v), u})
		}
	}
	find := func(v int32) int {
		for root[v] != int(v) {
			v = int32(root[v])
		}
		return int(v)
	}
	keep := make([][]int32, len(near))
	unstable(entries)
	for _, e := range entries {
		if a, b := find(e[0]), find(e[1]); a != b {
			root[a] = b
			keep[e[0]], keep[e[1]] = append(keep[e[0]], e[1]), append(keep[e[1]], e[0])
		}
	}
	for _, list := range keep {
		slices.Sort(list)
	}
	return keep
}

// unstable is the quicksort of NumPy on a list whose weights are all equal: the pivot is the middle, and the scans from
// both ends exchange all pairs; 17 and fewer stay.
func unstable(list [][2]int32) {
	for n := len(list); n > 17; n = len(list) {
		swap := func(i, j int) { list[i], list[j] = list[j], list[i] }
		i, j := 1, n-3
		for swap((n-1)/2, n-2); i < j; i, j = i+1, j-1 {
			swap(i, j)
		}
		swap(i, n-2)
		unstable(list[:i])
		list = list[i+1:]
	}
}

const alpha = 0.15

// plainWorst is value iteration over all numbers of removed edges, written without anything of the package.
func (p *published) plainWorst(keep [][]int32, budget []int, r []float64) []float64 {
	free := make([][]int32, len(r)) // what may be removed
	for u, near := range p.near {
		for _, w := range near {
			if budget[u] > 0 && !slices.Contains(keep[u], w) {
				free[u] = append(free[u], w)
			}
		}
	}
	v, may := slices.Clone(r), []float64(nil)
	for moved := 1.0; moved > 1e-10; {
		moved = 0
		next := make([]float64, len(r))
		for u, near := range p.near {
			sum := 0.0
			for _, w := range near {
				sum += v[w]
			}
			may = may[:0]
			for _, w := range free[u] {
				may = append(may, -v[w])
			}
			slices.Sort(may)
			least, d := sum/float64(len(near)), len(near)
			for i := range min(budget[u], len(may)) {
				sum += may[i]
				d--
				least = min(least, sum/float64(d))
			}
			next[u] = alpha*r[u] + (1-alpha)*least
			moved = max(moved, math.Abs(next[u]-v[u]))
		}
		v = next
	}
	return v
}

func (p *published) model() *Model {
	return &Model{Rule: pageRankRule(alpha), Linear: true, Pi: p.logits, Offset: make([]float64, len(p.logits))}
}

func (p *published) classes() []int32 {
	none := &Problem{Near: p.near, Budget: make([]int, len(p.near))}
	var z [][]float64
	for _, r := range p.logits {
		z = append(z, none.Exact(pageRankRule(alpha), r).Value)
	}
	class := make([]int32, len(p.near))
	for v := range class {
		for k := range z {
			if z[k][v] > z[class[v]][v] {
				class[v] = int32(k)
			}
		}
	}
	return class
}

// TestPublished certifies the models of the paper in its set-up: edges outside a spanning tree may be removed, b_u =
// max(d_u − 11 + s, 0) of them. The nodes are those that plain value iteration certifies, and their shares of the test
// nodes those that the authors' notebook prints for Cora-ML. With -v it prints them.
func TestPublished(t *testing.T) {
	printed := map[string]map[int]float64{"cora": {1: 0.7862, 3: 0.7364, 5: 0.6727, 7: 0.5751, 9: 0.4755}}
	for _, name := range []string{"cora", "citeseer"} {
		p := openPublished(t, name)
		class, keep := p.classes(), tree(p.near)
		for _, s := range []int{1, 3, 5, 7, 9} {
			slow, compared := testing.Short() && s != 5, s == 1 || s == 5 || s == 9
			if slow || !compared && printed[name] == nil {
				continue
			}
			budget := make([]int, len(p.near))
			for v, near := range p.near {
				budget[v] = max(len(near)-11+s, 0)
			}
			began := time.Now()
			list := (&Problem{Near: p.near, Keep: keep, Budget: budget}).Certify(p.model(), class)
			seconds := time.Since(began).Seconds()
			if compared {
				p.compare(t, list, keep, budget, class)
			}
			holds := 0
			for _, v := range p.test {
				if list[v].Holds {
					holds++
				}
			}
			share := float64(holds) / float64(len(p.test))
			t.Logf("%s, s = %d: %.4f of test nodes certified, notebook %.4f; %.2f s", name, s, share, printed[name][s],
				seconds)
			if want := printed[name][s]; want > 0 && math.Abs(share-want) > 5e-5 {
				t.Errorf("%s, s = %d: %.4f of test nodes certified, the notebook prints %.4f", name, s, share, want)
			}
		}
	}
}

// compare compares the margins of nodes with those of plain value iteration.
func (p *published) compare(t *testing.T, list []Verdict, keep [][]int32, budget []int, class []int32) {
	t.Helper()
	margin := slices.Repeat([]float64{math.Inf(1)}, len(class))
	for a := range int32(len(p.logits)) {
		for b := range int32(len(p.logits)) {
			if a == b {
				continue
			}
			for v, x := range p.plainWorst(keep, budget, difference(p.logits, a, b)) {
				if class[v] == a {
					margin[v] = min(margin[v], x)
				}
			}
		}
	}
	differ := 0
	for v, x := range list {
		if math.Abs(x.Margin-margin[v]) > 1e-6 {
			t.Fatalf("node %d: margin %v, by value iteration %v", v, x.Margin, margin[v])
		}
		if x.Holds != (margin[v] > 0) {
			differ++ // nearly 0, see single
		}
	}
	if differ > 0 {
		t.Errorf("%d nodes of %d are certified by one and not by the other", differ, len(list))
	}
}
