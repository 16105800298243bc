package node

import (
	"testing"

	"github.com/bloomgml/bloom"
)

// TestEvidenceText: a descent that takes energy away and one that adds some are told apart.
func TestEvidenceText(t *testing.T) {
	for _, c := range []struct {
		start, end        float64
		sentence, changes string
	}{
		{4, 1, "Not converged: the 2 steps of the descent lower the energy by 75 %, and one more changes " +
			"embeddings by 5 %.",
			"−75%"},
		{4, 4, "Not converged: the 2 steps of the descent lower the energy by 0 %, and one more changes " +
			"embeddings by 5 %.",
			"−0%"},
		{4, 5, "The 2 steps of the descent raise the energy by 25 %: they may be too long (energy.descent.gamma; " +
			"safe is never too long).", "+25%"},
		{1, 220190, "The 2 steps of the descent raise the energy by 2.2e+07 %: they may be too long " +
			"(energy.descent.gamma; safe is never too long).", "+2.2e+07%"},
	} {
		got := evidenceText(bloom.Evidence{Steps: 2, Energy: []float64{c.start, c.end, c.end}, Residual: 0.05})
		if got != c.sentence {
			t.Errorf("%g to %g: %q, want %q", c.start, c.end, got, c.sentence)
		}
		if got := change(c.start, c.end); got != c.changes {
			t.Errorf("%g to %g: %q, want %q", c.start, c.end, got, c.changes)
		}
	}
}
