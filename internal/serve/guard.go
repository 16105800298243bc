package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/bloomgml/bloom/task"
)

// status is an error with the status of its answer.
type status struct {
	code int
	err  error
}

func (e *status) Error() string { return e.err.Error() }
func (e *status) Unwrap() error { return e.err }

func bad(format string, args ...any) error {
	return &status{http.StatusBadRequest, fmt.Errorf(format, args...)}
}

func unprocessable(format string, args ...any) error {
	return &status{http.StatusUnprocessableEntity, fmt.Errorf(format, args...)}
}

// conflict is the error for what does not fit the present version.
func conflict(format string, args ...any) error {
	return &status{http.StatusConflict, fmt.Errorf(format, args...)}
}

// codeOf returns the status that an error is answered with.
func codeOf(err error) int {
	var own *status
	switch {
	case errors.As(err, &own):
		return own.code
	case errors.As(err, new(*http.MaxBytesError)):
		return http.StatusRequestEntityTooLarge
	case errors.As(err, new(*BadEdit)):
		return http.StatusUnprocessableEntity
	case errors.As(err, new(*task.UsageError)):
		return http.StatusBadRequest
	case errors.As(err, new(noNode)), errors.As(err, new(*task.Missing)):
		return http.StatusNotFound
	}
	return http.StatusInternalServerError
}

// answerer answers a request with what becomes JSON, or with text.
type answerer func(*http.Request) (any, error)

// text is an answer that is not JSON.
type text string

// guarded answers permitted requests by f, within the limits, and counts them.
func (s *Server) guarded(name string, needs role, f answerer) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begin := time.Now()
		code := s.respond(w, r, needs, f)
		took := time.Since(begin)
		s.counts.add(name, code, took)
		s.log.Info("request", "what", name, "path", r.URL.Path, "status", code, "seconds", took.Seconds())
	})
}

// respond writes the answer, and returns its status.
func (s *Server) respond(w http.ResponseWriter, r *http.Request, needs role, f answerer) int {
	h := w.Header()
	h.Set("Content-Security-Policy", "default-src 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	answer, err := s.allowed(w, r, needs, f)
	code := http.StatusOK
	if err != nil {
		code = codeOf(err)
		if code == http.StatusUnauthorized {
			h.Set("WWW-Authenticate", "Bearer")
		}
		answer = map[string]string{"error": err.Error()}
	}
	if plain, ok := answer.(text); ok {
		h.Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		_, _ = io.WriteString(w, string(plain))
		return code
	}
	if file, ok := answer.(download); ok {
		h.Set("Content-Type", "application/octet-stream")
		h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": file.name}))
		_, _ = w.Write(file.content)
		return code
	}
	body, err := json.Marshal(answer)
	if err != nil {
		code, body = http.StatusInternalServerError, []byte(`{"error":"the answer is not valid JSON"}`)
		s.log.Error("answer", "path", r.URL.Path, "error", err)
	}
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(body)+1))
	w.WriteHeader(code)
	_, _ = w.Write(append(body, '\n'))
	return code
}

// allowed calls f, if the request may.
func (s *Server) allowed(w http.ResponseWriter, r *http.Request, needs role, f answerer) (any, error) {
	if !s.limiter.allow(r.RemoteAddr, time.Now()) {
		w.Header().Set("Retry-After", "1")
		return nil, &status{http.StatusTooManyRequests, fmt.Errorf("more than %g requests a second", s.options.Rate)}
	}
	if s.tokens != nil && needs > nobody {
		switch may := s.tokens.roleOf(r.Header.Get("Authorization")); {
		case may == nobody:
			return nil, &status{http.StatusUnauthorized, errors.New("a token is needed")}
		case may < needs:
			return nil, &status{http.StatusForbidden, errors.New("this token may only read")}
		}
	}
	if r.Method == http.MethodPost {
		kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
		silent := r.Header.Get("Content-Type") == "" && needs < writer // Triton's client sends none with questions
		if kind != "application/json" && kind != "application/x-ndjson" && !silent {
			return nil, &status{http.StatusUnsupportedMediaType,
				fmt.Errorf("Content-Type %q, want application/json or application/x-ndjson", kind)}
		}
	}
	done, err := s.receive(w, r)
	if err != nil {
		return nil, err
	}
	defer done()
	return s.inTime(r, f)
}

// inTime calls f, which ends at the deadline of the request and then has changed nothing.
func (s *Server) inTime(r *http.Request, f answerer) (any, error) {
	limit := s.options.Timeout
	ctx, cancel := context.WithTimeoutCause(r.Context(), limit, fmt.Errorf("no answer within %v", limit))
	defer cancel()
	late := func() error {
		return &status{http.StatusServiceUnavailable, fmt.Errorf("%w; nothing was changed", context.Cause(ctx))}
	}
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	case <-ctx.Done():
		return nil, late()
	}
	answer, err := f(r.WithContext(ctx))
	if err != nil && ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return nil, late()
	}
	return answer, err
}

// smallBody is the size in bytes up to which a body is read regardless of other requests.
const smallBody = 64 << 10

// receive reads the body of a POST into memory, so that a slow sender holds up no one; other requests have no body. A
// body that is not small occupies one of a few places until done is called. It waits for a place with only its
// beginning in memory.
func (s *Server) receive(w http.ResponseWriter, r *http.Request) (done func(), err error) {
	most := s.options.Body
	switch {
	case r.Method != http.MethodPost:
		r.Body = http.NoBody
		return func() {}, nil
	case r.ContentLength > most:
		return nil, &http.MaxBytesError{Limit: most}
	}
	var body bytes.Buffer
	from := http.MaxBytesReader(w, r.Body, most)
	switch _, err = io.CopyN(&body, from, smallBody+1); {
	case errors.Is(err, io.EOF):
		done = func() {}
	case err != nil:
		return nil, unread(err)
	default:
		if done, err = s.place(w); err != nil {
			return nil, err
		}
		body.Grow(int(max(0, r.ContentLength-smallBody)) + bytes.MinRead)
		if _, err = body.ReadFrom(from); err != nil {
			done()
			return nil, unread(err)
		}
	}
	if n, want := bytes.Count(body.Bytes(), []byte("{")), objects*s.options.Batch; n > want {
		done()
		return nil, bad("the body: %d objects, want at most %d", n, want)
	}
	r.Body = io.NopCloser(&body)
	return done, nil
}

// objects is the number of JSON objects that a body may have for every edit that a batch may have. Each of them takes
// 72 bytes or more, which "{}," would let a body take 24 times its size.
const objects = 32

// place waits for the place of a body that is not small.
func (s *Server) place(w http.ResponseWriter) (leave func(), err error) {
	select {
	case s.large <- struct{}{}:
		return func() { <-s.large }, nil
	case <-time.After(s.options.Timeout / 3):
		w.Header().Set("Retry-After", "1")
		return nil, &status{http.StatusServiceUnavailable, errors.New("too many large requests at once")}
	}
}

// empty refuses a body that says something, for what takes none.
func empty(r *http.Request) error {
	if err := decode(r, &struct{}{}); !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// decode reads a body of one JSON value, whose keys must be known.
func decode(r *http.Request, into any) error {
	d := json.NewDecoder(r.Body)
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return unread(err)
	}
	if _, err := d.Token(); err != io.EOF {
		return bad("there is text after the JSON value")
	}
	return nil
}

// unread is the error for a body that is not what it should be.
func unread(err error) error {
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		return err
	}
	return bad("the body: %w", err)
}

// limiter lets every address make a number of requests a second, and a burst of twice that number after a pause.
type limiter struct {
	rate float64 // 0 is without end
	mu   sync.Mutex
	by   map[string]*allowance
}

// allowance is the number of requests that an address has left, and since when.
type allowance struct {
	left float64
	at   time.Time
}

// mostAddresses is the number of addresses that are remembered; beyond it, addresses with a full allowance are
// forgotten.
const mostAddresses = 10000

// allow takes a request from what the sender has left.
func (l *limiter) allow(sender string, now time.Time) bool {
	if l.rate == 0 {
		return true
	}
	host, _, err := net.SplitHostPort(sender)
	if err != nil {
		host = sender
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.by == nil || len(l.by) > mostAddresses {
		l.forget(now)
	}
	a := l.by[host]
	if a == nil {
		a = &allowance{max(1, 2*l.rate), now}
		l.by[host] = a
	}
	a.left = min(max(1, 2*l.rate), a.left+now.Sub(a.at).Seconds()*l.rate)
	a.at = now
	if a.left < 1 {
		return false
	}
	a.left--
	return true
}

// forget drops all addresses but those that asked lately.
func (l *limiter) forget(now time.Time) {
	kept := map[string]*allowance{}
	for host, a := range l.by {
		if a.left+now.Sub(a.at).Seconds()*l.rate < 2*l.rate {
			kept[host] = a
		}
	}
	l.by = kept
}
