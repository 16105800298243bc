package kg

import (
	"fmt"

	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/mat"
)

// Window trains some entities at a time, together with all relations: the rows of Model.H are a window onto more
// entities than there is memory for, whose facts change from stage to stage. The program of a batch is compiled once.
//
// Deviation: false answers are entities of the window, as in Marius (Mohoney et al. 2021), and of its rows those that
// answers can be in, as in PBG (Lerer et al. 2019).
type Window struct {
	*together
	staged *stagedFalse
}

// NewWindow has rows for entities and batches of at most so many facts. Rows of entities are to be set, and facts by
// Turn; where all stages are without Came, whole, batches are those of a graph in memory. The error is a *Bad.
func NewWindow(c Config, rows, relations, facts int, whole bool) (*Window, error) {
	c = c.filled()
	if err := c.CheckWindow(); err != nil {
		return nil, err
	}
	// a graph of the shape that batches have, whose facts are replaced before one is drawn
	g, err := graph.Build(graph.Spec{Nodes: rows, Relations: relations,
		Triples: make([]graph.Triple, max(1, min(facts, c.Batch)))})
	if err != nil {
		return nil, err
	}
	entities := 4
	if whole {
		entities = 2
	}
	s := &stagedFalse{sharedFalse: newSharedFalse(c, g, entities)}
	return &Window{compiled(c, g, s), s}, nil
}

// CheckWindow is the *Bad for settings that need all entities in memory.
func (c Config) CheckWindow() error {
	c = c.filled()
	switch {
	case c.Bilevel != nil:
		return &Bad{"bilevel", c.Name(), "entities follow from one another, so all of them must be in memory"}
	case c.Against == Everything:
		return &Bad{"against", "everything", "is all entities, and some are in memory at a time; use drawn"}
	case c.Negatives.Shared == 0:
		return &Bad{"negatives shared", 0, "must be above 0 where some entities are in memory at a time"}
	}
	return c.check()
}

// Start fills rows with the embeddings that a part of all entities begins with. The only part of a graph that has one
// begins as it does in memory.
func (c Config) Start(rows *mat.Dense, part int) {
	c = c.filled()
	mat.Normal(rows, 0, mat.Real(c.Scale), ofStage(part, mat.Mix(c.Seed, 1)))
}

// ofStage is seed for the first stage or part, and another one for every other.
func ofStage(i int, seed uint64) uint64 {
	if i == 0 {
		return seed
	}
	return mat.Mix(seed, 1<<32+uint64(i))
}

// Turn goes over to the facts of a stage.
func (w *Window) Turn(to Stage) error {
	if n := w.model.H.Rows(); to.Graph.NumNodes() > n || to.Graph.NumEdges() == 0 {
		return fmt.Errorf("kg: a stage of %d entities and %d facts in a window of %d rows", to.Graph.NumNodes(),
			to.Graph.NumEdges(), n)
	}
	c := w.model.Config
	c.Seed = ofStage(to.Number, c.Seed)
	w.staged.turn(c, to)
	return nil
}

// InStage is how many batches a stage of so many facts has. came says that Stage.Came is set, and both how many facts
// have both ends there. Fewer questions than a batch has are repeated in it.
func (w *Window) InStage(facts, both int, came bool) int { return w.staged.inStage(facts, both, came) }

// At computes loss and derivatives of batch i of the stage; tick is how many batches were before, of all stages and
// epochs.
func (w *Window) At(epoch, i, tick int) error { return w.at(epoch, i, tick) }
