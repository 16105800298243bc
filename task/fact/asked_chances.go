package fact

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/show"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
	"github.com/bloomgml/bloom/task"
)

// Likely is an answer in a set that has the right one with a given probability. The JSON keys are stable.
type Likely struct {
	Entity      string  `json:"entity"`
	Score       float64 `json:"score"`
	Probability float64 `json:"probability"` // that it is the answer that is missing
}

// Judgement says how probable a fact is. The JSON keys are stable.
type Judgement struct {
	Head        string  `json:"head"`
	Relation    string  `json:"relation"`
	Tail        string  `json:"tail"`
	Known       bool    `json:"known"` // it is a fact of the graph, and judged as if it were missing
	TailRank    float64 `json:"tail_rank"`
	HeadRank    float64 `json:"head_rank"`
	Probability float64 `json:"probability"` // that it is true, if as many facts are false
	True        bool    `json:"true"`        // the probability is above the threshold
}

// covered writes the answers that have the right one with the probability --coverage, the best first.
func (t asked) covered(q *task.Request, ask Question) error {
	d, at, err := t.find(ask)
	if err != nil {
		return err
	}
	c, err := t.newChances(q.Context, q.Coverage)
	if err != nil {
		return err
	}
	list, err := t.best(d, at, answered(at, false, slices.Concat(d.Graph.Triples(), d.Valid, d.Test)),
		d.Graph.NumNodes(), 0)
	if err != nil {
		return err
	}
	set := c.set(at.Of, list)
	shown := set
	if q.Top < len(set) {
		shown = set[:q.Top]
	}
	fmt.Fprintln(q.Say, show.Safe(ask.String()))
	fmt.Fprintln(q.Say, c.text(at.Of, len(set), len(shown)))
	rank := 0
	return task.Rows(q, []string{"rank", "entity", "score", "probability"}, slices.Values(shown),
		func(a Likely) []string {
			rank++
			return []string{strconv.Itoa(rank), a.Entity, task.Decimal(a.Score), task.Decimal(a.Probability)}
		})
}

// set returns the answers of list, which are all that are not known, that are in the set for a question of a kind.
func (c *chances) set(kind int32, list []Answer) (set []Likely) {
	scores := make([]mat.Real, len(list))
	for i, a := range list {
		scores[i] = mat.Real(a.Score)
	}
	x, b := newField(scores, 0), c.scale[kind]
	for _, a := range list {
		gap := float64(mat.Real(a.Score)) - float64(scores[0])
		if x.surprise(b, gap) > c.limits[kind].Quantile {
			break
		}
		set = append(set, Likely{a.Entity, a.Score, math.Exp(b*gap - x.normal(b))})
	}
	return set
}

// text says what a set promises.
func (c *chances) text(kind int32, size, shown int) string {
	l := c.limits[kind]
	s := fmt.Sprintf("With probability %g the answer is the one below", c.coverage)
	if size != 1 {
		s = fmt.Sprintf("With probability %g the answer is among %d entities", c.coverage, size)
	}
	if shown < size {
		s += fmt.Sprintf(", of which the first %d are shown", shown)
	}
	s += fmt.Sprintf("; answers that are known are left out. Calibrated on %d validation questions of this kind",
		l.Count)
	switch {
	case l.Alone:
		return s + "."
	case l.Together:
		return s + ", which are too few: the probability holds for all such kinds together."
	}
	return s + ", which are too few: no coverage is guaranteed."
}

// judge writes the probability of a fact.
func (t asked) judge(q *task.Request) error {
	f := q.Fact
	d, one, err := t.findFact(Fact(f))
	if err != nil {
		return err
	}
	x, err := t.newBelief(q.Context)
	if err != nil {
		return err
	}
	out := Judgement{Head: f.Head, Relation: f.Relation, Tail: f.Tail, Known: slices.Contains(d.Graph.Triples(), one)}
	fact := []graph.Triple{one}
	ranked, err := t.model.rank(q.Context, d, fact, metric.Full)
	if out.Known && err == nil {
		ranked, err = t.model.withheld(q.Context, d, fact)
	}
	if err != nil {
		return err
	}
	r := ranked[0]
	out.TailRank, out.HeadRank = r.Tail.Rank(metric.Realistic), r.Head.Rank(metric.Realistic)
	out.Probability = x.probability(r)
	out.True = out.Probability > x.threshold
	if q.JSON {
		return task.Rows(q, nil, slices.Values([]Judgement{out}), nil)
	}
	return q.Write(func(w io.Writer) error {
		_, err := io.WriteString(w, x.text(&out))
		return err
	})
}

// text says how probable a fact is.
func (x *belief) text(j *Judgement) string {
	verdict := "taken for false"
	if j.True {
		verdict = "taken for true"
	}
	against := "were drawn"
	if x.given {
		against = "are given by the data"
	}
	known := ""
	if j.Known {
		known = " It is a fact of the graph, judged as if it were missing."
	}
	return fmt.Sprintf("%s is true with probability %.3f, %s (above %.3f), if half of such facts are false: "+
		"calibrated on %d facts, of which the false ones %s. Its tail has rank %g, its head rank %g.%s\n",
		show.Safe(fmt.Sprintf("%s –%s→ %s", j.Head, j.Relation, j.Tail)), j.Probability, verdict, x.threshold,
		x.facts, against, j.TailRank, j.HeadRank, known)
}
