package dataset

import (
	"fmt"
	"strings"

	"github.com/bloomgml/bloom/internal/nearest"
)

// noNode is the error for an id that no node has, or that several have.
type noNode struct {
	ID   string
	Near string   // the id that was probably meant; empty where none is near
	Of   []string // the types that have it, where there are several
}

func (e *noNode) Error() string {
	switch {
	case len(e.Of) > 0:
		return fmt.Sprintf("nodes of the types %s have the id %q; write %s/%s", strings.Join(e.Of, ", "), e.ID,
			e.Of[0], e.ID)
	case e.Near != "":
		return fmt.Sprintf("no node has the id %q; did you mean %q?", e.ID, e.Near)
	}
	return fmt.Sprintf("no node has the id %q", e.ID)
}

// Node is the node of an id, which may be written type/id. The error proposes what may have been meant.
func (d *Dataset) Node(id string) (int32, error) {
	n, types := d.Graph.NumNodes(), d.Graph.NodeTypes()
	found := d.IDs.Find(id, n)
	if len(found) == 1 {
		return found[0], nil
	}
	if kind, rest, ok := strings.Cut(id, "/"); ok && types != nil {
		for _, v := range d.IDs.Find(rest, n) {
			if d.TypeName(types[v]) == kind {
				return v, nil
			}
		}
	}
	err := &noNode{ID: id}
	for _, v := range found {
		err.Of = append(err.Of, d.TypeName(types[v]))
	}
	if len(found) == 0 {
		err.Near = nearest.Name(id, d.someIDs())
	}
	return 0, err
}

// someIDs are the ids to propose from: comparing with millions takes too long.
func (d *Dataset) someIDs() []string {
	names := make([]string, min(d.Graph.NumNodes(), 20000))
	for v := range names {
		names[v] = d.IDs.At(int32(v))
	}
	return names
}
