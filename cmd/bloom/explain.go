package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/columns"
	"github.com/bloomgml/bloom/internal/nearest"
	"github.com/bloomgml/bloom/internal/terminal"
	"github.com/bloomgml/bloom/nodes"

	model "github.com/bloomgml/bloom"
)

func newExplain() *cobra.Command {
	cmd, c := newRunCommand("explain", "Say why nodes are classified, or facts expected, as they are",
		`A prediction is the minimum of an energy, so it can be taken apart exactly: the energy of a node is what
its own features and its edges have, and each of them pulls towards the predicted class or away from it. The
pull is how fast the margin over the second class, or the number in deviations of the training nodes, would grow
if the node gave way to this edge alone.

Below its own features stand the columns that decide, with their values: how much more the row costs, and pulls,
than it would if the column were what is usual, the mean of all nodes, and everything else stayed. They are
differences and not derivatives, exact for every recipe; a stack of levels has none, as there a row does not act by
itself. After bloom audit, the columns are named too that the neighbourhood does not lead one to expect, of
the rows that are ranked first.

Of a stack of levels it is the last level that is taken apart, or that of --level, from 1: its energy, whose
features are what the levels below made. The pull of a lower level goes through all levels above it.

--label asks about another class than the predicted one: why not that? Where nodes have any number of classes,
the pull is at the logit of one of them, the strongest unless --label says another.

--fidelity asks whether explanations mean something: it takes half of the edges of some test nodes away, once
those that are ranked first and once random ones, and counts how often the prediction changes.

Of a run with --task links: why the pair of two --node scores as it does, as if no edge joined it: what they
have in common, and the exact derivative of the score to the weight of every edge, through all steps.

Of a run on a knowledge graph: why the fact --head X --relation R --tail Y scores as it does, as if the graph
did not have it. By embeddings: both ends settle anew on the facts about them, as bloom add does, and each of
these facts pulls at the score. The pull is the exact derivative of the settled score to the weight of the
fact; lost is what that score is less when both settle without it, relations and all others staying. By
recipe path: the strongest paths, with their share of the derivative of the score to the weights of messages.`,
		`  bloom train --data karate --recipe base --out karate --set train.epochs=50
  bloom explain karate --node 9
  bloom explain karate --node 3 --node 20 --top 4 --json
  bloom train --data family:families=4 --recipe complex --out embedded
  bloom explain embedded --head 'Hana Carter' --relation uncle_or_aunt_of --tail 'Tara Carter' --top 5`,
		opened.explain)
	f := cmd.Flags()
	c.nameFact(cmd, "of a knowledge graph: the `entity` that the fact begins with", "its `relation`",
		"the `entity` that it ends with")
	f.StringArrayVar(&c.node, "node", nil, "the node to explain, by its `id`; may be repeated")
	f.StringVar(&c.label, "label", "", "the `class` to explain (default the predicted one)")
	f.IntVar(&c.level, "level", 0, "of a stack: the `level` to take apart, from 1 (default the last)")
	f.IntVar(&c.top, "top", 10, "edges, facts or paths to show, 0 for all")
	f.IntVar(&c.fidelity, "fidelity", 0, "instead, test explanations on this many `nodes`")
	f.BoolVar(&c.json, "json", false, "print one JSON object a node")
	return cmd
}

// fidelity tests explanations.
func (t classesRun) fidelity(cmd *cobra.Command, c *runCommand) error {
	f, err := t.Task.Fidelity(c.fidelity, t.Trial.Seed)
	if err != nil {
		return err
	}
	if c.json {
		return json.NewEncoder(cmd.OutOrStdout()).Encode(f)
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "Without the %.1f edges that explanations rank first, %.1f %% of %d "+
		"nodes get another class; without as many random ones, %.1f %%.\n",
		f.Edges, 100*f.Top, f.Nodes, 100*f.Random)
	return err
}

// explanation is one explained node; the keys stay.
type explanation struct {
	ID          string          `json:"id"`
	Class       string          `json:"class,omitempty"` // of sets all of them
	Label       string          `json:"label,omitempty"` // the class that is explained, where that is not Class
	Second      string          `json:"second,omitempty"`
	Probability float64         `json:"probability,omitempty"` // of the class that is explained
	Value       *float64        `json:"value,omitempty"`       // where the answer is a number
	Total       float64         `json:"energy"`
	Own         float64         `json:"own_energy"`
	OwnPull     float64         `json:"own_pull"`
	Residual    float64         `json:"residual"`
	Level       int             `json:"level,omitempty"`   // of a stack: the one that is taken apart, from 1
	Levels      int             `json:"levels,omitempty"`  // of a stack: how many there are
	Columns     []columns.Share `json:"columns,omitempty"` // those that pull most, first
	Edges       []edgeExplain   `json:"edges"`
	Left        int             `json:"edges_left_out,omitempty"`
	LeftEnergy  float64         `json:"energy_left_out,omitempty"`
	// Blamed are the columns of its row to look at, where an audit has found some.
	Blamed []nodes.ColumnFlag `json:"blamed,omitempty"`
	Kept   *keptLine          `json:"kept,omitempty"`
}

// edgeExplain is one of its edges.
type edgeExplain struct {
	Other    string   `json:"node"`
	Class    string   `json:"class,omitempty"`
	Value    *float64 `json:"value,omitempty"`
	Relation string   `json:"relation,omitempty"`
	Energy   float64  `json:"energy"`
	Pull     float64  `json:"pull"`
}

// explain takes predictions apart, or tests such explanations.
func (t classesRun) explain(cmd *cobra.Command, c *runCommand) error {
	switch task := t.Data.Labels.Task; {
	case c.fidelity > 0 && task != "":
		return usage(cmd, "--fidelity is for classes of nodes, and labels are for %s", task)
	case c.fidelity > 0:
		return t.fidelity(cmd, c)
	case len(c.node) == 0:
		return usage(cmd, "which node? name it with --node")
	}
	noteKept(cmd, t.Data)
	list, err := findNodes(cmd, t.Trained, c.node)
	if err != nil {
		return err
	}
	about, err := t.about(cmd, c)
	if err != nil {
		return err
	}
	p, err := t.Predict()
	if err != nil {
		return err
	}
	blamed, err := t.blamed()
	if err != nil {
		return err
	}
	for x := range p.Only(list).Each {
		v := list[0]
		list = list[1:]
		in, err := about(v)
		if err != nil {
			return err
		}
		e := newExplanation(t.Data, p, in.Node(v), x, c.top)
		if n := len(t.Stack.Levels); n > 1 {
			e.Level, e.Levels = cmp.Or(c.level, n), n
		}
		if e.Columns, err = columns.OfNode(t.Task, in, v); err != nil {
			return err
		}
		e.Blamed, e.Kept = blamed[v], newKeptLine(t.Data)
		if c.json {
			err = json.NewEncoder(cmd.OutOrStdout()).Encode(e)
		} else {
			err = e.print(cmd.OutOrStdout(), terminal.Painter(cmd.OutOrStdout()))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// about takes predictions apart, by --level; what it returns does so about a node and the class of --label, the
// strongest where there is none.
func (t classesRun) about(cmd *cobra.Command, c *runCommand) (func(v int32) (*model.Inspection, error), error) {
	names := t.Data.Labels.Names
	at := slices.Index(names, c.label)
	switch {
	case c.label != "" && t.Data.Labels.Task == dataset.Numbers:
		return nil, usage(cmd, "--label is for classes of nodes, and labels are for %s", t.Data.Labels.Task)
	case c.label != "" && at < 0:
		return nil, usage(cmd, "%w", nearest.NewUnknown("class", c.label, names))
	case t.Stack != nil && (c.level < 0 || c.level > len(t.Stack.Levels)):
		return nil, usage(cmd, "--level is %d, and the run has levels 1 to %d", c.level, len(t.Stack.Levels))
	}
	in, err := t.Task.Inspect(c.level)
	if err != nil || c.label == "" && (c.level == 0 || c.level == len(t.Stack.Levels)) {
		return func(int32) (*model.Inspection, error) { return in, nil }, err
	}
	return func(v int32) (*model.Inspection, error) { return in.About(v, at) }, nil
}

// blamed are the columns that the audit of the run, where there is one, blames in rows.
func (t classesRun) blamed() (map[int32][]nodes.ColumnFlag, error) {
	a, err := t.KeptAudit()
	if err != nil || a == nil {
		return nil, err
	}
	columns := map[int32][]nodes.ColumnFlag{}
	for _, x := range a.Rows {
		columns[x.Node] = x.Columns
	}
	return columns, nil
}

// newExplanation puts names to numbers, with the top edges by the size of their pull. all has the predictions for all
// nodes, p is the one for this node.
func newExplanation(d *dataset.Dataset, all *nodes.Predictions, x model.Explanation, p nodes.Prediction,
	top int) explanation {
	e := explanation{ID: d.NodeName(x.Node), Class: p.Class, Probability: p.Probability, Value: p.Value,
		Total: x.Total, Own: x.Own, OwnPull: x.OwnPull, Residual: x.Residual}
	others := []int32{} // not nil, which would be all
	for i, s := range x.Edges {
		if top > 0 && i >= top {
			e.Left++
			e.LeftEnergy += s.Energy
			continue
		}
		others = append(others, s.Other)
		out := edgeExplain{Other: d.NodeName(s.Other), Energy: s.Energy, Pull: s.Pull}
		if len(d.Relations) > 1 {
			out.Relation = d.Relations[int(d.Graph.Edge(s.Edge%int32(d.Graph.NumEdges())).R)]
		}
		e.Edges = append(e.Edges, out)
	}
	i := 0
	for y := range all.Only(others).Each {
		e.Edges[i].Class, e.Edges[i].Value = y.Class, y.Value
		i++
	}
	if x.Second >= 0 {
		e.Second = d.Labels.Names[x.Second]
	}
	if name := d.Labels.Names[x.Class]; e.Value == nil && name != e.Class {
		e.Label, e.Probability = name, p.Probabilities[name]
	}
	return e
}

// mostColumns is how many columns are shown.
const mostColumns = 5

// verdict is what is predicted, and what of it is explained.
func (e explanation) verdict(p terminal.Paint) string {
	s := fmt.Sprintf("%s is %s", p.Strong(terminal.Show(e.ID)), p.Good(answer(e.Class, e.Value)))
	switch {
	case e.Value != nil:
		return s
	case e.Class == "":
		s = p.Strong(terminal.Show(e.ID)) + " has no class"
	}
	switch {
	case e.Label != "" && e.Second != "":
		return s + fmt.Sprintf("; %s, probability %.2f, against %s", p.Strong(terminal.Show(e.Label)), e.Probability,
			terminal.Show(e.Second))
	case e.Label != "":
		return s + fmt.Sprintf("; %s has the probability %.2f", p.Strong(terminal.Show(e.Label)), e.Probability)
	case e.Second != "":
		return s + fmt.Sprintf(", probability %.2f; the second is %s", e.Probability, terminal.Show(e.Second))
	}
	return s + fmt.Sprintf(", probability %.2f", e.Probability)
}

// where is the level that is taken apart; empty where there is one.
func (e explanation) where() string {
	if e.Levels == 0 {
		return ""
	}
	return fmt.Sprintf("level %d of %d: ", e.Level, e.Levels)
}

// answer is the class or the number in a column.
func answer(class string, value *float64) string {
	if value != nil {
		return fmt.Sprintf("%.4g", *value)
	}
	return terminal.Show(class)
}

// print writes the explanation for people: a bar to the right pulls towards the predicted class, or the number up, one
// to the left away, or down.
func (e explanation) print(w io.Writer, p terminal.Paint) error {
	var text strings.Builder
	column := "value"
	if e.Value == nil {
		column = "class"
	}
	fmt.Fprintf(&text, "%s\n  %senergy %.4g = %.4g of its features + %.4g of its edges; ‖h − π(x)‖ %.4g\n",
		e.verdict(p), e.where(), e.Total, e.Own, e.Total-e.Own, e.Residual)
	shown := e.Columns[:min(mostColumns, len(e.Columns))]
	largest := max(math.Abs(e.OwnPull), terminal.Largest(e.Edges, func(s edgeExplain) float64 { return s.Pull }),
		terminal.Largest(shown, func(c columns.Share) float64 { return c.Pull }))
	fmt.Fprintf(&text, "  %s\n", p.Dim(fmt.Sprintf("%-28s %-14s %10s %10s", "pulled by", column, "energy", "pull")))
	line := func(name, class string, energy, pull float64) {
		fmt.Fprintf(&text, "  %-28s %-14s %10.4g %+10.3g %s\n", terminal.Show(name), class, energy, pull,
			terminal.Pull(pull, largest, p))
	}
	line("its own features", "", e.Own, e.OwnPull)
	for _, c := range shown {
		line(fmt.Sprintf("  %s %s", c.Name, written(c.Value)), "usual "+written(c.Usual), c.Energy, c.Pull)
	}
	if len(e.Blamed) > 0 {
		fmt.Fprintf(&text, "    %s\n", p.Dim("the audit: "+
			terminal.Show(columnsText(nodes.RowFlag{Columns: e.Blamed}.Blamed()))))
	}
	for _, s := range e.Edges {
		line(strings.TrimSpace(s.Relation+" "+s.Other), answer(s.Class, s.Value), s.Energy, s.Pull)
	}
	if e.Left > 0 {
		fmt.Fprintf(&text, "  %s\n", p.Dim(fmt.Sprintf("and %d more edges with energy %.4g; --top 0 shows all", e.Left,
			e.LeftEnergy)))
	}
	_, err := io.WriteString(w, text.String())
	return err
}
