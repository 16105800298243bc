package node

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/train"
)

// checkSplit returns a *train.BadData where nothing can be learnt from a split, and warnings about what is odd in it.
func checkSplit(d *dataset.Dataset, s dataset.Split) (warnings []string, err error) {
	bad := func(format string, args ...any) error {
		return &train.BadData{Data: d.Name, Text: fmt.Sprintf(format, args...)}
	}
	if d.Labels.Class == nil {
		return nil, bad("there are no labels to learn from")
	}
	if d.Labels.Task == "" && len(d.Labels.Names) == 1 {
		return nil, bad("all labelled nodes have the class %q, and nothing can be learnt from one class: label some "+
			"nodes of another class; if empty cells mean another class, write its name into them",
			d.Labels.Names[0])
	}
	if len(s.Train) == 0 {
		return nil, bad("the split has no training nodes")
	}
	for _, list := range []struct {
		name  string
		nodes []int32
	}{{"training", s.Train}, {"validation", s.Valid}, {"test", s.Test}} {
		seen := make(map[int32]bool, len(list.nodes))
		for _, v := range list.nodes {
			if v < 0 || int(v) >= len(d.Labels.Class) {
				return nil, bad("%s node %d of %d nodes", list.name, v, len(d.Labels.Class))
			}
			if c := d.Labels.Class[v]; c < 0 || int(c) >= len(d.Labels.Names) {
				return nil, bad("%s node %s has no label", list.name, d.IDs.At(v))
			}
			if seen[v] {
				return nil, bad("%s node %s is in the split twice", list.name, d.IDs.At(v))
			}
			seen[v] = true
		}
	}
	if d.Labels.Task != "" {
		return warnings, nil
	}
	if c := d.Labels.Class[s.Train[0]]; !slices.ContainsFunc(s.Train,
		func(v int32) bool { return d.Labels.Class[v] != c }) {
		warnings = append(warnings, fmt.Sprintf("all training nodes have the class %q: there is nothing to learn",
			d.Labels.Names[c]))
	}
	return append(warnings, unseen(d, s)...), nil
}

// unseen warns of classes that no training node has.
func unseen(d *dataset.Dataset, s dataset.Split) []string {
	taught := make([]bool, len(d.Labels.Names))
	for _, v := range s.Train {
		taught[d.Labels.Class[v]] = true
	}
	met := make([]int, len(taught))
	for _, list := range [][]int32{s.Valid, s.Test} {
		for _, v := range list {
			met[d.Labels.Class[v]]++
		}
	}
	var names []string
	for c, ok := range taught {
		if !ok && met[c] > 0 {
			names = append(names, fmt.Sprintf("%q (%d nodes)", d.Labels.Names[c], met[c]))
		}
	}
	if len(names) == 0 {
		return nil
	}
	return []string{"classes that no training node has cannot be learnt: " + strings.Join(names, ", ")}
}

// checkInputs warns of an uninformative graph or uninformative features.
func checkInputs(d *dataset.Dataset) (warnings []string) {
	table := d.Schema != nil && d.Schema.Tables == nil && d.Schema.Connect == nil // imported without edges
	if d.Graph.NumEdges() == 0 && d.Settled.Energy == "" && !table {
		warnings = append(warnings, "the graph has no edges: nodes are independent")
	}
	for t, x := range d.Features {
		if x.Cols > 0 && x.Rows > 0 && isZero(x) {
			warnings = append(warnings, fmt.Sprintf("all features of %s are 0 and carry no information",
				d.TypeName(int32(t))))
		}
	}
	return warnings
}

func isZero(x dataset.Matrix) bool {
	if x.Values == nil {
		return len(x.Idx) == 0
	}
	for _, v := range x.Values {
		if v != 0 {
			return false
		}
	}
	return true
}
