package dataset

import (
	"fmt"
	"strings"

	"github.com/bloomgml/bloom/internal/keys"
)

// Node returns the node of an id, which may be written type/id. The error proposes what may have been meant.
func (d *Dataset) Node(id string) (int32, error) {
	types := d.Graph.NodeTypes()
	found := d.Find(id)
	if len(found) == 1 {
		return found[0], nil
	}
	if kind, rest, ok := strings.Cut(id, "/"); ok && types != nil {
		for _, v := range d.Find(rest) {
			if d.TypeName(types[v]) == kind {
				return v, nil
			}
		}
	}
	if len(found) == 0 {
		return 0, keys.NewUnknown("node", id, d.someIDs())
	}
	var of []string
	for _, v := range found {
		of = append(of, d.TypeName(types[v]))
	}
	return 0, fmt.Errorf("nodes of the types %s have the id %q; write %s", strings.Join(of, ", "), id, of[0]+"/"+id)
}

// Find returns the nodes of an id, ascending: one for each node type that has it. If the import compared ids by FoldID,
// an id that no node has as it is written is compared so too.
func (d *Dataset) Find(id string) []int32 {
	found := d.IDs.Find(id, d.Graph.NumNodes())
	if len(found) == 0 && d.Schema != nil && len(d.Schema.Types) > 0 && d.Schema.Types[0].Folded {
		return d.IDs.findFolded(id)
	}
	return found
}

// NodeName returns the id of a node, with its type if there are several, as Node finds it.
func (d *Dataset) NodeName(v int32) string {
	if types := d.Graph.NodeTypes(); types != nil {
		return d.TypeName(types[v]) + "/" + d.IDs.At(v)
	}
	return d.IDs.At(v)
}

// someIDs returns ids to propose from: comparing with millions takes too long.
func (d *Dataset) someIDs() []string {
	names := make([]string, min(d.Graph.NumNodes(), 20000))
	for v := range names {
		names[v] = d.IDs.At(int32(v))
	}
	return names
}
