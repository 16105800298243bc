package serve

import (
	"math"
	"net/http"
	"slices"
	"sync"
	"time"
)

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

// note remembers a version.
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
func (s *Server) health(r *http.Request) (any, error) {
	m, err := s.model(r)
	if err != nil {
		return nil, err
	}
	nodes, edges, version := m.Size()
	m.mu.RLock()
	defer m.mu.RUnlock()
	undo := int64(0)
	if n := len(m.made); n > 0 {
		undo = m.made[n-1].number
	}
	return healthy{sized{m.Name, nodes, edges, version}, time.Now().Unix(), s.since.Unix(), m.graph.state.Widest(),
		undo,
		slotSeconds, s.counts.past.lastHour(time.Now()), slices.Clone(m.lately)}, nil
}
