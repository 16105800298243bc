package recipe

import (
	"errors"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/internal/keys"
)

// TestNames: the recipes are as the design lists them, each with everything that a reader needs.
func TestNames(t *testing.T) {
	const want = "base consistent robust robust-logcosh heterophily heterophily-huber heterophily-edge bundle " +
		"stack-bundle stack-compat stack-laplace momentum " +
		"heavy-ball adagrad rmsprop adam attention reweighting unit-norm unit-norm-penalty lp " +
		"lp-free lp-zhou lp-trained gr-mlp gr-mlp-weights gr-mlp-wide halo halo-huber halo-logcosh transe distmult " +
		"complex rotate transe-bilevel distmult-bilevel complex-bilevel rotate-bilevel path zero"
	if got := strings.Join(Names(), " "); got != want {
		t.Errorf("recipes %s", got)
	}
	for _, r := range All() {
		if r.Summary == "" || r.Source == "" || r.A == nil || r.L < 1 || len(r.F) == 0 {
			t.Errorf("%s lacks something: %+v", r.Name, r)
		}
		if err := r.check(); err != nil {
			t.Errorf("%s: %v", r.Name, err)
		}
		u := r.Update()
		if text := u.Name + strings.Join(u.Lines, "") + strings.Join(u.Where, ""); strings.Contains(text, "descent.") ||
			strings.Contains(text, "%!") {
			t.Errorf("%s has no text for its algorithm: %s", r.Name, text)
		}
	}
}

func TestFind(t *testing.T) {
	if r, err := Find("robust"); err != nil || r.Name != "robust" {
		t.Errorf("%v, %v", r, err)
	}
	var unknown *keys.Unknown
	if _, err := Find("robst"); !errors.As(err, &unknown) || unknown.Near[0] != "robust" ||
		err.Error() != `no recipe "robst"; did you mean "robust"?` {
		t.Errorf("%v", err)
	}
	if _, err := Find("frobnicate"); err == nil || err.Error() != `no recipe "frobnicate"` {
		t.Errorf("%v", err)
	}
}

// TestMixed: terms for different graphs do not go together.
func TestMixed(t *testing.T) {
	r := &Recipe{F: []Edge{pathEdges{}, laplace{Lambda: 1}, relational{energy.HalfSquared, 1}}, A: jacobi}
	if _, err := r.Edges(); err == nil {
		t.Error("a path and a relational term on one graph")
	}
	r.F = r.F[:2]
	if kind, err := r.Edges(); err != nil || kind != Relations {
		t.Errorf("%v, %v", kind, err)
	}
}
