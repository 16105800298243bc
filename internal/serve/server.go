package serve

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"
)

// Server answers for runs.
type Server struct {
	options Options
	tokens  tokens // nil if everybody may do everything
	dirs    []string
	runs    atomic.Pointer[map[string]served] // replaced as a whole
	loading sync.Mutex                        // held while the run is replaced
	counts  counts
	slots   chan struct{} // of requests that are answered
	large   chan struct{} // of bodies that are not small
	conns   atomic.Int64  // connections that are open
	limiter limiter
	log     *slog.Logger
	since   time.Time
}

// New opens the run folders. Log lines go to log; nil means none.
func New(ctx context.Context, o Options, log *slog.Logger, dirs ...string) (*Server, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	o = o.filled()
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	s := &Server{options: o, dirs: dirs, slots: make(chan struct{}, o.AtOnce),
		large: make(chan struct{}, o.Bodies/o.Body), log: log, since: time.Now(), limiter: limiter{rate: o.Rate}}
	if o.TokenFile != "" {
		var err error
		if s.tokens, err = readTokens(o.TokenFile); err != nil {
			return nil, err
		}
	}
	runs := map[string]served{}
	s.runs.Store(&runs)
	for _, dir := range dirs {
		if err := s.open(ctx, runs, dir); err != nil {
			s.Close()
			return nil, err
		}
	}
	s.options.Configs = nil
	return s, nil
}

// open adds a run.
func (s *Server) open(ctx context.Context, runs map[string]served, dir string) error {
	m, err := openRun(ctx, dir, s.options)
	if err != nil {
		return err
	}
	if runs[m.name()] != nil {
		return fmt.Errorf("two runs have the name %q: a run is named by its folder", m.name())
	}
	if m, ok := m.(*Model); ok && m.averaged != "" {
		s.warn(m.averaged)
	}
	if m, ok := m.(*Model); ok && !m.fixed() {
		if err := m.resume(ctx, s.warn); err != nil {
			return err
		}
	}
	runs[m.name()] = m
	return nil
}

// warn logs a notice for people.
func (s *Server) warn(text string) { s.log.Warn(text) }

// Close closes the runs.
func (s *Server) Close() {
	for name, m := range s.all() {
		if err := m.Close(); err != nil {
			s.log.Error("close", "model", name, "error", err)
		}
	}
}

// admit counts connections, and closes those beyond the limit.
func (s *Server) admit(c net.Conn, now http.ConnState) {
	switch now {
	case http.StateNew:
		if s.conns.Add(1) > int64(s.options.Conns) {
			_ = c.Close()
		}
	case http.StateClosed, http.StateHijacked:
		s.conns.Add(-1)
	}
}

// errStopping ends requests that take longer than a server that was told to stop has left.
var errStopping = errors.New("the server is stopping")

// Run answers until ctx is done; requests that have begun are answered first, those within a third of the timeout that
// settle states. listening is called with the address; it may be nil.
func (s *Server) Run(ctx context.Context, listening func(net.Addr)) error {
	defer s.Close()
	l, err := net.Listen("tcp", s.options.Addr)
	if err != nil {
		return err
	}
	if listening != nil {
		listening(l.Addr())
	}
	server := &http.Server{Handler: s.Handler(), ReadHeaderTimeout: 10 * time.Second, ReadTimeout: s.options.Timeout,
		WriteTimeout: 2 * s.options.Timeout, IdleTimeout: time.Minute, MaxHeaderBytes: 64 << 10,
		ConnState: s.admit, ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelWarn)}
	base, end := context.WithCancelCause(context.WithoutCancel(ctx))
	defer end(nil)
	for _, m := range s.models() {
		if m.graph.decay != nil {
			go s.tick(ctx, m.name(), m.graph.task.Config.Data.Decay)
		}
	}
	server.BaseContext = func(net.Listener) context.Context { return base }
	ended := make(chan error, 1)
	go func() {
		<-ctx.Done()
		defer time.AfterFunc(s.options.Timeout/3, func() { end(errStopping) }).Stop()
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.options.Timeout)
		defer cancel()
		ended <- server.Shutdown(last)
	}()
	if s.options.Cert != "" {
		err = server.ServeTLS(l, s.options.Cert, s.options.Key)
	} else {
		err = server.Serve(l)
	}
	if !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return <-ended
}

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
		return conflict("it was trained on other data than the edits in the journal were made to")
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
