package serve

import (
	"fmt"
	"maps"
	"math"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"
)

// counts counts requests by what was asked and how it ended, and how long they took.
type counts struct {
	mu   sync.Mutex
	by   map[asked]int64
	took map[string]*histogram
	past past
}

type asked struct {
	what string
	code int
}

// edges are the upper ends of the buckets, in seconds.
var edges = []float64{0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 2.5, 10}

type histogram struct {
	buckets [13]int64 // not summed; the last has no end
	sum     float64
	count   int64
}

func (c *counts) add(what string, code int, took time.Duration) {
	c.past.add(time.Now(), code, took)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.by == nil {
		c.by, c.took = map[asked]int64{}, map[string]*histogram{}
	}
	c.by[asked{what, code}]++
	h := c.took[what]
	if h == nil {
		h = new(histogram)
		c.took[what] = h
	}
	at, _ := slices.BinarySearch(edges, took.Seconds())
	h.buckets[at]++
	h.sum += took.Seconds()
	h.count++
}

// metrics returns the counts as Prometheus reads them.
func (s *Server) metrics(*http.Request) (any, error) {
	var b strings.Builder
	s.counts.write(&b)
	for _, family := range []struct{ name, kind, help string }{
		{"bloom_graph_nodes", "gauge", "Nodes of the graph."}, {"bloom_graph_edges", "gauge", "Edges of the graph."},
		{"bloom_graph_version", "gauge", "Batches of edits that were applied or undone."},
	} {
		fmt.Fprintf(&b, "# HELP %s %s\n# TYPE %[1]s %s\n", family.name, family.help, family.kind)
		for _, m := range s.models() {
			nodes, edges, version := m.Size()
			value := map[string]int64{"bloom_graph_nodes": int64(nodes), "bloom_graph_edges": int64(edges),
				"bloom_graph_version": version}[family.name]
			fmt.Fprintf(&b, "%s{model=%q} %d\n", family.name, m.Name, value)
		}
	}
	return text(b.String()), nil
}

func (c *counts) write(b *strings.Builder) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var rows []string
	for k, n := range c.by {
		rows = append(rows, fmt.Sprintf("bloom_requests_total{what=%q,status=\"%d\"} %d\n", k.what, k.code, n))
	}
	slices.Sort(rows)
	b.WriteString("# HELP bloom_requests_total Requests, by endpoint and status.\n" +
		"# TYPE bloom_requests_total counter\n" + strings.Join(rows, ""))
	b.WriteString("# HELP bloom_request_seconds Time to answer.\n# TYPE bloom_request_seconds histogram\n")
	for _, what := range slices.Sorted(maps.Keys(c.took)) {
		h, sum := c.took[what], int64(0)
		for i, edge := range edges {
			sum += h.buckets[i]
			fmt.Fprintf(b, "bloom_request_seconds_bucket{what=%q,le=\"%g\"} %d\n", what, edge, sum)
		}
		fmt.Fprintf(b, "bloom_request_seconds_bucket{what=%q,le=\"+Inf\"} %d\n", what, h.count)
		fmt.Fprintf(b, "bloom_request_seconds_sum{what=%q} %g\n", what, h.sum)
		fmt.Fprintf(b, "bloom_request_seconds_count{what=%q} %d\n", what, h.count)
	}
}

// build returns the version of the program.
func build() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		return info.Main.Version
	}
	return "unknown"
}

// The past is kept in slots of ten seconds, for an hour, and the last versions by themselves.
const (
	slotSeconds  = 10
	slotsKept    = 360
	versionsKept = 50
)

// past holds what happened lately.
type past struct {
	mu    sync.Mutex
	slots []slot // ascending; those without a request are missing
}

// slot counts what happened in ten seconds. Answers are counted by how long they took: bucket i ends at
// fastest·2^(i/2).
type slot struct {
	begin    int64 // in units of ten seconds since 1970
	requests int
	failed   int
	buckets  [40]int
}

// fastest is the end of the first bucket, in seconds.
const fastest = 20e-6

// Slot is the public form of a slot.
type Slot struct {
	Time     int64   `json:"time"` // seconds since 1970
	Requests int     `json:"requests"`
	Failed   int     `json:"failed"` // answered with a status of 500 or more
	P50      float64 `json:"p50"`    // seconds; by buckets, each 1.4 times as long as the one before
	P99      float64 `json:"p99"`
}

// add notes an answer.
func (p *past) add(now time.Time, code int, took time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	at := now.Unix() / slotSeconds
	if n := len(p.slots); n == 0 || p.slots[n-1].begin != at {
		if n == slotsKept {
			p.slots = slices.Delete(p.slots, 0, 1)
		}
		p.slots = append(p.slots, slot{begin: at})
	}
	s := &p.slots[len(p.slots)-1]
	s.requests++
	if code >= http.StatusInternalServerError {
		s.failed++
	}
	bucket := int(math.Ceil(2 * math.Log2(max(took.Seconds(), fastest)/fastest)))
	s.buckets[min(bucket, len(s.buckets)-1)]++
}

// lastHour lists the slots of the last hour.
func (p *past) lastHour(now time.Time) []Slot {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := []Slot{}
	for _, s := range p.slots {
		if s.begin > now.Unix()/slotSeconds-slotsKept {
			list = append(list, Slot{s.begin * slotSeconds, s.requests, s.failed, s.quantile(0.5), s.quantile(0.99)})
		}
	}
	return list
}

// quantile returns the upper end of the bucket below which a share of all answers lies.
func (s *slot) quantile(share float64) float64 {
	need, sum := share*float64(s.requests), 0
	for i, n := range s.buckets {
		if sum += n; float64(sum) >= need {
			return fastest * math.Pow(2, float64(i)/2)
		}
	}
	return math.Inf(1)
}

// Made is a version that was made since the server started.
type Made struct {
	Edited
	Time  int64  `json:"time"`
	Edits []Edit `json:"edits,omitempty"` // the first few
	Count int    `json:"count"`           // of edits
	Undo  int64  `json:"undo,omitempty"`  // the version that was taken back
}

// shownEdits is the number of edits of a version that are shown.
const shownEdits = 3

func (m *Model) note(e Edited, edits []Edit, undo int64) {
	if len(m.lately) == versionsKept {
		m.lately = slices.Delete(m.lately, 0, 1)
	}
	some := slices.Clone(edits[:min(shownEdits, len(edits))])
	for i, x := range some {
		if x.SetFeatures != nil {
			some[i].SetFeatures = &Row{ID: x.SetFeatures.ID}
		}
		if x.AddNode != nil {
			some[i].AddNode = &Row{ID: x.AddNode.ID}
		}
	}
	e.Nodes = nil
	m.lately = append(m.lately, Made{e, time.Now().Unix(), some, len(edits), undo})
}

// health handles GET /v1/health: how the server and a model have been doing.
func (s *Server) health(m *Model, r *http.Request) (any, error) {
	nodes, edges, version := m.Size()
	m.mu.RLock()
	defer m.mu.RUnlock()
	undo := int64(0)
	if n := len(m.made); n > 0 {
		undo = m.made[n-1].number
	}
	return healthy{sized{m.Name, nodes, edges, version}, time.Now().Unix(), s.since.Unix(), m.graph.state.Widest(),
		undo, slotSeconds, s.counts.past.lastHour(time.Now()), slices.Clone(m.lately)}, nil
}
