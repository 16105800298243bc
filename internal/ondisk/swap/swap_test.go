package swap

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/kg"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/optim"
	"github.com/bloomgml/bloom/ranking"
	"github.com/bloomgml/bloom/train"
)

// listed is facts in memory.
type listed []graph.Triple

func (l listed) Facts(yield func(graph.Triple) error) error {
	for _, t := range l {
		if err := yield(t); err != nil {
			return err
		}
	}
	return nil
}

// ring are facts about n entities in a ring, of a group of near ones each: relation r leads to the r-th next one.
func ring(n, relations int) listed {
	var list listed
	for u := range n {
		for r := range relations {
			list = append(list, graph.Triple{U: int32(u), R: int32(r), V: int32((u + 2*r + 1) % n)})
		}
	}
	return list
}

// small are the settings of tests.
func small(shared int) kg.Config {
	return kg.Config{Model: energy.ComplEx, Dim: 16, Batch: 32, Loss: kg.Softmax{}, Scale: 0.1, Seed: 5, Dropout: 0.1,
		Negatives: kg.Negatives{Shared: shared}, Penalty: kg.Penalty{Weight: 0.01, Cubic: true}}
}

// trainee is what both ways have.
type trainee interface {
	train.Trainer
	train.Partial
}

// stepper trains as a run does.
type stepper struct {
	trainee
	opt         *optim.Optimizer
	epoch, next int
}

func newStepper(t *testing.T, x trainee, rule string) *stepper {
	t.Helper()
	o, err := optim.New(optim.Config{Rule: rule, Clip: 1}, x.Params(), x.Rows())
	if err != nil {
		t.Fatal(err)
	}
	if s, ok := x.(*Trainer); ok {
		memory := map[string]*mat.Dense{}
		for name, m := range o.Memory() {
			if strings.HasSuffix(name, "/entities") {
				memory[name] = m
			}
		}
		s.Hold(memory)
	}
	return &stepper{trainee: x, opt: o, epoch: 1}
}

func (s *stepper) steps(t *testing.T, n int) {
	t.Helper()
	for range n {
		if err := s.Batch(s.epoch, s.next); err != nil {
			t.Fatal(err)
		}
		s.opt.Step(s.Grads(), 0.05)
		if s.next++; s.next == s.Batches() {
			s.epoch, s.next = s.epoch+1, 0
		}
	}
}

// entities are all embeddings.
func entities(t *testing.T, x *Trainer) []mat.Real {
	t.Helper()
	var all []mat.Real
	piece := mat.New(x.plan.Rows(), x.plan.Dim)
	for i := range x.Pieces() {
		_, n, err := x.Piece(i, piece)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, piece.Slice()[:n*x.plan.Dim]...)
	}
	return all
}

func newTrainer(t *testing.T, c kg.Config, facts listed, n, p, buffer int, dir string) *Trainer {
	t.Helper()
	f, err := Create(dir, Plan{Entities: n, Relations: 3, Facts: int64(len(facts)), Dim: c.Dim, Parts: p,
		Buffer: buffer}, facts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	x, err := f.Trainer(c)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func inMemory(t *testing.T, c kg.Config, facts listed, n int) kg.Trainer {
	t.Helper()
	g, err := graph.Build(graph.Spec{Nodes: n, Relations: 3, Triples: facts})
	if err != nil {
		t.Fatal(err)
	}
	x, err := kg.NewTrainer(c, g)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// TestOnePart: with one part everything is as in memory, to the bit.
func TestOnePart(t *testing.T) {
	facts := ring(50, 3)
	for _, rule := range []string{"adagrad", "adam"} {
		memory := inMemory(t, small(20), facts, 50)
		a := newStepper(t, memory, rule)
		disk := newTrainer(t, small(20), facts, 50, 1, 1, t.TempDir())
		b := newStepper(t, disk, rule)
		if a.Batches() != b.Batches() {
			t.Fatalf("%d and %d batches", a.Batches(), b.Batches())
		}
		a.steps(t, 3*a.Batches())
		b.steps(t, 3*b.Batches())
		if !slices.Equal(memory.Model().H.Value().Slice(), entities(t, disk)) ||
			!slices.Equal(memory.Model().E.Value().Slice(), disk.Model().E.Value().Slice()) {
			t.Errorf("%s: embeddings differ", rule)
		}
	}
}

// TestReads: an epoch after the first reads and writes as many parts as the formula says.
func TestReads(t *testing.T) {
	for _, x := range [][2]int{{8, 2}, {8, 4}, {7, 3}, {4, 4}} {
		disk := newTrainer(t, small(20), ring(300, 3), 300, x[0], x[1], t.TempDir())
		s := newStepper(t, disk, "adagrad")
		for epoch := range 4 {
			before, _ := disk.Swapped()
			s.steps(t, s.Batches())
			reads, _ := disk.Swapped()
			want := Swaps(x[0], x[1])
			if epoch == 0 {
				want -= x[0] - x[1] // parts that come for the first time are drawn
			}
			if reads-before != want {
				t.Errorf("p = %d, c = %d: epoch %d reads %d parts, want %d", x[0], x[1], epoch+1, reads-before, want)
			}
		}
		names, err := os.ReadDir(disk.files.dir)
		if err != nil || len(names) > x[0]+2 {
			t.Errorf("p = %d, c = %d: %d files for as many parts, %v", x[0], x[1], len(names), err)
		}
	}
}

// TestSparse: batches whose questions name as many entities as they can.
func TestSparse(t *testing.T) {
	var facts listed
	for u := range int32(600) {
		facts = append(facts, graph.Triple{U: u, R: 0, V: 1199 - u})
	}
	s := newStepper(t, newTrainer(t, small(5), facts, 1200, 4, 2, t.TempDir()), "adam")
	s.steps(t, 2*s.Batches())
}

// TestGoOn: a training that goes on from a checkpoint anywhere, in another process with other files left behind, has
// the bits of one that was never stopped; the best rows come back.
func TestGoOn(t *testing.T) {
	facts, c := ring(130, 3), small(20)
	whole := newTrainer(t, c, facts, 130, 5, 2, t.TempDir())
	a := newStepper(t, whole, "adam")
	total := 2*a.Batches() + 3
	a.steps(t, total)
	for _, stop := range []int{1, a.Batches() - 1, a.Batches(), a.Batches() + 5} {
		dir := t.TempDir()
		first := newTrainer(t, c, facts, 130, 5, 2, dir)
		b := newStepper(t, first, "adam")
		b.steps(t, stop)
		best := entities(t, first)
		for _, err := range []error{first.Keep(), first.Flush(), first.Sealed()} {
			if err != nil {
				t.Fatal(err)
			}
		}
		versions := map[string]int{}
		for name, v := range first.Versions() {
			versions[name] = *v
		}
		relations := first.Model().E.Value().Slice()
		memory := b.opt.Memory()
		kept := map[string][]mat.Real{}
		for name, m := range memory {
			if !strings.HasSuffix(name, "/entities") {
				kept[name] = slices.Clone(m.Slice())
			}
		}
		relations = slices.Clone(relations)
		b.steps(t, 7) // which a killed process does in vain

		second := newTrainer(t, c, facts, 130, 5, 2, dir)
		d := newStepper(t, second, "adam")
		for name, v := range second.Versions() {
			*v = versions[name]
		}
		if err := second.Reopen(); err != nil {
			t.Fatal(err)
		}
		second.Model().E.Value().Write(relations)
		for name, x := range kept {
			d.opt.Memory()[name].Write(x)
		}
		d.opt.Steps, d.epoch, d.next = stop, 1+stop/d.Batches(), stop%d.Batches()
		d.steps(t, total-stop)
		if !slices.Equal(entities(t, whole), entities(t, second)) {
			t.Errorf("after %d batches of %d: embeddings differ", stop, d.Batches())
		}
		if err := second.Restore(); err != nil || !slices.Equal(entities(t, second), best) {
			t.Errorf("after %d batches: the best rows do not come back, %v", stop, err)
		}
	}
}

// TestLearns: in parts the mean reciprocal rank is near that in memory, and ranks by pieces are those of all at once.
func TestLearns(t *testing.T) {
	const n = 120
	facts, c := ring(n, 3), small(30)
	c.Dropout, c.Dim = 0, 32
	memory := inMemory(t, c, facts, n)
	a := newStepper(t, memory, "adagrad")
	a.steps(t, 60*a.Batches())
	disk := newTrainer(t, c, facts, n, 4, 2, t.TempDir())
	b := newStepper(t, disk, "adagrad")
	b.steps(t, 60*b.Batches())

	among := ranking.Candidates{Known: ranking.NewKnown(facts)}
	want, err := memory.Model().Rank(facts, among)
	if err != nil {
		t.Fatal(err)
	}
	in := ranking.MRR(ranking.Rankings(want), ranking.Realistic)
	got, err := kg.NewStream(c, disk.Model().E, n, disk.plan.Rows(), disk).Rank(facts, among)
	if err != nil {
		t.Fatal(err)
	}
	// with 60 entities at a time a question has other false answers; here both ways have 1.000 at last
	if mrr := ranking.MRR(ranking.Rankings(got), ranking.Realistic); mrr < in-0.03 || in < 0.5 {
		t.Errorf("MRR %.3f in parts and %.3f in memory", mrr, in)
	} else {
		t.Logf("MRR %.3f in parts and %.3f in memory", mrr, in)
	}

	whole := *memory.Model()
	whole.H = ad.NewParam("entities", mat.FromSlice(n, c.Dim, entities(t, disk)))
	whole.E = disk.Model().E
	same, err := whole.Rank(facts, among)
	if err != nil || !slices.Equal(same, got) {
		t.Errorf("ranks by pieces differ from those of all entities, %v", err)
	}
}

// TestSpoilt: files that are cut, changed or missing are errors that name them.
func TestSpoilt(t *testing.T) {
	disk := newTrainer(t, small(20), ring(60, 3), 60, 4, 2, t.TempDir())
	s := newStepper(t, disk, "adagrad")
	s.steps(t, 2*s.Batches())
	if err := disk.Flush(); err != nil {
		t.Fatal(err)
	}
	part := (disk.stages[disk.at].slots[0] + 1) % 4
	for slices.Contains(disk.stages[disk.at].slots, part) {
		part = (part + 1) % 4
	}
	path := disk.files.path(part, disk.files.now[part])
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	changed := slices.Clone(good)
	changed[len(changed)/2] ^= 1
	for want, b := range map[string][]byte{"was cut": good[:len(good)-1], "has changed": changed, "is not part": append(
		[]byte("xxxxxxxx"), good[8:]...)} {
		if err := os.WriteFile(path, b, 0o666); err != nil {
			t.Fatal(err)
		}
		err := disk.load(0, part)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", want, err)
		}
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := disk.Reopen(); err == nil || !strings.Contains(err.Error(), "is missing") {
		t.Errorf("a missing file: %v", err)
	}
	if err := os.RemoveAll(disk.files.dir); err != nil {
		t.Fatal(err)
	}
	if err := disk.files.write(0, func(int) []mat.Real { return disk.host }); err == nil {
		t.Error("a part was written to a folder that is gone")
	}
}

// TestPlan: what does not fit is an error before anything is trained; parts have entities.
func TestPlan(t *testing.T) {
	p := Plan{Entities: 1 << 20, Relations: 10, Facts: 1 << 24, Dim: 64}
	c := Costs{Fixed: 64 << 20, Memories: 1}
	last := 0
	for _, limit := range []int64{4 << 30, 512 << 20, 256 << 20, 128 << 20} {
		fit, err := p.Fit(limit, c)
		if err != nil || fit.Parts < last || fit.Memory(c) > limit {
			t.Errorf("limit %d: %+v, %v", limit, fit, err)
		}
		last = fit.Parts
	}
	if _, err := p.Fit(64<<20, c); err == nil || !strings.Contains(err.Error(), "at least") {
		t.Errorf("no room at all: %v", err)
	}
	far := listed{{U: 0, R: 0, V: 70}}
	if _, err := Create(filepath.Join(t.TempDir(), "x"), Plan{Entities: 60, Relations: 1, Facts: 1, Dim: 4, Parts: 2,
		Buffer: 2}, far); err == nil {
		t.Error("a fact about an entity that is not there was taken")
	}
}
