package serve

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/task/node"
)

// Model is a run that is served.
type Model struct {
	Name string

	weights  string       // a hash of them
	averaged string       // that it is one model of an average; empty if it is the whole run
	turns    turns        // of callers that change the model
	mu       sync.RWMutex // of everything below
	graph    *graph
	journal  *journal
	made     []batch // batches that can be undone, the latest last
	next     *Model  // that has taken its place; nil for none
	lately   []Made  // the last versions

	questions questions

	telling sync.Mutex
	teller  *node.Teller

	coverage float64         // of sets and intervals; 0 if there are none
	proofs   *node.Certified // what bloom certify proved; nil for nothing
	weighing sync.Mutex      // the influence of labels
	auditor  auditor
}

// batch is a version that can be taken back.
type batch struct {
	number int64
	past   *former
}

// memory is the number of versions that can be undone, and pastBytes the memory that they take: up to that size the
// latest ones are kept exactly, and only the features and edges of the others.
const (
	memory    = 1000
	pastBytes = 256 << 20
)

// tellRows is the number of answers that are computed at once.
const tellRows = 32

// Answer is the model's answer about a node.
type Answer struct {
	node.Prediction
	Version int64    `json:"version"`
	Bound   *float64 `json:"bound,omitempty"` // with Options.Settle: how far the state may be from the minimum
}

// newModel returns a graph that is served, as the data set has it.
func newModel(g *graph, name string, o Options) (*Model, error) {
	m := &Model{Name: name, graph: g, journal: &journal{},
		questions: questions{places: make(chan struct{}, askedAtOnce)}}
	if g.held {
		m.teller = g.task.LogitTeller(tellRows)
	} else {
		m.teller = g.task.Teller(tellRows, g.state.Cols())
	}
	g.task.Columns() // which keeps them: questions at the same time only read
	var err error
	if m.weights, err = g.task.WeightsHash(); err != nil {
		return nil, err
	}
	if m.proofs, err = g.task.Certified(); err != nil {
		return nil, err
	}
	return m, m.conform(o.filled().Coverage)
}

// resume opens the journal in the run folder, and replays its edits. It calls say with notices for people.
func (m *Model) resume(ctx context.Context, say func(string)) error {
	data, err := dataOf(m.graph.task)
	if err != nil {
		return err
	}
	j, past, err := openJournal(m.graph.task.Dir, data, say)
	if err != nil {
		return err
	}
	if err := m.follow(ctx, j, past); err != nil {
		return errors.Join(err, j.close())
	}
	return nil
}

// follow repeats the edits of a journal, and writes to it from then on. States are settled once, after all of them.
func (m *Model) follow(ctx context.Context, j *journal, past *history) error {
	if _, err := m.graph.repeat(past.edits()); err != nil {
		return fmt.Errorf("%s: the edits in its first line: %w", j.path, err)
	}
	for _, b := range past.recent {
		p, err := m.graph.repeat(b.Edits)
		if err != nil {
			return fmt.Errorf("%s: version %d: %w", j.path, b.Version, err)
		}
		m.remember(b.Version, p)
	}
	if err := m.graph.settle(ctx); err != nil {
		return fmt.Errorf("%s: after the edits in it: %w", j.path, err)
	}
	m.journal = j
	return nil
}

// repeat makes all edits or none, and does not settle: of what they replaced only π and edges are kept.
func (g *graph) repeat(edits []Edit) (*former, error) {
	d, err := g.withEdits(edits)
	if err != nil {
		return nil, err
	}
	p := d.commit()
	p.state.Trim()
	return p, nil
}

// dataOf returns a fingerprint of the data of a run: edits belong to it, whatever is trained on it.
func dataOf(t *node.Trained) (string, error) {
	text, err := json.Marshal(t.Data.Fingerprint())
	return fmt.Sprintf("%x", sha256.Sum256(text)), err
}

// remember keeps what a version has replaced. If that is too much for memory, the states of the oldest are computed
// again when they are taken back.
func (m *Model) remember(number int64, p *former) {
	if len(m.made) == memory {
		m.made = m.made[1:]
	}
	m.made = append(m.made, batch{number, p})
	bytes := 0
	for _, b := range slices.Backward(m.made) {
		if bytes += b.past.state.Bytes(); bytes > pastBytes {
			b.past.state.Trim()
		}
	}
}

// Answer returns the model's answers about nodes.
func (m *Model) Answer(ctx context.Context, ids []string) ([]Answer, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.answer(ctx, m.graph, ids)
}

// answer returns the model's answers about nodes of g: its graph, or a draft.
func (m *Model) answer(ctx context.Context, g *graph, ids []string) ([]Answer, error) {
	out := make([]Answer, 0, len(ids))
	for from := 0; from < len(ids); from += tellRows {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		some := ids[from:min(from+tellRows, len(ids))]
		v, known := make([]int32, len(some)), make([]int32, len(some))
		for i, id := range some {
			var err error
			if v[i], err = g.find(id); err != nil {
				return nil, err
			}
			if known[i] = v[i]; v[i] >= g.known {
				known[i] = -1
			}
		}
		m.telling.Lock()
		said, err := m.teller.Predict(known, func(i int) []mat.Real { return g.state.Row(v[i]) })
		m.telling.Unlock()
		if err != nil {
			return nil, err
		}
		for i, p := range said {
			p.ID = some[i]
			if g.held {
				g.fill(&p, v[i])
			}
			if label, other := g.labels.get(v[i]); other {
				p.Label = label
			}
			a := Answer{Prediction: p, Version: m.journal.version}
			if g.settled {
				bound := g.state.Bound(v[i])
				a.Bound = &bound
			}
			out = append(out, a)
		}
	}
	return out, nil
}

// Size returns the number of nodes and edges, and the version.
func (m *Model) Size() (nodes, edges int, version int64) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.graph.state.Nodes() - len(m.graph.hidden.own), m.graph.state.Edges(), m.journal.version
}

// Close ends the journal, unless another has it.
func (m *Model) Close() error {
	m.lock()
	defer m.mu.Unlock()
	if m.next != nil {
		return nil
	}
	return m.journal.close()
}

func (m *Model) name() string { return m.Name }
