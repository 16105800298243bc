package baseline

import (
	"errors"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/internal/keys"
)

func TestNames(t *testing.T) {
	for _, name := range Names() {
		if _, err := New(name, Options{In: 3, Out: 2}, nil); (err == nil) != (name == "mlp") {
			t.Errorf("%s without a graph: error %v", name, err)
		}
	}
	_, err := New("gnc", Options{In: 3, Out: 2}, nil)
	var unknown *keys.Unknown
	if !errors.As(err, &unknown) || unknown.Near[0] != "gcn" || !strings.Contains(err.Error(), `did you mean "gcn"`) {
		t.Errorf("error %v", err)
	}
	if _, err := New("transformer", Options{}, nil); err == nil || !strings.Contains(err.Error(), "mlp, gcn") {
		t.Errorf("error %v", err)
	}
}

func TestBadOptions(t *testing.T) {
	for want, o := range map[string]Options{
		"0 features":    {Out: 2},
		"Out 0":         {In: 3},
		"Layers -1":     {In: 3, Out: 2, Layers: -1},
		"dropout 1":     {In: 3, Out: 2, Dropout: 1},
		"norm 7":        {In: 3, Out: 2, Norm: input.Norm(7)},
		"activation 9":  {In: 3, Out: 2, Activation: 9},
		"Alpha -1":      {In: 3, Out: 2, Alpha: -1},
		"dropout -0.25": {In: 3, Out: 2, EdgeDropout: -0.25},
	} {
		if _, err := New("mlp", o, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: error %v, want %q", o, err, want)
		}
	}
}
