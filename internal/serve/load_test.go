//go:build linux

package serve

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/task/node"
	"github.com/bloomgml/bloom/train"
)

// serverBy starts the server of BenchmarkLoad: taskset -c 0,1 gives it two cores of its own.
var serverBy = flag.String("server-by", "", "the words before the command of the server that is measured")

// BenchmarkLoad is the load generator: a run of base on a graph of the size of ogbn-arxiv, with 64 columns, is asked
// and edited over HTTP on the loopback, by another process than the one that answers. Reads and single edits come at
// rates that do not wait for answers, and their latency counts from when a request should have begun; batches of 1,000
// edits follow each other.
//
//	go test ./internal/serve -run - -bench Load -benchtime 5s -server-by "taskset -c 0,1"
func BenchmarkLoad(b *testing.B) {
	dir, d := large(b)
	addr, kill := spawn(b, Options{}, dir, strings.Fields(*serverBy)...)
	defer kill()
	load := newLoad(d, addr)
	b.Run("reads/rate=10000", func(b *testing.B) { load.open(b, 10000, 32, load.read) })
	b.Run("edit/rate=200", func(b *testing.B) { load.open(b, 200, 4, load.edit) })
	b.Run("batches", load.batches)
}

// large is a run folder on a graph of 169,343 nodes and 1,157,799 edges, with its data.
func large(tb testing.TB) (string, *dataset.Dataset) {
	tb.Helper()
	dir := filepath.Join(tb.TempDir(), "large")
	c, err := config.Default("base", "csbm:nodes=169343,degree=13.67401,features=64,classes=10")
	if err != nil {
		tb.Fatal(err)
	}
	c.Model.Hidden, c.Train.Epochs = 64, 1
	d, err := catalogue.Open(c.Data.Name)
	if err != nil {
		tb.Fatal(err)
	}
	if _, err := node.Run(tb.Context(), *c, d, node.Options{Options: train.Options{Dir: dir}}); err != nil {
		tb.Fatal(err)
	}
	return dir, d
}

// load makes requests.
type load struct {
	addr  string
	nodes int
	rng   *rand.Rand
	there map[[2]int]bool // edges between nodes by their numbers, the smaller first
	list  [][2]int
}

func newLoad(d *dataset.Dataset, addr string) *load {
	l := &load{addr: addr, nodes: d.Graph.NumNodes(), rng: rand.New(rand.NewPCG(1, 1)), there: map[[2]int]bool{}}
	for _, e := range d.Graph.Triples() {
		l.note([2]int{int(min(e.U, e.V)), int(max(e.U, e.V))})
	}
	return l
}

func (l *load) note(e [2]int) {
	l.there[e] = true
	l.list = append(l.list, e)
}

// read asks for a node.
func (l *load) read() string {
	return fmt.Sprintf("GET /v1/nodes/n%d HTTP/1.1\r\nHost: %s\r\n\r\n", l.rng.IntN(l.nodes), l.addr)
}

// edit adds or removes an edge and asks for one of its nodes.
func (l *load) edit() string {
	text, v := l.change()
	return l.post(fmt.Sprintf(`{"edits":[%s],"nodes":["n%d"]}`, text, v))
}

// batch adds and removes 1,000 edges.
func (l *load) batch() string {
	var b strings.Builder
	for i := range 1000 {
		if i > 0 {
			b.WriteByte(',')
		}
		text, _ := l.change()
		b.WriteString(text)
	}
	return l.post(`{"edits":[` + b.String() + `]}`)
}

func (l *load) post(body string) string {
	return fmt.Sprintf("POST /v1/graph HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\n"+
		"Content-Length: %d\r\n\r\n%s", l.addr, len(body), body)
}

// change is an edit that can be made, with one of its nodes.
func (l *load) change() (text string, v int) {
	what, e := "remove_edge", [2]int{}
	if l.rng.IntN(2) == 0 {
		at, last := l.rng.IntN(len(l.list)), len(l.list)-1
		e, l.list[at] = l.list[at], l.list[last]
		l.list = l.list[:last]
		delete(l.there, e)
	} else {
		what = "add_edge"
		for e = [2]int{}; e[0] >= e[1] || l.there[e]; {
			e = [2]int{l.rng.IntN(l.nodes), l.rng.IntN(l.nodes)}
		}
		l.note(e)
	}
	return fmt.Sprintf(`{%q:["n%d","n%d"]}`, what, e[0], e[1]), e[0]
}

// batches measures how many edits a second are taken in batches.
func (l *load) batches(b *testing.B) {
	requests := make([]string, b.N)
	for i := range requests {
		requests[i] = l.batch()
	}
	c, err := dial(l.addr)
	if err != nil {
		b.Fatal(err)
	}
	defer c.close()
	b.ResetTimer()
	for _, r := range requests {
		if err := c.ask(r); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(1000*b.N)/b.Elapsed().Seconds(), "edits/s")
}

// open sends requests at a fixed rate, over as many connections as are free, and measures latency from the time at
// which each should have been sent.
func (l *load) open(b *testing.B, rate float64, connections int, request func() string) {
	requests, took := make([]string, b.N), make([]time.Duration, b.N)
	for i := range requests {
		requests[i] = request()
	}
	var next atomic.Int64
	var wait sync.WaitGroup
	sleep := time.Sleep
	if rate < 1000 { // else the program is never idle, and its timers are on time
		sleep = pause
	}
	b.ResetTimer()
	begin := time.Now().Add(time.Millisecond)
	for range connections {
		wait.Go(func() {
			c, err := dial(l.addr)
			if err != nil {
				b.Error(err)
				return
			}
			defer c.close()
			for i := int(next.Add(1)) - 1; i < b.N; i = int(next.Add(1)) - 1 {
				due := begin.Add(time.Duration(float64(i) / rate * 1e9))
				sleep(time.Until(due))
				if err := c.ask(requests[i]); err != nil {
					b.Error(err)
				}
				took[i] = time.Since(due)
			}
		})
	}
	wait.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "requests/s")
	slices.Sort(took)
	b.ReportMetric(took[b.N/2].Seconds()*1e3, "p50-ms")
	b.ReportMetric(took[b.N*99/100].Seconds()*1e3, "p99-ms")
}

// pause lets time pass, to a few microseconds: time.Sleep of a program that is idle may be a millisecond late, since
// the runtime waits for timers and the network together, in milliseconds.
func pause(d time.Duration) {
	const spin = 100 * time.Microsecond // what the system may be late by
	until := time.Now().Add(d)
	if d > spin {
		left := syscall.NsecToTimespec(int64(d - spin))
		_ = syscall.Nanosleep(&left, nil) // woken early, it spins for longer
	}
	for time.Now().Before(until) {
	}
}

// caller is one connection: a client of HTTP that costs little compared with the server.
type caller struct {
	net.Conn
	in *bufio.Reader
}

func dial(addr string) (*caller, error) {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	return &caller{c, bufio.NewReader(c)}, nil
}

func (c *caller) close() { c.Conn.Close() }

// ask sends a request and reads the answer, which must be a good one.
func (c *caller) ask(request string) error {
	if _, err := io.WriteString(c, request); err != nil {
		return err
	}
	status, length := "", -1
	for {
		line, err := c.in.ReadString('\n')
		if err != nil {
			return err
		}
		line = strings.TrimRight(line, "\r\n")
		if line == "" {
			break
		}
		if status == "" {
			status = line
		}
		if n, ok := strings.CutPrefix(line, "Content-Length: "); ok {
			if length, err = strconv.Atoi(n); err != nil {
				return err
			}
		}
	}
	body := make([]byte, max(length, 0))
	if _, err := io.ReadFull(c.in, body); err != nil {
		return err
	}
	if status != "HTTP/1.1 200 OK" || length < 0 {
		return errors.New(status + " " + string(body))
	}
	return nil
}
