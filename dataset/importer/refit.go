package importer

import (
	"fmt"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/files"
)

// Encode returns d, an import, with features made by the transforms of another import with the same columns: a model
// trained on that one then applies to d. Everything else is shared with d.
func Encode(d *dataset.Dataset, s *dataset.Schema) (*dataset.Dataset, error) {
	if d.Raw == nil || len(d.Raw.Nodes) != len(s.Types) || len(d.Features) != len(s.Types) {
		return nil, fmt.Errorf("%s does not have the tables that its features were made of", d.Name)
	}
	im := &importer{budget: files.NewBudget()}
	defer files.RelaxCollector()
	other := *d
	other.Schema, other.Features = s, make([]dataset.Matrix, len(s.Types))
	for t := range s.Types {
		x, err := im.features(&s.Types[t], d.Raw.Nodes[t], d.Features[t].Rows)
		if err != nil {
			return nil, err
		}
		other.Features[t] = x
	}
	if s.Edges != nil {
		f, err := im.tellEdges(s.Edges, d.Raw.Edges, d.Graph.NumEdges())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", d.Name, err)
		}
		if other.Graph, err = d.Graph.WithEdges(d.Graph.Weights(), f); err != nil {
			return nil, err
		}
	}
	return &other, nil
}
