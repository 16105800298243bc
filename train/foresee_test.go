package train

import (
	"slices"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/internal/capacity"
	"github.com/bloomgml/bloom/mat"
)

// holder is a toy that holds memory.
type holder struct {
	*toy
	held *mat.Dense
}

// TestForeseeOffers: where the states of all steps do not fit into memory, and those that a checkpointed adjoint keeps
// would, the estimate tells both.
func TestForeseeOffers(t *testing.T) {
	c, err := config.Default("base", "karate")
	if err != nil {
		t.Fatal(err)
	}
	if capacity.Free() == 0 {
		t.Skip("nobody knows what is free")
	}
	kilobytes := map[string]int{unrolled: 512, checkpointed: 16} // a step
	build := func(c config.Config) (Job, error) {
		return &holder{newToy(Trial{}), mat.New(256*kilobytes[c.Model.Adjoint], c.Energy.L)}, nil
	}
	for _, x := range []struct {
		needs float64 // of the memory that is free
		want  []string
	}{{3, []string{unrolled, checkpointed}}, {100, []string{""}}} {
		energy := *c.Energy
		energy.L, c.Energy = int(x.needs*float64(capacity.Free())/(512<<10)), &energy
		e, err := Foresee(*c, build)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, m := range e.Memory {
			got = append(got, m.Adjoint)
		}
		offered := strings.Contains(strings.Join(e.Warnings, " "), "model.adjoint=checkpointed")
		if !slices.Equal(got, x.want) || offered != (len(x.want) == 2) {
			t.Errorf("%v times the memory: %+v", x.needs, e)
		}
	}
}
