package swap

import (
	"context"
	"fmt"
	"time"

	"github.com/bloomgml/bloom/internal/kg"
	"github.com/bloomgml/bloom/mat"
)

// Costs are what training takes beside the entities in memory.
type Costs struct {
	Fixed    int64 // bytes: the program, names of entities, relations, a batch
	Memories int   // matrices that the optimiser remembers
}

// program is about what the program itself takes.
const program = 76 << 20

// Costs are those of training as c says, with a rule of package optim that remembers so many matrices.
func (t *Text) Costs(c kg.Config, memories int) Costs {
	questions, pool, d := int64(2*c.Batch), int64(c.Negatives.Shared), int64(c.Dim)
	batch := 16*questions*pool + 24*(4*questions+pool)*d
	relations := 8 * int64(len(t.Relations)) * d * realBytes
	names := 8*int64(len(t.Entities.Bytes)) + 144*int64(t.NumEntities) // written as text, too, and facts that are kept
	ranking := 8*(1<<13)*d + 24<<20
	return Costs{Fixed: program + batch + relations + names + ranking, Memories: memories}
}

// Whole is about what training takes with everything in memory: embeddings, their best, what is remembered of them, and
// facts in the lists of a graph, with sets of those that are known.
func (t *Text) Whole(c kg.Config, memories int) int64 {
	return t.Costs(c, memories).Fixed + int64(t.NumEntities)*int64(c.Dim)*realBytes*int64(2+memories) + 100*t.Count
}

// Plan fits a training as c says into so many bytes, of which a thirty-second is left to garbage.
func (t *Text) Plan(c kg.Config, memories int, limit int64) (Plan, error) {
	p := Plan{Entities: t.NumEntities, Relations: len(t.Relations), Facts: t.Count, Dim: c.Dim}
	return p.Fit(limit-limit/32, t.Costs(c, memories))
}

// Says is what is done, for people.
func (p Plan) Says() string {
	return fmt.Sprintf("entities are in %d parts on the disk, %d of them in memory at a time; an epoch reads %d parts",
		p.Parts, p.Buffer, Swaps(p.Parts, p.Buffer))
}

// Probe is about how many seconds an epoch takes, by some batches of the first stage and the parts that it writes.
func (f *Folder) Probe(ctx context.Context, c kg.Config, memories int, limit time.Duration) (float64, error) {
	t, err := f.Trainer(c)
	if err != nil {
		return 0, err
	}
	held := map[string]*mat.Dense{}
	for i := range memories {
		held[fmt.Sprint(i)] = mat.New(t.Model().H.Rows(), t.Model().H.Cols())
	}
	t.Hold(held)
	if err := t.Batch(1, 0); err != nil {
		return 0, err
	}
	n, begin := 0, time.Now()
	for n < t.counts[0]-1 && (n == 0 || time.Since(begin) < limit) && ctx.Err() == nil {
		n++
		if err := t.Batch(1, n); err != nil {
			return 0, err
		}
	}
	batch := time.Since(begin).Seconds() / float64(max(1, n))
	begin = time.Now()
	if err := t.write(); err != nil {
		return 0, err
	}
	part := time.Since(begin).Seconds() / float64(f.Buffer)
	return batch*float64(t.total) + 2*part*float64(Swaps(f.Parts, f.Buffer)), ctx.Err()
}
