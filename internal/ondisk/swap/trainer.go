package swap

import (
	"fmt"
	"slices"

	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/kg"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/train"
)

// Trainer is the train.Trainer of embeddings in parts. Parameters are the rows in memory, and relations.
//
// An epoch is all stages; the next one goes through them backwards. Facts of a stage are shuffled together. What is
// left after the last whole batch of a stage waits for another epoch.
type Trainer struct {
	*kg.Window
	plan   Plan
	config kg.Config

	stages []stage
	counts []int    // batches of every stage
	first  [2][]int // batches of an epoch before stage i, on the way there and on the way back
	total  int      // batches of an epoch

	files  *partFiles
	facts  *buckets
	memory []*mat.Dense // what the optimiser remembers of the window

	at    int    // the stage whose parts are in memory; −1 for none
	turn  int    // the stage whose facts are trained on; −1 for none
	dirty []bool // by slot: it is not what its file has
	epoch int    // of the last batch

	rows []*mat.Index // of every slot in the window
	part *mat.Dense   // one on its way
	host []mat.Real
	room [3][]int32 // heads, relations and tails of the stage
}

var (
	_ train.Trainer = (*Trainer)(nil)
	_ train.Partial = (*Trainer)(nil)
	_ kg.Pieces     = (*Trainer)(nil)
)

// Trainer prepares to train on the facts of the folder, which must be open until it is done.
func (f *Folder) Trainer(c kg.Config) (*Trainer, error) {
	t := &Trainer{plan: f.Plan, config: c, stages: order(f.Parts, f.Buffer), facts: f.facts, at: -1, turn: -1,
		dirty: make([]bool, f.Buffer)}
	return t, t.build(f.dir)
}

// build compiles the program and lays the epoch out.
func (t *Trainer) build(dir string) (err error) {
	rows, most := t.plan.Rows(), t.facts.most(t.stages)
	if most > maxFacts {
		return files.Errorf(dir, "a stage has %d facts, and at most %d can be numbered; more parts have fewer", most,
			maxFacts)
	}
	if t.Window, err = kg.NewWindow(t.config, t.plan.Buffer*rows, t.plan.Relations, most,
		t.plan.Parts == t.plan.Buffer); err != nil {
		return err
	}
	d := t.Model().H.Cols()
	t.files = newFiles(dir, t.plan.Parts, rows, d)
	t.part, t.host = mat.New(rows, d), make([]mat.Real, rows*d)
	for s := range t.plan.Buffer {
		list := make([]int32, rows)
		for i := range list {
			list[i] = int32(s*rows + i)
		}
		t.rows = append(t.rows, mat.MustIndex(list, t.plan.Buffer*rows))
	}
	for _, s := range t.stages {
		n := t.InStage(t.facts.inStage(s), t.facts.within(s), s.came >= 0)
		t.counts, t.first[0] = append(t.counts, n), append(t.first[0], t.total)
		t.total += n
	}
	for s, n := range t.counts {
		t.first[1] = append(t.first[1], t.total-t.first[0][s]-n)
	}
	return nil
}

// Batches is how many an epoch has.
func (t *Trainer) Batches() int { return t.total }

// Swapped is how many parts have been read and written so far.
func (t *Trainer) Swapped() (reads, writes int) { return t.files.reads, t.files.writes }

// Batch goes to the stage of the batch and computes.
func (t *Trainer) Batch(epoch, i int) error {
	back := (epoch + 1) % 2
	s := t.stageOf(back, i)
	if err := t.enter(s); err != nil {
		return err
	}
	t.epoch = epoch
	for k := range t.dirty {
		t.dirty[k] = true
	}
	return t.At(epoch, i-t.first[back][s], (epoch-1)*t.total+i)
}

// stageOf is the stage of a batch, on the way back or not.
func (t *Trainer) stageOf(back, i int) int {
	for s, n := range t.counts {
		if first := t.first[back][s]; i >= first && i < first+n {
			return s
		}
	}
	panic(fmt.Sprintf("swap: batch %d of %d", i, t.total))
}

// enter brings the parts and the facts of a stage into memory, by way of the stages between.
func (t *Trainer) enter(s int) error {
	for t.at != s {
		next := s
		if t.at >= 0 && t.at < s {
			next = t.at + 1
		} else if t.at >= 0 {
			next = t.at - 1
		}
		if err := t.arrange(next); err != nil {
			return err
		}
	}
	if t.turn == s {
		return nil
	}
	g, err := t.graph(t.stages[s])
	if err != nil {
		return err
	}
	t.turn = s
	to := kg.Stage{Number: s, Graph: g}
	if came := t.stages[s].came; came >= 0 {
		rows := t.rowsOf(s, came)
		to.Came = &rows
		for _, part := range t.stages[s].met {
			to.Met = append(to.Met, t.rowsOf(s, part))
		}
	}
	return t.Turn(to)
}

// rowsOf are the rows of a part in the window of stage s.
func (t *Trainer) rowsOf(s, part int) kg.Rows {
	n := t.plan.Rows()
	first := slices.Index(t.stages[s].slots, part) * n
	return kg.Rows{First: int32(first), End: int32(first + min(n, t.plan.Entities-part*n))}
}

// graph is the facts of a stage between rows of the window.
func (t *Trainer) graph(s stage) (*graph.Graph, error) {
	n, rows := t.facts.inStage(s), t.plan.Rows()
	for k := range t.room {
		t.room[k] = slices.Grow(t.room[k][:0], n)
	}
	place := func(v int32) int32 { return int32(slices.Index(s.slots, int(v)/rows)*rows + int(v)%rows) }
	for _, b := range s.buckets {
		if err := t.facts.read(b, func(f graph.Triple) {
			t.room[0] = append(t.room[0], place(f.U))
			t.room[1] = append(t.room[1], f.R)
			t.room[2] = append(t.room[2], place(f.V))
		}); err != nil {
			return nil, err
		}
	}
	nodes := len(s.slots) * rows
	if last := t.plan.Parts - 1; slices.Contains(s.slots, last) {
		nodes -= t.plan.Parts*rows - t.plan.Entities
	}
	return graph.Build(graph.Spec{Nodes: nodes, Relations: t.plan.Relations, Sources: t.room[0], Relation: t.room[1],
		Targets: t.room[2]})
}
