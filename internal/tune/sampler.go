package tune

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/bloomgml/bloom/mat"
)

// Sampler chooses what is tried. Sample is a function of its argument: the same study asks for the same points.
type Sampler interface {
	// Sample returns the point that a trial tries; false if the sampler has no more.
	Sample(Query) (Point, bool)
	// String returns the sampler with all that its points depend on. A study can only be continued with an equal one.
	String() string
}

// Query holds what a Sampler may know.
type Query struct {
	Space     Space
	Direction Direction
	Seed      uint64
	Number    int       // of the trial, from 0; the number of a trial that was stopped comes again
	Trials    []*Record // that ended or are running
}

// random returns the random numbers of a trial.
func (q Query) random() *rand.Rand {
	return rand.New(rand.NewPCG(q.Seed, mat.Mix(q.Seed, uint64(q.Number))))
}

// tried reports whether a trial has this point.
func (q Query) tried(at Point) bool {
	return slices.ContainsFunc(q.Trials, func(t *Record) bool { return slices.Equal(t.Point, at) })
}

// Random draws every key evenly over its values, on its scale.
//
// Chosen: a point that was tried is drawn again, at most a hundred times, since training it again gives the same
// result.
type Random struct{}

// Grid tries every combination of the points of all keys, once each and in a random order, so that a search that is
// stopped has seen a bit of everything.
type Grid struct {
	Points int // of a range without steps, ends included; 0 means 5
}

var _, _, _ Sampler = Random{}, Grid{}, TPE{}

// String is random.
func (Random) String() string { return "random" }

// Sample draws a point.
func (Random) Sample(q Query) (Point, bool) {
	r := q.random()
	at := uniform(q.Space, r)
	for tries := 0; tries < 100 && q.tried(at); tries++ {
		at = uniform(q.Space, r)
	}
	return at, true
}

// uniform draws every key evenly.
func uniform(s Space, r *rand.Rand) Point {
	at := make(Point, len(s))
	for i, p := range s {
		if d := p.Domain; d.Choices != nil {
			at[i] = float64(r.IntN(len(d.Choices)))
		} else {
			from, to := d.interval()
			at[i] = d.number(from + r.Float64()*(to-from))
		}
	}
	return at
}

// maxGrid is the maximum number of combinations in a Grid.
const maxGrid = 100_000

// String is grid with its number of points.
func (g Grid) String() string { return fmt.Sprintf("grid(points=%d)", g.points()) }

func (g Grid) points() int { return cmp.Or(g.Points, 5) }

// check returns an error for a grid that is too large.
func (g Grid) check(s Space) error {
	size := 1.0
	for _, p := range s {
		size *= p.Domain.size(g.points())
	}
	if size > maxGrid || g.points() < 1 {
		return fmt.Errorf("a grid of %g points, want 1 to %d: take fewer values or another sampler", size, maxGrid)
	}
	return nil
}

// Sample returns the combination that a permutation has at the number of the trial.
func (g Grid) Sample(q Query) (Point, bool) {
	size, values := 1, make([][]float64, len(q.Space))
	for i, p := range q.Space {
		values[i] = p.Domain.points(g.points())
		size *= len(values[i])
	}
	if q.Number >= size {
		return nil, false
	}
	k := rand.New(rand.NewPCG(q.Seed, 0)).Perm(size)[q.Number]
	at := make(Point, len(values))
	for i, list := range slices.Backward(values) {
		at[i], k = list[k%len(list)], k/len(list)
	}
	return at, true
}
