package fact

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/train"
)

// TestHugeWeights: a model whose scores are not finite answers nothing.
func TestHugeWeights(t *testing.T) {
	c, d := opened(t, "distmult", kin, "train.epochs=1", "model.hidden=8")
	dir := t.TempDir()
	if _, err := Run(t.Context(), c, d, Options{Options: train.Options{Dir: dir}}); err != nil {
		t.Fatal(err)
	}
	m, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	h, _, err := m.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	mat.Fill(h, mat.Real(math.MaxFloat32/2))
	fact := d.Graph.Edge(0)
	q := Question{Head: d.IDs.At(fact.U), Relation: d.RelationName(fact.R)}
	_, ask := m.Ask(q, 3, false)
	_, explain := m.Explain(Fact{Head: q.Head, Relation: q.Relation, Tail: d.IDs.At(fact.V)}, 3)
	for what, err := range map[string]error{"ask": ask, "explain": explain} {
		var bad *train.BadData
		if err == nil || what == "ask" && (!errors.As(err, &bad) || !strings.Contains(err.Error(), "a score is")) {
			t.Errorf("%s: error %v", what, err)
		}
	}
}
