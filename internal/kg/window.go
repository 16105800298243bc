package kg

import (
	"fmt"

	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// Window trains some entities at a time, together with all relations: the rows of Model.H are a window onto more
// entities than there is memory for, whose facts change from stage to stage. The program of a batch is compiled once.
//
// Deviation: false answers are entities of the window, and filters know the facts of the stage alone, as in Marius
// (Mohoney et al. 2021) and PBG (Lerer et al. 2019).
type Window struct {
	*together
	turner turner
}

// NewWindow has rows for entities and batches of at most `facts` facts. Rows of entities are to be set by Start or
// otherwise, and facts by Turn. The error is a *Bad.
func NewWindow(c Config, rows, relations, facts int) (*Window, error) {
	c = c.filled()
	if err := c.check(); err != nil {
		return nil, err
	}
	switch {
	case c.Bilevel != nil:
		return nil, &Bad{"bilevel", c.Name(), "entities follow from one another, so all of them must be in memory"}
	case c.Against == Everything:
		return nil, &Bad{"against", "everything", "is all entities, and some are in memory at a time; use drawn"}
	}
	// a graph of the shape that batches have, whose facts are replaced before one is drawn
	g, err := graph.Build(graph.Spec{Nodes: rows, Relations: relations,
		Triples: make([]graph.Triple, max(1, min(facts, c.Batch)))})
	if err != nil {
		return nil, err
	}
	t, err := newTogether(c, g)
	if err != nil {
		return nil, err
	}
	return &Window{t, t.batcher.(turner)}, nil
}

// Start fills rows with the embeddings that a part of all entities begins with. The only part of a graph that has one
// begins as it does in memory.
func (c Config) Start(rows *mat.Dense, part int) {
	c = c.filled()
	mat.Normal(rows, 0, mat.Real(c.Scale), c.ofStage(part, mat.Mix(c.Seed, 1)))
}

// ofStage is seed for the first stage or part, and another one for every other.
func (c Config) ofStage(i int, seed uint64) uint64 {
	if i == 0 {
		return seed
	}
	return mat.Mix(seed, 1<<32+uint64(i))
}

// Turn goes over to the facts of a stage, whose entities are rows of the window.
func (w *Window) Turn(stage int, g *graph.Graph) error {
	if n := w.model.H.Rows(); g.NumNodes() > n {
		return fmt.Errorf("kg: a stage of %d entities in a window of %d rows", g.NumNodes(), n)
	}
	c := w.model.Config
	c.Seed = c.ofStage(stage, c.Seed)
	return w.turner.turn(c, g)
}

// InStage is how many batches a stage of so many facts has. Fewer facts than a batch has are repeated in it.
func (w *Window) InStage(facts int) int {
	size := w.batcher.questions() / 2
	if facts == 0 {
		return 0
	}
	return max(1, facts/size)
}

// At computes loss and derivatives of batch i of the stage; tick is how many batches were before, of all stages and
// epochs.
func (w *Window) At(epoch, i, tick int) error { return w.at(epoch, i, tick) }
