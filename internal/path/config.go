package path

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/bloomgml/bloom/internal/keys"
)

// Message is what an edge sends.
type Message string

// The messages of an edge (u, r, v).
const (
	DistMult Message = "distmult" // h_u ∘ e_r
	TransE   Message = "transe"   // h_u + e_r
	RotatE   Message = "rotate"   // h_u · e_r as complex numbers, the second half of a row being the imaginary parts
)

// Aggregate says how the messages of a node become one row.
type Aggregate string

// The aggregates.
const (
	Sum Aggregate = "sum"
	// PNA is mean, maximum, minimum and deviation, each of them plain, times and divided by
	// s = log c / mean log c of a node with c messages.
	PNA Aggregate = "pna"
	// PNAFused is PNA with the second moment of NBFNet's fused kernels, which for TransE is the mean of h_u² + e_r² and
	// not of (h_u + e_r)². For other messages it is PNA.
	PNAFused Aggregate = "pna-fused"
)

// Relations says where the vector e_r of a relation comes from.
type Relations string

// The origins of e_r.
const (
	Conditioned Relations = "conditioned" // e_r = q V_r + c_r, a function of the query's embedding q
	Free        Relations = "free"        // an embedding, the same for all queries
	// Graph is a model of relations on the graph that they form, given the query's: no weight belongs to a relation,
	// and every layer has weights of its own (ULTRA).
	Graph Relations = "graph"
)

// Against is which wrong answers a query is trained against.
type Against string

// The wrong answers.
const (
	Drawn      Against = "drawn"      // Negatives at random
	Everything Against = "everything" // all entities but right answers, by a softmax
)

// Removal is which edges a training batch does not see.
type Removal string

// The removals.
const (
	Triples Removal = "triple" // the facts of the batch and their inverses
	Pairs   Removal = "pair"   // every edge between the head and an answer of the batch, true or false
)

// Config says which model is trained, and how. The zero value is the default.
type Config struct {
	Message   Message   // default DistMult
	Aggregate Aggregate // default Sum
	Relations Relations // default Conditioned
	Removal   Removal   // default Triples
	Against   Against   `json:",omitempty"` // default Drawn
	// Layered gives every layer weights of its own; the paper's layers share them.
	Layered bool `json:",omitempty"`

	Hidden int // columns of a state, default 32
	Layers int // default 6
	// Keep is how many entities a query sees, those nearest to its head (nearby), with the edges between them; all
	// others get no message. 0 is all.
	Keep int `json:",omitempty"`
	// Send, if it is above 0, is how many of these send messages. They are the nearest in what a batch sees, and the
	// others, which only receive, those that look most like an answer to the query (nearby.choose); their scores begin
	// with what is known of them (likely).
	Send int `json:",omitempty"`

	Batch       int     // facts in a batch, default 32; half of them lose their tail, half their head
	Negatives   int     // wrong answers to a query, never known facts; default 32
	Temperature float64 // wrong answers weigh softmax(score/Temperature), default 1
	Seed        uint64
}

// withDefaults fills in what is zero.
func (c Config) withDefaults() Config {
	c.Message, c.Aggregate = cmp.Or(c.Message, DistMult), cmp.Or(c.Aggregate, Sum)
	c.Relations, c.Removal = cmp.Or(c.Relations, Conditioned), cmp.Or(c.Removal, Triples)
	c.Against = cmp.Or(c.Against, Drawn)
	c.Hidden, c.Layers = cmp.Or(c.Hidden, 32), cmp.Or(c.Layers, 6)
	c.Batch, c.Negatives, c.Temperature = cmp.Or(c.Batch, 32), cmp.Or(c.Negatives, 32), cmp.Or(c.Temperature, 1)
	return c
}

// check returns an error for the first setting that cannot be used.
func (c Config) check() error {
	for _, s := range []struct {
		key, value string
		known      []string
	}{
		{"message", string(c.Message), []string{"distmult", "transe", "rotate"}},
		{"aggregate", string(c.Aggregate), []string{"sum", "pna", "pna-fused"}},
		{"relations", string(c.Relations), []string{"conditioned", "free", "graph"}},
		{"removal", string(c.Removal), []string{"triple", "pair"}},
		{"against", string(c.Against), []string{"drawn", "everything"}},
	} {
		if !slices.Contains(s.known, s.value) {
			return fmt.Errorf("path: %w", keys.NewUnknown(s.key, s.value, s.known))
		}
	}
	for key, v := range map[string]float64{
		"hidden": float64(c.Hidden), "layers": float64(c.Layers), "batch": float64(c.Batch),
		"negatives":   float64(c.Negatives),
		"temperature": c.Temperature,
	} {
		if !(v > 0) {
			return fmt.Errorf("path: %s is %v, must be above 0", key, v)
		}
	}
	if c.Relations == Graph && (c.Message != DistMult || c.Aggregate != Sum) {
		return fmt.Errorf("path: relations graph with message %s and aggregate %s, want distmult and sum", c.Message,
			c.Aggregate)
	}
	if c.Keep < 0 {
		return fmt.Errorf("path: keep is %d, must be 0, for all entities, or above", c.Keep)
	}
	if c.Keep > 0 && c.Relations == Graph {
		return fmt.Errorf("path: keep is %d, which relations graph do not have", c.Keep)
	}
	if c.Keep > 0 && c.listsMessages() {
		return fmt.Errorf("path: keep is %d, which messages of rotate for the aggregate %s do not have", c.Keep,
			c.Aggregate)
	}
	if c.Send < 0 || c.Send > c.Keep {
		return fmt.Errorf("path: send is %d, must be from 0 to keep, which is %d", c.Send, c.Keep)
	}
	if c.Against == Everything && c.Keep == 0 {
		return fmt.Errorf("path: against everything, which needs keep: few entities to compare")
	}
	if c.Message == RotatE && c.Hidden%2 != 0 {
		return fmt.Errorf("path: hidden is %d, must be even for rotate: half of it are imaginary parts", c.Hidden)
	}
	return nil
}
