package main

import (
	"encoding/json"
	"io"

	"github.com/spf13/cobra"

	model "github.com/bloomgml/bloom"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/nodes"
)

// findNodes are the nodes of ids. An id that several node types have is written type/id.
func findNodes(cmd *cobra.Command, t *nodes.Trained, ids []string) ([]int32, error) {
	var nodes []int32
	for _, id := range ids {
		v, err := t.Data.Node(id)
		if err != nil {
			return nil, &usageError{cmd.CommandPath(), err}
		}
		nodes = append(nodes, v)
	}
	return nodes, nil
}

// nodeName is the id of a node, with its type where there are several.
func nodeName(d *dataset.Dataset, v int32) string {
	if types := d.Graph.NodeTypes(); types != nil {
		return d.TypeName(types[v]) + "/" + d.IDs.At(v)
	}
	return d.IDs.At(v)
}

// evidenceLine is how far a descent went as JSON; the keys stay.
type evidenceLine struct {
	Steps    int       `json:"steps"`
	Energy   []float64 `json:"energy"` // after 0, 1, … steps
	Drop     float64   `json:"drop"`
	Residual float64   `json:"residual"`
}

func newEvidenceLine(e *model.Evidence) *evidenceLine {
	if e == nil {
		return nil
	}
	return &evidenceLine{e.Steps, e.Energy, e.Drop(), e.Residual}
}

// writePredictionsJSON writes the evidence, where there is some, and then a line for every node.
func writePredictionsJSON(w io.Writer, p *nodes.Predictions, e *model.Evidence) error {
	enc := json.NewEncoder(w)
	if e != nil {
		if err := enc.Encode(map[string]any{"evidence": newEvidenceLine(e)}); err != nil {
			return err
		}
	}
	for x := range p.Each {
		if err := enc.Encode(x); err != nil {
			return err
		}
	}
	return nil
}
