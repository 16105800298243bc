package serve

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"
)

// Edit is one change of a graph; exactly one of its parts is given.
type Edit struct {
	AddEdge     *Pair   `json:"add_edge,omitempty"`
	RemoveEdge  *Pair   `json:"remove_edge,omitempty"`
	Weight      float64 `json:"weight,omitempty"`  // of the edge that is added; 0 means 1
	Columns     Values  `json:"columns,omitempty"` // of the edge that is added
	AddNode     *Row    `json:"add_node,omitempty"`
	SetFeatures *Row    `json:"set_features,omitempty"`
	RemoveNode  string  `json:"remove_node,omitempty"`
	// Forget, with remove_node, remove_edge, and set_label to no class, wants that answers do not follow from what is
	// removed in any way: an error for models that have learnt from it.
	Forget   bool     `json:"forget,omitempty"`
	SetLabel *Label   `json:"set_label,omitempty"`
	Confirm  *Confirm `json:"confirm,omitempty"`
	Now      string   `json:"now,omitempty"` // the time that it is: edges that decay grow older
}

// Pair holds the ends of an edge, by their ids.
type Pair [2]string

// UnmarshalJSON wants exactly two ids.
func (p *Pair) UnmarshalJSON(text []byte) error {
	if p.plain(text) {
		return nil
	}
	var ids []string
	if err := json.Unmarshal(text, &ids); err != nil || len(ids) != 2 {
		return fmt.Errorf("%s: want the ids of two nodes", short(text))
	}
	copy(p[:], ids)
	return nil
}

// plain reads ["u","v"] if the ids are ASCII without escapes, as nearly all of a large batch are: the general reader
// takes longer for a pair than the graph for its edge.
func (p *Pair) plain(text []byte) bool {
	for _, c := range text {
		if c < ' ' || c == '\\' || c > '~' {
			return false
		}
	}
	in := bytes.Split(text, []byte{'"'})
	if len(in) != 5 || string(in[0]) != "[" || string(in[2]) != "," || string(in[4]) != "]" {
		return false
	}
	*p = Pair{string(in[1]), string(in[3])}
	return true
}

// Row is a node with its features: all of them as the data set has them, or some by the names of their columns, in the
// units of the table that they come from, categories as texts. Other features stay; for a new node they have their
// usual values.
type Row struct {
	ID       string    `json:"id"`
	Features []float64 `json:"features,omitempty"`
	Columns  Values    `json:"columns,omitzero"`
}

// check refuses an edit that says nothing or two things, or has a number that is NaN or Inf.
func (e Edit) check() error {
	said, count := e.said()
	if count != 1 {
		return fmt.Errorf("want exactly one of add_edge, remove_edge, add_node, set_features, remove_node, set_label, "+
			"confirm and now, got %d", count)
	}
	if e.Weight != 0 && e.AddEdge == nil {
		return fmt.Errorf("%s has no weight", said)
	}
	if e.Columns != nil && e.AddEdge == nil {
		return fmt.Errorf("%s takes no columns", said)
	}
	if e.Forget && e.RemoveNode == "" && e.RemoveEdge == nil && (e.SetLabel == nil || e.SetLabel.Class != "") {
		return fmt.Errorf("%s cannot forget: remove_node, remove_edge, and set_label to an empty class can", said)
	}
	if e.Confirm != nil {
		return e.Confirm.check()
	}
	for _, r := range []*Row{e.AddNode, e.SetFeatures} {
		if r == nil {
			continue
		}
		if r.ID == "" {
			return fmt.Errorf("%s: id is missing", said)
		}
		if r.Columns != nil && r.Features != nil {
			return fmt.Errorf("%s %q: want features or columns, not both", said, r.ID)
		}
		for name, value := range r.Columns {
			x, isNumber := value.(float64)
			if _, isText := value.(string); !isText && !isNumber || math.IsInf(float64(float32(x)), 0) {
				return fmt.Errorf("%s %q: column %q is %v, want a finite number or a text", said, r.ID,
					short([]byte(name)), value)
			}
		}
		for i, x := range r.Features {
			if math.IsInf(float64(float32(x)), 0) {
				return fmt.Errorf("%s %q: feature %d is %g, want a finite number", said, r.ID, i, x)
			}
		}
	}
	return nil
}

// said returns the last part that is given, and how many are.
func (e Edit) said() (name string, count int) {
	for _, part := range [...]struct {
		name string
		is   bool
	}{{"add_edge", e.AddEdge != nil}, {"remove_edge", e.RemoveEdge != nil}, {"add_node", e.AddNode != nil},
		{"set_features", e.SetFeatures != nil}, {"remove_node", e.RemoveNode != ""},
		{"set_label", e.SetLabel != nil}, {"confirm", e.Confirm != nil},
		{"now", e.Now != ""}} {
		if part.is {
			name = part.name
			count++
		}
	}
	return name, count
}

// BadEdit is an edit that cannot be made. None of its batch was.
type BadEdit struct {
	Number int // from 0
	Err    error
}

// Error says which and why.
func (e *BadEdit) Error() string { return fmt.Sprintf("edit %d: %v", e.Number, e.Err) }

// Unwrap is why.
func (e *BadEdit) Unwrap() error { return e.Err }

// short is text that fits a sentence.
func short(text []byte) string {
	if s := strings.ToValidUTF8(string(text), "�"); len(s) <= 60 {
		return s
	}
	return string([]rune(strings.ToValidUTF8(string(text[:60]), "�"))) + "…"
}
