package generate

import (
	"fmt"
	"math/bits"

	"github.com/bloomgml/bloom/internal/random"
	"github.com/bloomgml/bloom/mat"
)

// planted is a graph whose edges know the classes of their ends alone.
type planted struct {
	seed      uint64
	n         int
	classes   int
	homophily float64
}

func newPlanted(v values) (edges, error) {
	p := planted{mat.Mix(v.seed(), uint64(random.Graph)), v.whole("nodes"), v.whole("classes"), v["homophily"]}
	if p.n < 2*p.classes {
		return nil, fmt.Errorf("%d nodes are too few for %d classes of at least 2", p.n, p.classes)
	}
	return p, nil
}

func (p planted) nodes() int          { return p.n }
func (p planted) class(v int32) int32 { return v % int32(p.classes) }

func (p planted) edge(i uint64) (u, v int32) {
	a := mat.Mix(p.seed, i)
	b := mat.Mix(a, i)
	hi, _ := bits.Mul64(a, uint64(p.n))
	u = int32(hi)
	if unit(mat.Mix(b, i)) >= p.homophily {
		hi, _ = bits.Mul64(b, uint64(p.n))
		return u, int32(hi)
	}
	c := int(p.class(u))
	hi, _ = bits.Mul64(b, uint64((p.n-c+p.classes-1)/p.classes))
	return u, int32(int(hi)*p.classes + c)
}
