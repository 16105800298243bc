package node

import (
	"errors"
	"fmt"

	"github.com/bloomgml/bloom"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/internal/audit"
)

// Audit lists what is probably wrong in a data set: rows of features, classes and edges, each ranked separately, the
// most suspicious first. It judges the data and not the model: it trains its own models (internal/audit), so all
// recipes give the same rankings.
type Audit struct {
	Rows   []RowFlag   `json:"nodes"`
	Labels []LabelFlag `json:"labels"`
	Edges  []EdgeFlag  `json:"edges"`
	Wrong  WrongShares `json:"wrong"`
	Most   WrongShares `json:"wrong_at_most"`
	Detect *detection  `json:"-"` // of rows; nil if it is not known which are corrupted
}

// WrongShares are estimates of how much of the data is wrong.
type WrongShares struct {
	Rows   float64 `json:"nodes"`
	Labels float64 `json:"labels"`
	Edges  float64 `json:"edges"`
}

// RowFlag is a row of features.
type RowFlag struct {
	Node        int32        `json:"-"`
	ID          string       `json:"id"`
	Probability float64      `json:"probability"`       // of being wrong
	Residual    *float64     `json:"residual"`          // ‖h_v − π(x_v)‖ of the model; null for a baseline
	Speaks      string       `json:"speaks,omitempty"`  // the class that the row tells
	Columns     []ColumnFlag `json:"columns,omitempty"` // to blame, of the first rows
	Rank        int          `json:"rank"`              // from 1
}

// ColumnFlag compares a number of a row with the value that its neighbourhood suggests.
type ColumnFlag struct {
	Name     string  `json:"name"`
	Value    float64 `json:"value"`
	Expected float64 `json:"expected"`
	Share    float64 `json:"share"` // of the energy of the row against its neighbourhood
}

// Blamed returns the columns to look at: the first, and the second if it has at least a fifth of its share.
func (f RowFlag) Blamed() []ColumnFlag {
	n := min(1, len(f.Columns))
	if len(f.Columns) > 1 && 5*f.Columns[1].Share >= f.Columns[0].Share {
		n = 2
	}
	return f.Columns[:n]
}

// LabelFlag is a class that is given.
type LabelFlag struct {
	Node        int32    `json:"-"`
	ID          string   `json:"id"`
	Given       string   `json:"given"`
	Proposed    string   `json:"proposed"` // the likeliest class by everything but the given one
	Probability float64  `json:"probability"`
	Against     []string `json:"against,omitempty"` // neighbours of the proposed class, some of them
	Rank        int      `json:"rank"`
}

// EdgeFlag is an edge.
type EdgeFlag struct {
	Edge, U, V  int32    `json:"-"`
	Source      string   `json:"source"`
	Target      string   `json:"target"`
	Probability float64  `json:"probability"`
	Energy      *float64 `json:"energy"` // Σ f of the model; null for a baseline
	Rank        int      `json:"rank"`
}

// NoEnergy is the error for a model without an energy.
type NoEnergy struct{ Recipe string }

// Error names the recipe.
func (e *NoEnergy) Error() string {
	return fmt.Sprintf("%s is a baseline without an energy, so there is nothing to take apart; train a recipe such "+
		"as base or robust", e.Recipe)
}

// Inspect explains the predictions of t, by a level of a stack, from 1; 0 means the last. The error is a *NoEnergy
// for a baseline.
func (t *Task) Inspect(level int) (*bloom.Inspection, error) {
	if t.Stack == nil {
		return nil, &NoEnergy{t.Config.Recipe}
	}
	levels, err := t.Stack.Place(t.On)
	if err != nil {
		return nil, err
	}
	if level == 0 {
		level = len(levels)
	}
	if level < 0 || level > len(levels) {
		return nil, fmt.Errorf("node: level %d of a stack of %d", level, len(levels))
	}
	at := levels[level-1]
	in, err := at.Inspect(at.On)
	if err != nil {
		return nil, err
	}
	return in, errors.Join(t.finiteRows("the logits of node", in.Logits),
		t.finiteNumbers("the residual of node", in.Residuals()), t.finiteNumbers("the energy of edge",
			edgeEnergies(in.Report)))
}

// edgeEnergies returns Σ f of every edge, in the order of their ids.
func edgeEnergies(r *energy.Report) []float64 {
	var sum []float64
	for _, term := range r.Edges {
		each := term.Each.Slice()
		if sum == nil {
			sum = make([]float64, len(each))
		}
		for e, x := range each {
			sum[e] += float64(x)
		}
	}
	return sum
}

// Audit ranks the rows, classes and edges of t. If the model has an energy, it adds what the energy says about them.
func (t *Task) Audit() (*Audit, error) {
	in, err := t.Inspect(0)
	var none *NoEnergy
	if err != nil && !errors.As(err, &none) {
		return nil, err
	}
	c := t.auditColumns()
	d, own := audit.Of(c.data)
	d.Graph, d.Class = t.Data.Graph, t.Data.Labels.Class
	c.keep(own)
	r, err := audit.Run(d, audit.Options{NoLabels: t.Data.Labels.Task != ""})
	if err != nil {
		return nil, err
	}
	a := &Audit{Wrong: WrongShares{r.RowShare.Wrong, r.LabelShare.Wrong, r.EdgeShare.Wrong},
		Most: WrongShares{r.RowShare.Most, r.LabelShare.Most, r.EdgeShare.Most}}
	t.flagRows(a, r, c, in)
	t.flagLabels(a, r)
	t.flagEdges(a, r, in)
	return a, nil
}

// flagRows names rows and columns.
func (t *Task) flagRows(a *Audit, r *audit.Report, c *auditColumns, in *bloom.Inspection) {
	a.Rows = make([]RowFlag, len(r.Rows))
	order, score := make([]int32, len(r.Rows)), make([]float64, t.Data.Graph.NumNodes())
	for i, x := range r.Rows {
		f := RowFlag{Node: x.Node, ID: t.Data.NodeName(x.Node), Probability: x.Probability, Rank: i + 1}
		if in != nil {
			f.Residual = &in.Residuals()[x.Node]
		}
		if x.Speaks >= 0 {
			f.Speaks = t.Data.Labels.Names[x.Speaks]
		}
		for _, y := range x.Columns {
			f.Columns = append(f.Columns, c.flag(y))
		}
		a.Rows[i], order[i], score[x.Node] = f, x.Node, x.Probability
	}
	if t.Data.Corrupted != nil {
		a.Detect = detect(order, score, 1, t.Data.Corrupted)
	}
}

// flagLabels names classes and neighbours.
func (t *Task) flagLabels(a *Audit, r *audit.Report) {
	d := t.Data
	a.Labels = make([]LabelFlag, len(r.Labels))
	for i, x := range r.Labels {
		f := LabelFlag{Node: x.Node, ID: d.NodeName(x.Node), Given: d.Labels.Names[x.Given],
			Proposed: d.Labels.Names[x.Proposed], Probability: x.Probability, Rank: i + 1}
		for _, u := range x.Against {
			f.Against = append(f.Against, d.NodeName(u))
		}
		a.Labels[i] = f
	}
}

// flagEdges names edges. An edge and its inverse are one row of the data and count with the sum of their energies.
func (t *Task) flagEdges(a *Audit, r *audit.Report, in *bloom.Inspection) {
	var energies []float64
	if in != nil {
		energies = make([]float64, len(r.Edges))
		for e, x := range edgeEnergies(in.Report) {
			energies[e%len(energies)] += x
		}
	}
	a.Edges = make([]EdgeFlag, len(r.Edges))
	for i, x := range r.Edges {
		a.Edges[i] = EdgeFlag{Edge: x.Edge, U: x.U, V: x.V, Source: t.Data.NodeName(x.U), Target: t.Data.NodeName(x.V),
			Probability: x.Probability, Rank: i + 1}
		if energies != nil {
			a.Edges[i].Energy = &energies[x.Edge]
		}
	}
}
