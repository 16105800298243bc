package serve

import (
	"fmt"
	"slices"

	"github.com/bloomgml/bloom/internal/keys"
)

// Label is a node with its class; an empty one says that it is not known.
type Label struct {
	ID    string `json:"id"`
	Class string `json:"class"`
}

// Confirm says that a person looked at a row of features, a label or an edge, and that it is right: an audit need not
// show it again. It changes no answer.
type Confirm struct {
	Row      string `json:"row,omitempty"`
	Label    string `json:"label,omitempty"`
	Edge     *Pair  `json:"edge,omitempty"`
	Withdraw bool   `json:"withdraw,omitempty"` // it was not looked at after all
}

// thing is something that can be right or wrong: a row of features, a label, or an edge, whose ends ascend.
type thing struct {
	kind string // "row", "label" or "edge"
	u, v int32
}

// check wants exactly one thing.
func (c Confirm) check() error {
	n := 0
	for _, is := range []bool{c.Row != "", c.Label != "", c.Edge != nil} {
		if is {
			n++
		}
	}
	if n != 1 {
		return fmt.Errorf("confirm: want exactly one of row, label and edge, got %d", n)
	}
	return nil
}

// thing returns the thing that a confirmation is about.
func (g *graph) thing(c Confirm) (thing, error) {
	if c.Edge != nil {
		u, v, err := g.ends(*c.Edge)
		if err == nil && g.state.Weight(u, v) == 0 && !c.Withdraw {
			err = fmt.Errorf("there is no such edge")
		}
		return thing{"edge", min(u, v), max(u, v)}, err
	}
	kind := "row"
	if c.Row == "" {
		kind = "label"
	}
	v, err := g.find(c.Row + c.Label)
	return thing{kind: kind, u: v}, err
}

// confirm notes that a thing is right, or withdraws that.
func (g *graph) confirm(c Confirm) error {
	at, err := g.thing(c)
	if err != nil {
		return err
	}
	if c.Withdraw {
		g.right.drop(at)
	} else {
		g.right.set(at, struct{}{})
	}
	return nil
}

// label changes the class of a node.
func (g *graph) label(l Label) error {
	v, err := g.find(l.ID)
	if err != nil {
		return err
	}
	names := g.task.Data.Labels.Names
	switch {
	case g.task.Data.Labels.Task != "":
		return fmt.Errorf("labels are for %s; only single classes can be changed", g.task.Data.Labels.Task)
	case l.Class != "" && !slices.Contains(names, l.Class):
		return keys.NewUnknown("class", l.Class, names)
	}
	g.labels.set(v, l.Class)
	if l.Class == g.given(v) {
		g.labels.drop(v)
	}
	return nil
}

// silence takes a label out of what the answers are solved for with.
func (g *graph) silence(id string) error {
	v, err := g.find(id)
	if err != nil {
		return err
	}
	if l := g.task.Data.Labels; v >= g.known || g.silent.has(v) || l.Class == nil || l.Class[v] < 0 {
		return fmt.Errorf("node %q has no label to forget", id)
	}
	g.silent.set(v, struct{}{})
	g.labels.set(v, "")
	g.state.Move(v, g.state.Pi(v))
	return nil
}

// given returns the class of v in the data set; empty if it has none.
func (g *graph) given(v int32) string {
	l := g.task.Data.Labels
	if v >= g.known || l.Class == nil || l.Class[v] < 0 {
		return ""
	}
	return l.Names[l.Class[v]]
}
