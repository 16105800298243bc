package serve

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"time"

	"github.com/bloomgml/bloom/internal/live"
)

// status is an error with the status of its answer.
type status struct {
	code int
	err  error
}

func (e *status) Error() string { return e.err.Error() }

func bad(format string, args ...any) error {
	return &status{http.StatusBadRequest, fmt.Errorf(format, args...)}
}

// codeOf is the status that an error is answered with.
func codeOf(err error) int {
	var (
		own      *status
		edit     *BadEdit
		none     *NoNode
		conflict *Conflict
		disk     *NotDurable
		large    *http.MaxBytesError
		numbers  *live.NotFinite
	)
	switch {
	case errors.As(err, &own):
		return own.code
	case errors.As(err, &large):
		return http.StatusRequestEntityTooLarge
	case errors.As(err, &edit), errors.As(err, &numbers):
		return http.StatusUnprocessableEntity
	case errors.As(err, &none):
		return http.StatusNotFound
	case errors.As(err, &conflict):
		return http.StatusConflict
	case errors.As(err, &disk):
		return http.StatusInsufficientStorage
	}
	return http.StatusInternalServerError
}

// answerer answers a request with what becomes JSON, or with text.
type answerer func(*http.Request) (any, error)

// text is an answer that is not JSON.
type text string

// guarded answers by f whoever may ask, within the limits, and counts.
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
		code, body = http.StatusInternalServerError, []byte(`{"error":"the answer is no JSON"}`)
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
		switch may := s.tokens.of(r.Header.Get("Authorization")); {
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
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, s.options.body()))
	if err != nil {
		return nil, unread(err)
	}
	r.Body = io.NopCloser(bytes.NewReader(body)) // who sends slowly holds nobody up
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	case <-r.Context().Done():
		return nil, &status{http.StatusServiceUnavailable, r.Context().Err()}
	}
	return f(r)
}

// decode reads a body of one JSON value, whose keys must be known.
func decode(r *http.Request, into any) error {
	d := json.NewDecoder(r.Body)
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return unread(err)
	}
	if _, err := d.Token(); err != io.EOF {
		return bad("something follows the JSON value")
	}
	return nil
}

// unread is the error for a body that is not what it should be.
func unread(err error) error {
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		return err
	}
	return bad("the body: %v", err)
}
