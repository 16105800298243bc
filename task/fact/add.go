package fact

import (
	"fmt"
	"io"

	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/kg"
	"github.com/bloomgml/bloom/metric"
	"github.com/bloomgml/bloom/train"
)

// Added is the result of adding new facts.
type Added struct {
	Newcomers []Newcomer // the new entities, in the order in which the facts name them
	Facts     []Fact
	Idle      int // how many of the facts are between old entities, and change nothing
}

// Newcomer is a new entity. The JSON keys are stable.
type Newcomer struct {
	Entity string `json:"entity"`
	Facts  int    `json:"facts"` // that name it
	// Rank is the entity's mean rank when the other end of one of its facts is asked about, among all entities that
	// are not known answers; 1 is best.
	Rank float64 `json:"rank"`
}

// Add embeds the entities of new facts that the model has not seen, without training: relations and old entities stay,
// and the new ones take steps of descent on the energy of their facts. The result is another model with all entities.
// The error is a *nearest.Unknown for a relation that is not known, or a *train.BadData for a model that has no
// entities.
func (t *Trained) Add(facts []Fact, how Settle) (*Trained, *Added, error) {
	old, ok := t.model.(embedding)
	if !ok {
		return nil, nil, &train.BadData{Data: t.Data.Name, Text: fmt.Sprintf(
			"%s learns relations but no entities, so there is nothing to add: add the facts to the graph and predict "+
				"on that", t.Config.Recipe)}
	}
	names, list, err := t.number(old.Model, facts)
	if err != nil {
		return nil, nil, err
	}
	m, report, err := old.Model.Add(names, list, kg.Settle(how))
	if err != nil {
		return nil, nil, named(err)
	}
	now := *t
	now.model = embedding{m, old.filter, old.data, old.all}
	added := &Added{Facts: facts, Idle: report.Idle}
	added.Newcomers, err = newcomers(m, old.H.Rows(), names, list, metric.NewKnown(t.Data.Graph.Triples(), list))
	return &now, added, err
}

// number translates facts to indices. New entities are numbered after the old ones, in the order in which the facts
// name them.
func (t *Trained) number(m *kg.Model, facts []Fact) (names []string, list []graph.Triple, err error) {
	fresh := map[string]int32{}
	number := func(name string) int32 {
		if found := m.Entities.Find(name, m.H.Rows()); len(found) > 0 {
			return found[0]
		}
		v, ok := fresh[name]
		if !ok {
			v = int32(m.H.Rows() + len(names))
			fresh[name], names = v, append(names, name)
		}
		return v
	}
	for _, f := range facts {
		r, err := t.relation(f.Relation)
		if err != nil {
			return nil, nil, err
		}
		list = append(list, graph.Triple{U: number(f.Head), R: r, V: number(f.Tail)})
	}
	return names, list, nil
}

// newcomers ranks the entities from index n by their facts.
func newcomers(m *kg.Model, n int, names []string, facts []graph.Triple, known *metric.Known) ([]Newcomer, error) {
	ranked, err := m.Rank(facts, metric.Candidates{Known: known})
	if err != nil {
		return nil, err
	}
	list := make([]Newcomer, len(names))
	for i, name := range names {
		list[i].Entity = name
	}
	note := func(v int32, r metric.Ranking) {
		if i := int(v) - n; i >= 0 {
			list[i].Facts++
			list[i].Rank += r.Rank(metric.Realistic)
		}
	}
	for _, x := range ranked {
		note(x.Fact.U, x.Head)
		note(x.Fact.V, x.Tail)
	}
	for i := range list {
		list[i].Rank /= float64(max(1, list[i].Facts))
	}
	return list, nil
}

// Save writes the model and the added facts into a new run folder. Open reads it; there is no result, as nothing was
// trained.
func (t *Trained) Save(dir string, a *Added) error {
	c := t.Config
	c.Train.Repeat = 1
	if m, ok := t.model.(embedding); ok {
		c.Train.Seed = m.Config.Seed
	}
	return train.Save(dir, c, t.Data,
		map[string]func(io.Writer) error{"model.safetensors": t.model.write, "added.tsv": a.write})
}

// write writes the facts, a line each.
func (a *Added) write(w io.Writer) error {
	for _, x := range a.Facts {
		if _, err := fmt.Fprintf(w, "%s\t%s\t%s\n", x.Head, x.Relation, x.Tail); err != nil {
			return err
		}
	}
	return nil
}
