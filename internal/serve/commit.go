package serve

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
)

// Edited is the result of a batch.
type Edited struct {
	Version int64    `json:"version"`
	Bound   float64  `json:"bound"`           // of all states, see Answer; 0 without Options.Settle
	Rows    int      `json:"rows"`            // states that were computed again
	Nodes   []Answer `json:"nodes,omitempty"` // what was asked about with it
	Notes   []string `json:"notes,omitempty"` // what edges lack that columns are made from
}

// notDurable is the error for edits that could not be written, and were not made.
func notDurable(err error) error {
	return &status{http.StatusInsufficientStorage, fmt.Errorf("the edits could not be written and were not applied: %w",
		err)}
}

// Edit makes a batch of edits and writes it to the journal, or does neither. The answers about nodes are of the version
// that it makes.
func (m *Model) Edit(ctx context.Context, edits []Edit, nodes ...string) (Edited, error) {
	w := &wish{ctx: ctx, edits: edits, nodes: nodes}
	m.turns.submit(w, func(all []*wish) {
		m.grant(all)
		m.journal.shorten() // no edits are made meanwhile
	})
	if w.moved != nil {
		return w.moved.Edit(ctx, edits, nodes...)
	}
	return w.out, w.err
}

// wish is a batch that is waiting to be made.
type wish struct {
	ctx   context.Context
	edits []Edit
	nodes []string
	past  *former
	out   Edited
	err   error
	moved *Model // where to go instead
	done  bool
}

// turns lets concurrent callers share one write to the disk: the next caller serves all that wait.
type turns struct {
	turn    sync.Mutex
	mu      sync.Mutex
	waiting []*wish
}

// submit queues w and returns when it is done.
func (t *turns) submit(w *wish, grant func([]*wish)) {
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
	for _, w := range all { // what stays true if grant panics
		w.done, w.err = true, errNotGranted
	}
	grant(all)
}

// errNotGranted is for wishes that fell with others.
var errNotGranted = errors.New("the edits were not applied, because other edits at the same time failed")

// grant makes the batches of wishes, each by itself, and writes them together. Answers go on until the first is made.
func (m *Model) grant(all []*wish) {
	if m.next != nil {
		for _, w := range all {
			w.moved, w.err = m.next, nil
		}
		return
	}
	unlock := func() {}
	lock := sync.OnceFunc(func() {
		m.lock()
		unlock = m.mu.Unlock
	})
	defer func() { unlock() }()
	var good []*wish
	var entries []entry
	for _, w := range all {
		d, err := m.make(w)
		if err != nil {
			w.err = err
			continue
		}
		lock()
		w.past = d.commit()
		good, entries = append(good, w), append(entries, entry{Edits: w.edits})
	}
	if len(good) > 0 {
		m.write(good, entries)
	}
}

// write writes the batches of wishes, which are made, or takes them back.
func (m *Model) write(good []*wish, entries []entry) {
	first := m.journal.version + 1
	if err := m.journal.append(entries...); err != nil {
		for _, w := range slices.Backward(good) {
			m.graph.undo(w.past, nil)
			w.err = notDurable(err)
		}
		return
	}
	for i, w := range good {
		w.out.Version, w.err = first+int64(i), nil
		for a := range w.out.Nodes {
			w.out.Nodes[a].Version = w.out.Version
		}
		m.remember(w.out.Version, w.past)
		m.note(w.out, w.edits, 0)
	}
}

// make returns a batch as a draft, with its answers.
func (m *Model) make(w *wish) (*graph, error) {
	d, err := m.graph.edited(w.ctx, w.edits)
	if err != nil {
		return nil, err
	}
	w.out = Edited{Bound: d.state.Widest(), Rows: d.state.Visited(), Notes: d.notes}
	if w.out.Nodes, err = m.answer(w.ctx, d, w.nodes); err != nil {
		d.drop()
		return nil, err
	}
	return d, nil
}

// Undo takes the last version that was not taken back, back.
func (m *Model) Undo(ctx context.Context) (Edited, error) {
	m.turns.turn.Lock()
	defer m.turns.turn.Unlock()
	switch {
	case m.next != nil:
		return m.next.Undo(ctx)
	case len(m.made) == 0:
		return Edited{}, conflict("there is nothing to undo")
	}
	last := m.made[len(m.made)-1]
	d, err := m.graph.returned(ctx, last.past)
	if err != nil {
		return Edited{}, err
	}
	m.lock()
	defer m.mu.Unlock()
	if err := m.journal.append(entry{Undo: last.number}); err != nil {
		if d != nil {
			d.drop()
		}
		return Edited{}, notDurable(err)
	}
	out := Edited{Version: m.journal.version}
	if d != nil {
		out.Rows = d.state.Visited()
	}
	m.graph.undo(last.past, d)
	m.made, out.Bound = m.made[:len(m.made)-1], m.graph.state.Widest()
	m.note(out, nil, last.number)
	return out, nil
}
