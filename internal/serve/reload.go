package serve

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
)

// Reload opens the run folders again and serves what has been trained there since, without losing a request: requests
// that have begun are answered by the old model, and edits go on to the new one, which replays the journal. It returns
// the names of the runs that were replaced; after an error all others are as before.
func (s *Server) Reload(ctx context.Context) (replaced []string, err error) {
	s.loading.Lock()
	defer s.loading.Unlock()
	for _, dir := range s.dirs {
		changed, err := s.renew(ctx, dir)
		if err != nil {
			return replaced, fmt.Errorf("%s: %w", dir, err)
		}
		if changed {
			replaced = append(replaced, filepath.Base(filepath.Clean(dir)))
		}
	}
	s.log.Info("reload", "replaced", replaced)
	return replaced, nil
}

// renew replaces the run of one folder.
func (s *Server) renew(ctx context.Context, dir string) (changed bool, err error) {
	now, err := openRun(ctx, dir, s.options)
	if err != nil {
		return false, err
	}
	runs := maps.Clone(s.all())
	old, new := runs[now.name()], now
	runs[now.name()] = new
	before, was := old.(*Model)
	after, is := new.(*Model)
	was, is = was && !before.fixed(), is && !after.fixed()
	switch {
	case was && is && before.weights == after.weights:
		return false, nil
	case was && is:
		return true, before.hand(ctx, after, func() { s.runs.Store(&runs) })
	case is:
		if err := after.resume(ctx, s.warn); err != nil {
			return false, err
		}
	}
	s.runs.Store(&runs)
	return true, old.Close()
}

// hand passes the journal of m to next, which has replayed it by then; no edits are made meanwhile. swap is called
// before m turns away further edits.
func (m *Model) hand(ctx context.Context, next *Model, swap func()) error {
	a, err := dataOf(m.graph.task)
	if err != nil {
		return err
	}
	b, err := dataOf(next.graph.task)
	if err != nil {
		return err
	}
	if a != b {
		return &Conflict{"it was trained on other data than the edits in the journal were made to"}
	}
	m.turns.turn.Lock()
	defer m.turns.turn.Unlock()
	past, err := m.journal.read()
	if err == nil {
		err = next.follow(ctx, m.journal, past)
	}
	if err != nil {
		return err
	}
	m.lock()
	m.journal = &journal{version: m.journal.version} // of its graph, which stays as it is
	m.mu.Unlock()
	swap()
	m.lock()
	defer m.mu.Unlock()
	m.next = next
	return nil
}

// reload handles POST /v1/reload.
func (s *Server) reload(r *http.Request) (any, error) {
	if err := empty(r); err != nil {
		return nil, err
	}
	replaced, err := s.Reload(context.WithoutCancel(r.Context())) // it takes as long as it takes
	if replaced == nil {
		replaced = []string{}
	}
	return reloaded{replaced}, err
}
