package pair

import (
	"cmp"
	"slices"
)

// Scored is a pair of nodes with the probability that they are joined. The JSON keys are stable.
type Scored struct {
	Source      string  `json:"source"`
	Target      string  `json:"target"`
	Probability float64 `json:"probability"`
	Common      int     `json:"common"` // neighbours that both have
	Rank        int     `json:"rank"`   // from 1
}

// Recommend returns the nodes that a node is most probably joined with, at most top of them, best first: never
// itself, nor one that it is joined with already, in either direction.
func (t *Trained) Recommend(id string, top int) ([]Scored, error) {
	u, err := t.Data.Node(id)
	if err != nil {
		return nil, err
	}
	s := t.job.split
	list := slices.DeleteFunc(s.pairsWith(u), func(p pair) bool { return p.u == p.v || s.known[newPair(p.u, p.v)] })
	found, err := t.scored(list)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(found, func(a, b Scored) int { return cmp.Compare(b.Probability, a.Probability) })
	if len(found) > top {
		found = found[:top]
	}
	return numbered(found), nil
}

// Score returns how probably the nodes of two ids are joined.
func (t *Trained) Score(a, b string) (Scored, error) {
	u, err := t.Data.Node(a)
	if err != nil {
		return Scored{}, err
	}
	v, err := t.Data.Node(b)
	if err != nil {
		return Scored{}, err
	}
	found, err := t.scored([]pair{{u, v}})
	if err != nil {
		return Scored{}, err
	}
	return numbered(found)[0], nil
}

// scored puts names and probabilities to pairs.
func (t *Trained) scored(list []pair) ([]Scored, error) {
	z, err := t.job.eval.scores(list)
	if err != nil {
		return nil, err
	}
	found := make([]Scored, len(list))
	for i, p := range list {
		found[i] = Scored{Source: t.Data.NodeName(p.u), Target: t.Data.NodeName(p.v), Probability: probability(z[i])}
		t.job.near.common(p.u, p.v, func(int32) { found[i].Common++ })
	}
	return found, nil
}

// numbered gives ranks.
func numbered(found []Scored) []Scored {
	for i := range found {
		found[i].Rank = i + 1
	}
	return found
}
