package tune

import (
	"math/rand/v2"
	"slices"

	"github.com/bloomgml/bloom/mat"
)

// Sampler chooses what is tried. Sample is a function of its argument: the same study asks for the same points.
type Sampler interface {
	// Sample returns the point that a trial tries.
	Sample(Query) Point
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

var _, _ Sampler = Random{}, TPE{}

// String is random.
func (Random) String() string { return "random" }

// Sample draws a point.
func (Random) Sample(q Query) Point {
	r := q.random()
	at := uniform(q.Space, r)
	for tries := 0; tries < 100 && q.tried(at); tries++ {
		at = uniform(q.Space, r)
	}
	return at
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
