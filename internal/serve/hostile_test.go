package serve

import (
	"crypto/sha256"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// TestOtherHosts: without tokens only names of this machine are answered for, whatever a name elsewhere stands for.
func TestOtherHosts(t *testing.T) {
	dir := trained(t, "base")
	for i, o := range []Options{{}, {Insecure: true}} {
		r := serving(t, o, dir)
		for host, want := range map[string][2]int{"localhost": {200, 200}, "LOCALHOST:8080": {200, 200},
			"127.0.0.1": {200, 200}, "[::1]:80": {200, 200}, "evil.example": {421, 200},
			"evil.example:8080": {421, 200}, "127.0.0.1.evil": {421, 200}, "10.0.0.1": {421, 200}} {
			request, err := http.NewRequest(http.MethodGet, r.URL+"/v1/graph", nil)
			if err != nil {
				t.Fatal(err)
			}
			request.Host = host
			resp, err := http.DefaultClient.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			if resp.StatusCode != want[i] {
				t.Errorf("host %q, insecure %v: status %d, want %d", host, o.Insecure, resp.StatusCode, want[i])
			}
		}
		r.Close()
		r.s.Close()
	}
}

// TestBearer: a token is one only after the word for it.
func TestBearer(t *testing.T) {
	list := tokens{{hash: sha256.Sum256([]byte("a-long-random-token")), role: writer}}
	for header, want := range map[string]role{"Bearer a-long-random-token": writer, "a-long-random-token": nobody,
		"Basic a-long-random-token": nobody, "Bearer a-long-random-toke": nobody, "Bearer ": nobody, "": nobody} {
		if got := list.roleOf(header); got != want {
			t.Errorf("%q: role %d, want %d", header, got, want)
		}
	}
}

// TestHuge: rows that are too long for numbers are refused, and a question about long ones changes no answer.
func TestHuge(t *testing.T) {
	r := serving(t, Options{}, trained(t, "base"))
	ask := func() (a Answer) { r.ask("/v1/nodes/n3", "", 200, &a); return a }
	before := ask()
	const row = `{"edits":[{"remove_node":"n100"},{"set_features":{"id":"n3","features":[X,X,X,X]}}],"nodes":["n3"]}`
	why := strings.Replace(row, `"nodes":["n3"]`, `"node":"n3"`, 1)
	for _, x := range []string{"1e6", "1e20", "3e38", "-3e38", "1e37"} {
		for path, body := range map[string]string{"/v1/what-if": row, "/v1/graph": row, "/v1/explain": why} {
			resp, err := http.Post(r.URL+path, "application/json", strings.NewReader(strings.ReplaceAll(body, "X", x)))
			if err != nil {
				t.Fatal(err)
			}
			text, _ := io.ReadAll(resp.Body)
			resp.Body.Close()
			switch {
			case resp.StatusCode == http.StatusOK && path == "/v1/graph":
				r.ask("/v1/undo", "{}", 200, nil)
			case resp.StatusCode != http.StatusOK && (x == "1e6" || resp.StatusCode != http.StatusUnprocessableEntity):
				t.Errorf("%s: status %d: %s", path, resp.StatusCode, text)
			}
		}
	}
	after := ask()
	after.Version = before.Version
	same(t, "after long rows", after, before, 0)
}

// TestZeroByte: ids by which rows go that are only asked about are nobody's.
func TestZeroByte(t *testing.T) {
	r := serving(t, Options{}, trained(t, "base"))
	for _, path := range []string{"/v1/graph", "/v1/what-if"} {
		r.ask(path, `{"edits":[{"add_node":{"id":"\u00000","features":[1,1,1,1]}}],"nodes":["n1"]}`, 400, nil)
	}
}

// TestPanic: where a turn ends in a panic, nobody who waited for it is told that edits were made.
func TestPanic(t *testing.T) {
	var list turns
	held, wait := make(chan struct{}), sync.WaitGroup{}
	errs := make([]error, 4)
	list.turn.Lock()
	for i := range errs {
		wait.Go(func() {
			defer func() { _ = recover() }()
			w := &wish{}
			defer func() { errs[i] = w.err }()
			held <- struct{}{}
			list.submit(w, func([]*wish) { panic("a mistake") })
		})
	}
	for range errs {
		<-held
	}
	for waiting := 0; waiting < len(errs); {
		list.mu.Lock()
		waiting = len(list.waiting)
		list.mu.Unlock()
	}
	list.turn.Unlock()
	wait.Wait()
	for i, err := range errs {
		if err == nil {
			t.Errorf("wish %d was granted", i)
		}
	}
}

// TestNoBody: what takes no body refuses one that says something, as others refuse keys that they do not know.
func TestNoBody(t *testing.T) {
	r := serving(t, Options{}, trained(t, "base"))
	post := func(path, body string) int {
		resp, err := http.Post(r.URL+path, "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		return resp.StatusCode
	}
	for _, path := range []string{"/v1/undo", "/v1/reload"} {
		for body, want := range map[string]int{"": 200, "{}": 200, `{"version":1}`: 400, `{`: 400, `{} {}`: 400,
			`[]`: 400, "x": 400} {
			r.ask("/v1/graph", `{"edits":[{"set_features":{"id":"n1","features":[1,2,3,4]}}]}`, 200, nil)
			if got := post(path, body); got != want {
				t.Errorf("%s with %q: status %d, want %d", path, body, got, want)
			}
		}
	}
	if got := post("/v1/graph", `{"edits":[`+strings.Repeat("{},", 400000)+`{}]}`); got != 400 {
		t.Errorf("more edits than can be taken: status %d", got)
	}
}
