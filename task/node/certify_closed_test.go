package node

import (
	"cmp"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/task"
)

// TestCertifyClosed: no certified answer of a closed form with held weights changes under random and greedy changes
// within the budget, of which BLOOM_ATTACKS=all asks for 10,000 and 1,000; BLOOM_ATTACKS=DIR attacks the closed form
// DIR/cora-closed as -random and -greedy say. Where nothing has changed the held answers equal the answers of the run.
func TestCertifyClosed(t *testing.T) {
	random, greedy := 40, 3
	run, dir := (*Trained)(nil), os.Getenv("BLOOM_ATTACKS")
	switch dir {
	case "", "all":
		run = openMade(t, "csbm:nodes=60,classes=2,degree=12,features=20,homophily=0.6,train=0.5,seed=1", "closed")
	default:
		var err error
		if run, err = Open(filepath.Join(dir, "cora-closed")); err != nil {
			t.Fatal(err)
		}
	}
	if dir != "" {
		random, greedy = *randomAttacks, *greedyAttacks
	}
	x, err := newCertifier(run, task.Changes{Each: 1, Edges: "existing"})
	if err != nil {
		t.Fatal(err)
	}
	if now, _ := heldClasses(t, x, x.Near); !slices.Equal(now, x.class) {
		t.Fatalf("held answers are %v, of the run %v", now, x.class)
	}
	var holds []int32
	for v, y := range x.Certify(x.model, x.class) {
		if y.Holds {
			holds = append(holds, int32(v))
		}
	}
	if n := len(x.class); len(holds) == 0 || dir == "" && (6*len(holds) < n || 12*len(holds) > 11*n) {
		t.Fatalf("%d of %d are certified, which tests little", len(holds), n)
	}
	others := map[int32]bool{}
	for i := range random + greedy {
		r, f := rand.New(rand.NewPCG(uint64(i), 3)), newFewer(x)
		if i < random {
			for range 4 * len(x.class) {
				f.remove(int32(r.IntN(len(x.class))), r)
			}
		} else {
			f.greedy(t, x, holds[i%len(holds)], r)
		}
		now, _ := heldClasses(t, x, f.near)
		for v, class := range now {
			if class == x.class[v] {
				continue
			}
			if others[int32(v)] = true; slices.Contains(holds, int32(v)) {
				t.Fatalf("change %d: node %d is certified and changed", i, v)
			}
		}
	}
	t.Logf("%d random and %d greedy changes: none of %d certified answers changed, and %d of %d others", random, greedy,
		len(holds), len(others), len(x.class)-len(holds))
}

// heldClasses returns the classes of all nodes on another graph, and the logits.
func heldClasses(t *testing.T, x *certifier, near [][]int32) (list []int32, z []float64) {
	t.Helper()
	z, err := x.model.Held(near)
	if err != nil {
		t.Fatal(err)
	}
	k := len(z) / len(near)
	for at := 0; at < len(z); at += k {
		list = append(list, int32(slices.Index(z[at:at+k], slices.Max(z[at:at+k]))))
	}
	return list, z
}

// fewer is a graph that loses edges within the budget.
type fewer struct {
	near [][]int32
	left []int
}

func newFewer(x *certifier) *fewer {
	f := &fewer{left: slices.Clone(x.Budget)}
	for _, list := range x.Near {
		f.near = append(f.near, slices.Clone(list))
	}
	return f
}

// remove takes a random edge off v if the budgets of both ends allow it, and returns how to put it back.
func (f *fewer) remove(v int32, r *rand.Rand) (undo func()) {
	if len(f.near[v]) == 0 {
		return nil
	}
	u := f.near[v][r.IntN(len(f.near[v]))]
	if f.left[u] == 0 || f.left[v] == 0 {
		return nil
	}
	before := [2][]int32{f.near[u], f.near[v]}
	not := func(a int32) func(b int32) bool { return func(b int32) bool { return a == b } }
	f.near[u] = slices.DeleteFunc(slices.Clone(f.near[u]), not(v))
	f.near[v] = slices.DeleteFunc(slices.Clone(f.near[v]), not(u))
	f.left[u], f.left[v] = f.left[u]-1, f.left[v]-1
	return func() {
		f.near[u], f.near[v] = before[0], before[1]
		f.left[u], f.left[v] = f.left[u]+1, f.left[v]+1
	}
}

// greedy removes, five times, that edge at v, its neighbours or theirs, of some random ones, without which the margin
// of v is least.
func (f *fewer) greedy(t *testing.T, x *certifier, v int32, r *rand.Rand) {
	margin := func() float64 {
		_, z := heldClasses(t, x, f.near)
		k := int32(len(z) / len(f.near))
		row := slices.Clone(z[v*k : (v+1)*k])
		own := row[x.class[v]]
		row[x.class[v]] = math.Inf(-1)
		return own - slices.Max(row)
	}
	for range 5 {
		least, best := margin(), f.near
		left := f.left
		for range 4 {
			u := v
			for range r.IntN(3) {
				if list := f.near[u]; len(list) > 0 {
					u = list[r.IntN(len(list))]
				}
			}
			undo := f.remove(u, r)
			if undo == nil {
				continue
			}
			if m := margin(); m < least {
				least, best, left = m, slices.Clone(f.near), slices.Clone(f.left)
			}
			undo()
		}
		f.near, f.left = best, left
	}
}

// TestClosedCertificate: what is said names the weights; a closed form that rests on the place in the graph, or on
// edges with weights, is refused.
func TestClosedCertificate(t *testing.T) {
	var said, out strings.Builder
	run := openMade(t, "csbm:nodes=60,classes=2,degree=12,features=20,homophily=0.6,train=0.5,seed=1", "closed")
	a := asked{run, nil}
	q := &task.Request{Context: t.Context(), Say: &said, Out: &out, Nodes: []string{"n3"},
		Changes: task.Changes{Each: 1, Edges: "all"}}
	if err := a.Certify(q); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(said.String(), "its weights W as they are") || !strings.Contains(out.String(), "n3 is ") {
		t.Errorf("%s\n%s", said.String(), out.String())
	}
	q = &task.Request{Context: t.Context(), Say: io.Discard, Out: &out,
		Changes: task.Changes{Each: 1, Edges: "existing"}}
	err := asked{openMade(t, "csbm:nodes=80,features=0,degree=8,train=0.5", "closed"), nil}.Certify(q)
	if err == nil || !strings.Contains(err.Error(), "place of a node") {
		t.Errorf("place: %v", err)
	}
}

// TestClosedCertificateKept: the certificate of a closed form counts as long as it is solved for the same weights,
// which no file of the run folder has.
func TestClosedCertificateKept(t *testing.T) {
	run := openMade(t, "csbm:nodes=60,classes=2,degree=12,features=20,homophily=0.6,train=0.5,seed=1", "closed")
	q := &task.Request{Context: t.Context(), Say: io.Discard, Out: io.Discard,
		Changes: task.Changes{Each: 1, Edges: "existing"}}
	if err := (asked{run, nil}).Certify(q); err != nil {
		t.Fatal(err)
	}
	kept := func(d *dataset.Dataset) bool {
		again, err1 := Load(run.Dir, run.Config, d, Options{})
		c, err2 := again.Certified()
		if err := cmp.Or(err1, err2); err != nil {
			t.Fatal(err)
		}
		return c != nil
	}
	if !kept(run.Data) {
		t.Error("the certificate is gone though nothing has changed")
	}
	other, v := *run.Data, run.Split.Train[0]
	other.Labels.Class = slices.Clone(other.Labels.Class)
	other.Labels.Class[v] = 1 - other.Labels.Class[v]
	if kept(&other) {
		t.Error("the certificate is of weights that another label changes")
	}
}
