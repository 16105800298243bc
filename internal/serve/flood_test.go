//go:build linux

package serve

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// floodBound is how much memory 200 connections may make a server take that each send 8 MiB, made to take much
// memory when it is read: docs/lab/serve.md says so.
const floodBound = 384 << 20

// TestFlood: 200 connections that each send the largest body stay within the bound, and requests of others are answered
// meanwhile. Who has no token, or sends a body where none is taken, sends it for nothing: 50 show that.
func TestFlood(t *testing.T) {
	if testing.Short() {
		t.Skip("it sends 4 GiB")
	}
	tokens := filepath.Join(t.TempDir(), "tokens")
	if err := os.WriteFile(tokens, []byte("write fedcba9876543210\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	addr, p := spawned(t, Options{TokenFile: tokens}, trained(t, "base"))
	defer func() { _ = p.Process.Kill(); _ = p.Wait() }()
	peak := func() int64 { return resident(t, p.Process.Pid) }
	before := peak()
	const token = "Authorization: Bearer fedcba9876543210\r\n"
	fill := func(begin, again string) string {
		return begin + strings.Repeat(again, (8<<20-len(begin))/len(again))
	}
	for _, c := range []struct {
		what, line, header, body string
		connections              int
		most                     int64
	}{
		{"nobody's edits", "POST /v1/graph", "", fill("", " "), 50, 32 << 20},
		{"a question with a body", "GET /v2/health/live", "", fill("", " "), 50, 32 << 20},
		{"edits", "POST /v1/graph", token, fill(`{"edits":[{}`, ",{}"), 200, floodBound},
		{"ids", "POST /v1/what-if", token, fill(`{"nodes":[""`, `,""`), 200, floodBound},
	} {
		flood(t, addr, c.connections, c.line, c.header, c.body)
		took := peak() - before
		t.Logf("%s: %d MiB more than the %d MiB at the start", c.what, took>>20, before>>20)
		if took > c.most {
			t.Errorf("%s: %d MiB, want at most %d", c.what, took>>20, c.most>>20)
		}
	}
}

// flood sends a request on many connections at the same time, and asks something else meanwhile.
func flood(t *testing.T, addr string, connections int, line, header, body string) {
	t.Helper()
	request := fmt.Sprintf("%s HTTP/1.1\r\nHost: localhost\r\n%sContent-Type: application/json\r\n"+
		"Content-Length: %d\r\n\r\n", line, header, len(body))
	var sent sync.WaitGroup
	for range connections {
		sent.Go(func() {
			c, err := net.Dial("tcp", addr)
			if err != nil {
				t.Error(err)
				return
			}
			defer c.Close()
			_, _ = io.WriteString(c, request) // it may be refused before its end
			_, _ = io.WriteString(c, body)
			_ = c.SetReadDeadline(time.Now().Add(time.Minute))
			_, _ = http.ReadResponse(bufio.NewReader(c), nil)
		})
	}
	q, _ := http.NewRequest(http.MethodPost, "http://"+addr+"/v1/what-if",
		strings.NewReader(`{"edits":[{"add_edge":["n1","n2"]},{"remove_edge":["n1","n2"]}],"nodes":["n1"]}`))
	q.Header.Set("Content-Type", "application/json")
	q.Header.Set("Authorization", "Bearer fedcba9876543210")
	q.Close = true // an idle connection of the time before may just be ending
	begin := time.Now()
	resp, err := http.DefaultClient.Do(q)
	if err != nil || resp.StatusCode >= 500 {
		t.Errorf("a small request meanwhile: %v, %v", resp, err)
	}
	if took := time.Since(begin); took > 20*time.Second {
		t.Errorf("a small request meanwhile took %v", took)
	}
	sent.Wait()
}

var highWater = regexp.MustCompile(`VmHWM:\s+(\d+) kB`)

// resident is the largest memory that a process has had so far, in bytes.
func resident(t *testing.T, pid int) int64 {
	t.Helper()
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	m := highWater.FindSubmatch(text)
	if err != nil || m == nil {
		t.Fatalf("the memory of process %d: %v", pid, err)
	}
	kB, _ := strconv.ParseInt(string(m[1]), 10, 64)
	return kB << 10
}

// TestConnections: those that are too many are closed, and there is room again when others have ended.
func TestConnections(t *testing.T) {
	addr, kill := spawn(t, Options{Conns: 3}, trained(t, "base"))
	defer kill()
	var open []net.Conn
	for range 3 {
		c, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if _, err := io.WriteString(c, "GET /v1/graph HTTP/1.1\r\n"); err != nil {
			t.Fatal(err)
		}
		open = append(open, c)
	}
	ask := func() (int, error) {
		client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 5 * time.Second}
		resp, err := client.Get("http://" + addr + "/v1/graph")
		if err != nil {
			return 0, err
		}
		defer resp.Body.Close()
		return resp.StatusCode, nil
	}
	if code, err := ask(); err == nil {
		t.Errorf("a connection that is one too many: status %d", code)
	}
	open[0].Close()
	code, err := ask()
	for range 100 { // until the server has seen that it is closed
		if err == nil {
			break
		}
		time.Sleep(20 * time.Millisecond)
		code, err = ask()
	}
	if err != nil || code != http.StatusOK {
		t.Errorf("after one was closed: status %d, %v", code, err)
	}
}
