package serve

import (
	"context"
	"errors"
	"sync"
	"time"
)

// questions are what-if questions about a graph. They are computed in drafts, in parallel with each other and with
// answers about the graph as it is, and make way for edits.
type questions struct {
	mu     sync.Mutex
	places chan struct{}                     // one for every question that is being computed
	cancel map[*context.CancelCauseFunc]bool // of these
}

// askedAtOnce is the maximum number of questions about a model that are computed at a time; a draft may become as
// large as the graph.
const askedAtOnce = 4

// courtesy is how long an edit that is to become part of the graph waits for questions to end by themselves.
const courtesy = 250 * time.Millisecond

// errEdited ends a question that began before an edit, and begins again after it.
var errEdited = errors.New("the graph has changed")

// interruptible returns a context that interrupt ends; end is called in the end.
func (q *questions) interruptible(ctx context.Context) (inner context.Context, end func()) {
	inner, cancel := context.WithCancelCause(ctx)
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.cancel == nil {
		q.cancel = map[*context.CancelCauseFunc]bool{}
	}
	q.cancel[&cancel] = true
	return inner, func() {
		cancel(nil)
		q.mu.Lock()
		defer q.mu.Unlock()
		delete(q.cancel, &cancel)
	}
}

// interrupt ends all of them.
func (q *questions) interrupt() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for cancel := range q.cancel {
		(*cancel)(errEdited)
	}
}

// lock is m.mu.Lock, for which questions make way that take long.
func (m *Model) lock() {
	impatient := time.AfterFunc(courtesy, m.questions.interrupt)
	defer impatient.Stop()
	m.mu.Lock()
}

// onDraft calls f with a draft in which edits are made, and which is not settled; it is dropped afterwards. It starts
// again if the graph has changed meanwhile.
func (m *Model) onDraft(ctx context.Context, edits []Edit, f func(ctx context.Context, g *graph) error) error {
	select {
	case m.questions.places <- struct{}{}:
		defer func() { <-m.questions.places }()
	case <-ctx.Done():
		return ctx.Err()
	}
	for {
		if again, err := m.askOnce(ctx, edits, f); !again {
			return err
		}
	}
}

func (m *Model) askOnce(ctx context.Context, edits []Edit, f func(ctx context.Context, g *graph) error) (again bool,
	err error) {
	inner, end := m.questions.interruptible(ctx) // before the lock, so that none has it who cannot be interrupted
	defer end()
	m.mu.RLock()
	defer m.mu.RUnlock()
	d, err := m.graph.withEdits(edits)
	if err != nil {
		return false, err
	}
	defer d.drop()
	err = f(inner, d)
	return err != nil && context.Cause(inner) == errEdited && ctx.Err() == nil, err
}

// WhatIf returns the model's answers after edits that are not kept.
func (m *Model) WhatIf(ctx context.Context, edits []Edit, ids []string) (answers []Answer, err error) {
	return answers, m.onDraft(ctx, edits, func(ctx context.Context, g *graph) error {
		if err := g.settle(ctx); err != nil {
			return err
		}
		answers, err = m.answer(ctx, g, ids)
		return err
	})
}
