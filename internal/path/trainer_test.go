package path

import (
	"fmt"
	"slices"
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/optim"
)

// trainer is what both kinds of trainers do for a run.
type trainer interface {
	Params() []*ad.Param
	State() []*ad.Param
	Batches() int
	Batch(epoch, i int) error
	Loss() *mat.Dense
	Grads() []*mat.Dense
}

var (
	_ trainer = (*Trainer)(nil)
	_ trainer = (*RefactorTrainer)(nil)
)

// TestBatchIsAFunctionOfItsPlace: losses and derivatives of a batch are the same whatever came before, where State is.
func TestBatchIsAFunctionOfItsPlace(t *testing.T) {
	g := mustBuild(t, 30, 2, randomFacts(30, 2, 12, 4))
	for name, start := range map[string]func() trainer{
		"path": func() trainer { return newTrainer(t, variants()[0], g) },
		"refactor": func() trainer {
			tr, err := NewRefactorTrainer(NewRefactor(RefactorConfig{Hidden: 4, Reset: 2, Seed: 3}, []string{"a", "b"}),
				g)
			if err != nil {
				t.Fatal(err)
			}
			return tr
		},
	} {
		whole, seen := start(), map[int]string{}
		states := [][][]mat.Real{statesOf(whole)}
		for epoch := 1; epoch <= 4; epoch++ {
			seen[epoch] = outcome(t, whole, epoch)
			states = append(states, statesOf(whole))
		}
		for _, epoch := range []int{3, 1, 4, 2} {
			part := start()
			for i, s := range part.State() {
				s.Value().Write(states[epoch-1][i])
			}
			if got := outcome(t, part, epoch); got != seen[epoch] {
				t.Errorf("%s: epoch %d by itself is %s, in turn %s", name, epoch, got, seen[epoch])
			}
		}
		if seen[1] == seen[2] || slices.Equal(whole.Grads()[0].Slice(), make([]mat.Real, whole.Grads()[0].Len())) {
			t.Errorf("%s: two epochs are alike, or nothing is learnt", name)
		}
	}
}

// outcome is the losses and derivatives of all batches of an epoch.
func outcome(t *testing.T, tr trainer, epoch int) (text string) {
	t.Helper()
	for i := range tr.Batches() {
		if err := tr.Batch(epoch, i); err != nil {
			t.Fatal(err)
		}
		text += fmt.Sprint(tr.Loss().Item(), " ")
		for k, g := range tr.Grads() {
			if g.Shape() != tr.Params()[k].Shape() {
				t.Fatalf("derivative of shape %v to %s of %v", g.Shape(), tr.Params()[k].Name, tr.Params()[k].Shape())
			}
			text += fmt.Sprint(g.Slice()[0], " ")
		}
	}
	return text
}

func statesOf(tr trainer) (all [][]mat.Real) {
	for _, s := range tr.State() {
		all = append(all, slices.Clone(s.Value().Slice()))
	}
	return all
}

// train takes a trainer through epochs, with Adam.
func train(t testing.TB, tr trainer, rate float64, epochs int) {
	t.Helper()
	o, err := optim.New(optim.Config{Rate: rate}, tr.Params(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for epoch := 1; epoch <= epochs; epoch++ {
		for i := range tr.Batches() {
			if err := tr.Batch(epoch, i); err != nil {
				t.Fatal(err)
			}
			o.Step(tr.Grads(), rate)
		}
	}
}
