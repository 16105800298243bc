package event

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/train"
)

// Trained is a run that is done. It has learnt all events of its data, and answers as of now, one question at a time.
type Trained struct {
	Data *dataset.Dataset
	Dir  string

	job   *job
	names map[string]int32 // of nodes that came later
	ids   []string         // the same by number
	z     []mat.Real
}

// Open loads a run folder, and the data that its config names.
func Open(dir string) (*Trained, error) {
	c, d, err := train.Configured(dir, "")
	if err != nil {
		return nil, err
	}
	return load(dir, *c, d)
}

// load is Open for a config and data that are open already.
func load(dir string, c config.Config, d *dataset.Dataset) (*Trained, error) {
	f, err := train.ReadWeights(dir)
	if err != nil {
		return nil, err
	}
	period, err := strconv.ParseFloat(f.Metadata["period"], 64)
	if f.Metadata["format"] != "bloom model" || f.Metadata["task"] != "links in time" || err != nil || !(period > 0) {
		return nil, files.Errorf(train.ModelFile(dir), "format %q, task %q, period %q: not a model of links in time "+
			"of this bloom", f.Metadata["format"], f.Metadata["task"], f.Metadata["period"])
	}
	j, err := build(c, d, train.SeedTrials(c)[0], period)
	if err != nil {
		return nil, err
	}
	if err := f.Set(j.Params()); err != nil {
		return nil, err
	}
	t := &Trained{Data: d, Dir: dir, job: j, names: map[string]int32{}}
	j.use(oneByOne)
	j.advance(d.Events, len(d.Events.Time))
	return t, nil
}

// Now returns the time of the last event that was learnt.
func (t *Trained) Now() float64 { return t.job.now }

// AsOf returns the run as of the time at: events at that time or later are not known. It must be asked before Learn.
func (t *Trained) AsOf(at float64) {
	t.job.advance(t.Data.Events, sort.SearchFloat64s(t.Data.Events.Time, at))
}

// find returns the number of a node.
func (t *Trained) find(id string) (int32, bool) {
	if v, ok := t.names[id]; ok {
		return v, true
	}
	v, err := t.Data.Node(id)
	return v, err == nil
}

// name returns the id of a node.
func (t *Trained) name(v int32) string {
	if n := t.Data.Graph.NumNodes(); int(v) >= n {
		return t.ids[int(v)-n]
	}
	return t.Data.NodeName(v)
}

// Learn learns an event, which must not be before the last one. Nodes that are not known yet are added. It changes
// the run in memory alone.
func (t *Trained) Learn(source, target string, at float64) error {
	j := t.job
	if math.IsNaN(at) || math.IsInf(at, 0) || at < j.now {
		return fmt.Errorf("time %s, want %s, the time of the last event, or later", t.Data.Events.When(at),
			t.Data.Events.When(j.now))
	}
	var ends [2]int32
	for i, id := range []string{source, target} {
		if id == "" {
			return fmt.Errorf("an empty id")
		}
		v, ok := t.find(id)
		if !ok {
			v = int32(len(j.nodes))
			t.names[id], t.ids = v, append(t.ids, id)
			j.grow(len(j.nodes) + 1)
			j.place, j.near = append(j.place, -1), append(j.near, 0)
		}
		ends[i] = v
	}
	if v := ends[1]; j.place[v] < 0 {
		j.place[v], j.targets = int32(len(j.targets)), append(j.targets, v)
	}
	j.learn(ends[0], ends[1], at)
	return nil
}

// Scored is a target of a source. The JSON keys are stable.
type Scored struct {
	Rank        int     `json:"rank"`
	Source      string  `json:"source"`
	Target      string  `json:"target"`
	Probability float64 `json:"probability"`
	Score       float64 `json:"score"`
	Met         int     `json:"met"` // how often they have met
}

// Recommend returns the targets that a source probably meets next, at most k, if its next event is at time at. A source
// that is not known has no past.
func (t *Trained) Recommend(source string, at float64, k int) ([]Scored, error) {
	j := t.job
	s, ok := t.find(source)
	if !ok {
		_, err := t.Data.Node(source)
		return nil, err
	}
	t.score(s, at)
	order := make([]int, len(t.z))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(t.z[b], t.z[a]) })
	most, sum := float64(t.z[order[0]]), 0.0
	for _, z := range t.z {
		sum += math.Exp(float64(z) - most)
	}
	var list []Scored
	for rank, i := range order[:min(k, len(order))] {
		z := float64(t.z[i])
		list = append(list, Scored{rank + 1, source, t.name(j.targets[i]), math.Exp(z-most) / sum, z,
			j.meetings(s, j.targets[i])})
	}
	return list, nil
}

// score fills z with the scores of all targets.
func (t *Trained) score(source int32, at float64) {
	t.z = slices.Grow(t.z[:0], len(t.job.targets))[:len(t.job.targets)]
	t.job.scores(t.z, source, at)
}

// meetings returns how often a source has met a target.
func (m *model) meetings(source, target int32) int {
	s := &m.nodes[source]
	if i, ok := s.met[target]; ok {
		return int(s.pairs[i].n)
	}
	return 0
}

// Explanation is the score of a pair as a sum. The JSON keys are stable.
type Explanation struct {
	Source      string  `json:"source"`
	Target      string  `json:"target"`
	At          string  `json:"at"`
	Rank        int     `json:"rank"`
	Probability float64 `json:"probability"`
	Score       float64 `json:"score"`
	Met         int     `json:"met"`
	Terms       []Part  `json:"terms"` // their sum is Score; the largest first
}

// Part is what a term adds to a score.
type Part struct {
	Term string  `json:"term"`
	Adds float64 `json:"adds"`
}

// Explain takes the score of a pair at a time apart.
func (t *Trained) Explain(source, target string, at float64) (*Explanation, error) {
	all, err := t.Recommend(source, at, len(t.job.targets))
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(all, func(x Scored) bool { return x.Target == target })
	if i < 0 {
		return nil, fmt.Errorf("%q is the target of no event", target)
	}
	x := all[i]
	e := &Explanation{Source: source, Target: target, At: t.Data.Events.When(at), Rank: x.Rank,
		Probability: x.Probability, Met: x.Met}
	j := t.job
	s, _ := t.find(source)
	d, _ := t.find(target)
	j.around(s)
	j.each(s, d, at, func(k int, x float64) {
		adds := float64(j.terms[k].read(j.w, x))
		e.Score += adds
		e.Terms = append(e.Terms, Part{j.terms[k].name, adds})
	})
	slices.SortStableFunc(e.Terms, func(a, b Part) int { return cmp.Compare(math.Abs(b.Adds), math.Abs(a.Adds)) })
	return e, nil
}
