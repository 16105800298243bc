package serve

import (
	"fmt"
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
	var whats []string
	for what := range c.took {
		whats = append(whats, what)
	}
	slices.Sort(whats)
	b.WriteString("# HELP bloom_request_seconds Time to answer.\n# TYPE bloom_request_seconds histogram\n")
	for _, what := range whats {
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
