package kg

import (
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/metric"
)

// Evaluate ranks facts of d, which has the entities and relations of the model. If among has no known facts, all facts
// of d are: training, validation and test.
func (m *Model) Evaluate(d *dataset.Dataset, facts []graph.Triple, among metric.Candidates) (*metric.Report, error) {
	if among.Protocol == "" {
		among.Protocol = metric.Full
	}
	if among.Known == nil {
		among.Known = metric.NewKnown(d.Graph.Triples(), d.Valid, d.Test)
	}
	ranked, err := m.Rank(facts, among)
	if err != nil {
		return nil, err
	}
	return metric.NewReport(ranked, among.Protocol, d.RelationName, m.Seen), nil
}
