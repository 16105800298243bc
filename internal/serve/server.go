package serve

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
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
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	s := &Server{options: o, dirs: dirs, slots: make(chan struct{}, o.atOnce()),
		large: make(chan struct{}, o.bodies()/o.body()), log: log, since: time.Now(), limiter: limiter{rate: o.Rate}}
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
		if s.conns.Add(1) > int64(s.options.conns()) {
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
	l, err := net.Listen("tcp", s.options.addr())
	if err != nil {
		return err
	}
	if listening != nil {
		listening(l.Addr())
	}
	server := &http.Server{Handler: s.Handler(), ReadHeaderTimeout: 10 * time.Second, ReadTimeout: s.options.timeout(),
		WriteTimeout: 2 * s.options.timeout(), IdleTimeout: time.Minute, MaxHeaderBytes: 64 << 10,
		ConnState: s.admit,
		ErrorLog:  slog.NewLogLogger(s.log.Handler(), slog.LevelWarn)}
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
		defer time.AfterFunc(s.options.timeout()/3, func() { end(errStopping) }).Stop()
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.options.timeout())
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
