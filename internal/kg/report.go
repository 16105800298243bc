package kg

import (
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/metric"
	"github.com/bloomgml/bloom/ranking"
)

// Evaluate ranks facts of d, which has the entities and relations of the model. If among has no known facts, all facts
// of d are: training, validation and test.
func (m *Model) Evaluate(d *dataset.Dataset, facts []graph.Triple, among ranking.Candidates) (*metric.Report, error) {
	if among.Protocol == "" {
		among.Protocol = ranking.Full
	}
	if among.Known == nil {
		among.Known = ranking.NewKnown(d.Graph.Triples(), d.Valid, d.Test)
	}
	ranked, err := m.Rank(facts, among)
	if err != nil {
		return nil, err
	}
	return metric.NewReport(ranked, among.Protocol, d.RelationName, m.Seen), nil
}
