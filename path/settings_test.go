package path

import "testing"

// TestFor: settings can be used, and those of the two families differ.
func TestFor(t *testing.T) {
	for _, data := range []string{"WN18RR_v1", "fb237_v4", "mine"} {
		if err := For(data, TransE, PNA).check(); err != nil {
			t.Errorf("%s: %v", data, err)
		}
	}
	fb, wn := For("FB15k-237_v1", DistMult, Sum), For("WN18RR_v2", DistMult, Sum)
	if fb.Batch != 64 || wn.Batch != 32 || fb != For("fb237_v3", DistMult, Sum) {
		t.Errorf("FB15k-237 %+v\nWN18RR %+v", fb, wn)
	}
}
