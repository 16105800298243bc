package train

import (
	"testing"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/mat"
)

func TestBest(t *testing.T) {
	p := ad.NewParam("w", mat.Scalar(1))
	b := newBest([]*ad.Param{p})
	b.keep()
	mat.Fill(p.Value(), 5)
	if b.restore(); p.Value().Item() != 1 {
		t.Errorf("restored %v, want 1", p.Value().Item())
	}
}
