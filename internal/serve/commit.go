package serve

import (
	"errors"
	"fmt"
	"slices"
	"sync"
)

// Edited is where a batch has led.
type Edited struct {
	Version int64    `json:"version"`
	Bound   *float64 `json:"bound"`           // of all answers
	Rows    int      `json:"rows"`            // states that were computed again
	Nodes   []Answer `json:"nodes,omitempty"` // what was asked about with it
}

// NotDurable is the error for edits that could not be written, and were not made.
type NotDurable struct{ Err error }

// Error says so.
func (e *NotDurable) Error() string {
	return fmt.Sprintf("the edits could not be written, and were not made: %v", e.Err)
}

// Unwrap is why.
func (e *NotDurable) Unwrap() error { return e.Err }

// Edit makes a batch of edits and writes it to the journal, or does neither. The answers about nodes are of the version
// that it makes.
func (m *Model) Edit(edits []Edit, nodes ...string) (Edited, error) {
	w := &wish{edits: edits, nodes: nodes}
	m.turns.take(w, func(all []*wish) {
		m.grant(all)
		m.journal.shorten() // nobody edits meanwhile
	})
	if w.moved != nil {
		return w.moved.Edit(edits, nodes...)
	}
	return w.out, w.err
}

// wish is a batch that somebody wants to be made.
type wish struct {
	edits []Edit
	nodes []string
	made  []change
	out   Edited
	err   error
	moved *Model // where to go instead
	done  bool
}

// turns lets those who come at the same time share one write to the disk: whoever is next grants the wishes of all who
// wait.
type turns struct {
	turn    sync.Mutex
	mu      sync.Mutex
	waiting []*wish
}

// take returns when w is done.
func (t *turns) take(w *wish, grant func([]*wish)) {
	t.mu.Lock()
	t.waiting = append(t.waiting, w)
	t.mu.Unlock()
	t.turn.Lock()
	defer t.turn.Unlock()
	if w.done {
		return
	}
	t.mu.Lock()
	all := t.waiting
	t.waiting = nil
	t.mu.Unlock()
	for _, w := range all { // what stays true where grant panics
		w.done, w.err = true, errNotGranted
	}
	grant(all)
}

// errNotGranted is for wishes that fell with others.
var errNotGranted = errors.New("the edits were not made, as something went wrong with those at the same time")

// grant makes the batches of wishes, each by itself, and writes them together.
func (m *Model) grant(all []*wish) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.next != nil {
		for _, w := range all {
			w.moved, w.err = m.next, nil
		}
		return
	}
	var good []*wish
	var entries []entry
	for _, w := range all {
		if err := m.make(w); err != nil {
			w.err = err
			continue
		}
		good, entries = append(good, w), append(entries, entry{Edits: w.edits})
	}
	first := m.journal.version + 1
	if err := m.journal.append(entries...); err != nil {
		for _, w := range slices.Backward(good) {
			m.graph.undo(w.made)
			w.err = &NotDurable{err}
		}
		return
	}
	for i, w := range good {
		w.out.Version, w.err = first+int64(i), nil
		for a := range w.out.Nodes {
			w.out.Nodes[a].Version = w.out.Version
		}
		m.remember(w.out.Version, w.made)
		m.note(w.out, w.edits, 0)
	}
}

// make is a batch in memory.
func (m *Model) make(w *wish) (err error) {
	if w.made, err = m.graph.edit(w.edits); err != nil {
		return err
	}
	w.out = Edited{Bound: m.widest(), Rows: m.graph.state.Visited()}
	if w.out.Nodes, err = m.answer(w.nodes); err != nil {
		m.graph.undo(w.made)
	}
	return err
}

// Undo takes the last version that was not taken back, back.
func (m *Model) Undo() (Edited, error) {
	m.turns.turn.Lock()
	defer m.turns.turn.Unlock()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.next != nil {
		return m.next.Undo()
	}
	if len(m.made) == 0 {
		return Edited{}, &Conflict{"there is nothing to take back"}
	}
	last := m.made[len(m.made)-1].number
	if err := m.journal.append(entry{Undo: last}); err != nil {
		return Edited{}, &NotDurable{err}
	}
	if err := m.takeBack(last); err != nil {
		return Edited{}, err
	}
	out := Edited{Version: m.journal.version, Bound: m.widest(), Rows: m.graph.state.Visited()}
	m.note(out, nil, last)
	return out, nil
}
