package serve

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bloomgml/bloom/internal/testkit"
)

var kills = flag.Int("kills", 3, "how often TestKilled kills a server; 200 takes minutes")

// victim and victimOptions are the variables by which the test binary becomes a server of a run folder, with options as
// JSON.
const victim, victimOptions = "BLOOM_SERVE_VICTIM", "BLOOM_SERVE_OPTIONS"

func TestMain(m *testing.M) {
	if dir := os.Getenv(victim); dir != "" {
		var s *Server
		o := Options{}
		err := json.Unmarshal([]byte(os.Getenv(victimOptions)), &o)
		if err == nil {
			s, err = New(context.Background(), o, nil, dir)
		}
		if err == nil {
			err = s.Run(context.Background(), func(a net.Addr) { fmt.Println(a) })
		}
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	testkit.OneThread()
	os.Exit(m.Run())
}

// TestKilled kills a server under writes, again and again: no acknowledged edit is lost, and none is half made. Every
// batch adds a node and its edge.
func TestKilled(t *testing.T) {
	dir := trained(t, "base")
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	acknowledged, edges := 0, -1
	for round := range *kills + 1 {
		addr, kill := spawn(t, Options{}, dir)
		var g struct{ Nodes, Edges, Version int }
		fetch(t, "http://"+addr+"/v1/graph", &g)
		if edges < 0 {
			edges = g.Edges
		}
		made := g.Nodes - 120
		if made < acknowledged || g.Edges-edges != made || g.Version != made {
			t.Fatalf("round %d: %d batches were acknowledged; there are %d new nodes, %d new edges and version %d",
				round, acknowledged, made, g.Edges-edges, g.Version)
		}
		if made > 0 {
			var a Answer
			fetch(t, fmt.Sprintf("http://%s/v1/nodes/k%d", addr, made-1), &a)
		}
		time.AfterFunc(time.Duration(10+rng.IntN(150))*time.Millisecond, kill)
		acknowledged = made + writeUntilDead(addr, made)
	}
	t.Logf("%d kills, %d batches", *kills+1, acknowledged)
}

// spawn starts a server in a process of its own, by the words of a command that starts others, if any.
func spawn(tb testing.TB, o Options, dir string, by ...string) (addr string, kill func()) {
	tb.Helper()
	addr, p := spawned(tb, o, dir, by...)
	return addr, sync.OnceFunc(func() {
		_ = p.Process.Kill()
		_ = p.Wait()
	})
}

// spawned is spawn with the process.
func spawned(tb testing.TB, o Options, dir string, by ...string) (addr string, cmd *exec.Cmd) {
	tb.Helper()
	o.Addr = "127.0.0.1" + ":0"
	options, err := json.Marshal(o)
	if err != nil {
		tb.Fatal(err)
	}
	words := slices.Concat(by, []string{os.Args[0], "-test.run=^$"})
	cmd = exec.CommandContext(tb.Context(), words[0], words[1:]...)
	cmd.Env = append(os.Environ(), "GOGC=100", victim+"="+dir, victimOptions+"="+string(options))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		tb.Fatalf("the server said no address: %v", err)
	}
	return strings.TrimSpace(line), cmd
}

// writeUntilDead adds nodes from a number on until the server is gone, and counts those that were acknowledged.
func writeUntilDead(addr string, from int) (acknowledged int) {
	return writeSome(addr, from, math.MaxInt)
}

// writeSome adds up to most nodes, as long as the server is there.
func writeSome(addr string, from, most int) (acknowledged int) {
	for ; acknowledged < most; acknowledged++ {
		const edits = `{"edits":[{"add_node":{"id":"k%d","features":[1,0,0,1]}},{"add_edge":["k%[1]d","n%d"]}]}`
		resp, err := http.Post("http://"+addr+"/v1/graph", "application/json",
			strings.NewReader(fmt.Sprintf(edits, from+acknowledged, (from+acknowledged)%120)))
		if err != nil {
			return acknowledged
		}
		_, err = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != http.StatusOK {
			return acknowledged
		}
	}
	return acknowledged
}

func fetch(t *testing.T, url string, into any) {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(into); err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: status %d, %v", url, resp.StatusCode, err)
	}
}

// TestUnwritable: where the journal cannot be written, edits are refused and not made, and reads go on.
func TestUnwritable(t *testing.T) {
	dir := trained(t, "base")
	r := serving(t, Options{}, dir)
	var before, after Answer
	r.ask("/v1/nodes/n3", "", 200, &before)
	block := filepath.Join(dir, journalName+"-head") // a folder instead of a file
	if err := os.Mkdir(block, 0o777); err != nil {
		t.Fatal(err)
	}
	const edits = `{"edits":[{"add_node":{"id":"x","features":[1,2,3,4]}},{"remove_node":"n4"}]}`
	for range 3 {
		r.ask("/v1/graph", edits, 507, nil)
	}
	r.ask("/v1/nodes/n3", "", 200, &after)
	same(t, "after edits that could not be written", after, before, 1e-6)
	r.ask("/v1/nodes/n4", "", 200, nil)
	if err := os.Remove(block); err != nil {
		t.Fatal(err)
	}
	r.ask("/v1/graph", edits, 200, nil)
	r.ask("/v1/nodes/n4", "", 404, nil)
}

// TestSlow: a thousand clients that send a few bytes and then nothing hold nobody up.
func TestSlow(t *testing.T) {
	r := serving(t, Options{}, trained(t, "base"))
	addr := strings.TrimPrefix(r.URL, "http://")
	for i := range 1000 {
		c, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		text := "POST /v1/graph HTTP/1.1\r\nHost: localhost\r\n" +
			"Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"
		if _, err := io.WriteString(c, text[:len(text)-i%2*20]); err != nil {
			t.Fatal(err)
		}
	}
	begin := time.Now()
	r.ask("/v1/graph", `{"edits":[{"add_edge":["n1","n2"]}]}`, 200, nil)
	for i := range 100 {
		r.ask(fmt.Sprintf("/v1/nodes/n%d", i), "", 200, nil)
	}
	if took := time.Since(begin); took > 10*time.Second {
		t.Errorf("%v for 101 requests", took)
	}
}
