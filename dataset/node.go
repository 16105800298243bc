package dataset

import (
	"fmt"
	"strings"

	"github.com/bloomgml/bloom/internal/keys"
)

// Node returns the node of an id, which may be written type/id. The error proposes what may have been meant.
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
	if len(found) == 0 {
		return 0, keys.NewUnknown("node", id, d.someIDs())
	}
	var of []string
	for _, v := range found {
		of = append(of, d.TypeName(types[v]))
	}
	return 0, fmt.Errorf("nodes of the types %s have the id %q; write %s", strings.Join(of, ", "), id, of[0]+"/"+id)
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
