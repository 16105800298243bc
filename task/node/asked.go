package node

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/bloomgml/bloom"
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/internal/show"
	"github.com/bloomgml/bloom/task"
	"github.com/bloomgml/bloom/train"
)

// asked is a run about nodes.
type asked struct {
	*Trained
	disk *OnDisk
}

// Nodes returns the run, or one model of an average, for the server, whose graph may change.
func (t asked) Nodes() *Trained { return t.Alone() }

// alone returns the run as one model, and says so if it is an average.
func (t asked) alone(q *task.Request) asked {
	if text := t.Averaged(); text != "" {
		fmt.Fprintln(q.Say, text)
	}
	return asked{t.Alone(), t.disk}
}

func (t asked) Embed(q *task.Request) error {
	if t.Stack == nil {
		return &NoEnergy{Recipe: t.Config.Recipe}
	}
	v, err := t.Stack.Embed(input.Evaluation(), t.On)
	if err != nil {
		return err
	}
	prog := ad.Compile(v)
	if err := prog.Run(); err != nil {
		return err
	}
	if err := prog.Value(v).CheckFinite(); err != nil {
		return &train.BadData{Data: t.Dir, Text: fmt.Sprintf("the embedding of a node is not finite: %v", err)}
	}
	return q.Embeddings(prog.Value(v), func(v int32) string { return t.Data.NodeName(v) })
}

// findNodes returns the nodes of ids. An id that several node types have is written type/id.
func (t asked) findNodes(ids []string) ([]int32, error) {
	var nodes []int32
	for _, id := range ids {
		v, err := t.Data.Node(id)
		if err != nil {
			return nil, task.Usage("%w", err)
		}
		nodes = append(nodes, v)
	}
	return nodes, nil
}

// Predict prints a row per node.
func (t asked) Predict(q *task.Request) error {
	if t.disk != nil {
		return q.Write(t.Job().WritePredictions)
	}
	p, err := t.Trained.Predict()
	if err != nil {
		return err
	}
	sets, err := t.conform(q, p)
	if err != nil {
		return err
	}
	if len(q.Nodes) > 0 {
		nodes, err := t.findNodes(q.Nodes)
		if err != nil {
			return err
		}
		p = p.Only(nodes)
	}
	e, err := evidenceOf(t.Task)
	if err != nil {
		return err
	}
	if e != nil {
		fmt.Fprintln(q.Say, evidenceTexts(e))
	}
	return q.Write(func(w io.Writer) error {
		if q.JSON {
			return writePredictionsJSON(w, t.Data, p, e, sets)
		}
		return p.WriteCSV(w)
	})
}

// writePredictionsJSON writes a line with the evidence and with how sets were made, if any, and then a line for every
// node.
func writePredictionsJSON(w io.Writer, d *dataset.Dataset, p *Predictions, e []bloom.Evidence, s *Conformal) error {
	enc, first := json.NewEncoder(w), map[string]any{}
	if e != nil {
		first["evidence"] = newEvidenceLine(d, e)
	}
	if s != nil {
		first["conformal"] = s
	}
	if len(first) > 0 {
		if err := enc.Encode(first); err != nil {
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

// evidenceLine says how far a descent went, as JSON; the keys are stable. For a stack it is the last descent.
type evidenceLine struct {
	Steps    int            `json:"steps"`
	Energy   []float64      `json:"energy"` // after 0, 1, … steps
	Drop     float64        `json:"drop"`
	Residual float64        `json:"residual"`
	Farthest []apartLine    `json:"farthest,omitempty"` // of levels of a stack: the nodes farthest from their features
	Levels   []evidenceLine `json:"levels,omitempty"`   // of a stack, from below
}

// apartLine is a node whose row a descent moved away from its features.
type apartLine struct {
	ID       string  `json:"id"`
	Residual float64 `json:"residual"` // ‖h − π(x)‖
}

// newEvidenceLine returns the evidence of all levels, or nil if there is none.
func newEvidenceLine(d *dataset.Dataset, levels []bloom.Evidence) *evidenceLine {
	var lines []evidenceLine
	for _, e := range levels {
		lines = append(lines, evidenceLine{Steps: e.Steps, Energy: e.Energy, Drop: e.Drop(), Residual: e.Residual})
	}
	if len(lines) == 0 {
		return nil
	}
	last := lines[len(lines)-1]
	if len(lines) > 1 {
		last.Levels = lines
		for k, e := range levels {
			lines[k].Farthest = farthest(d, e)
		}
	}
	return &last
}

// farthest returns the three nodes with the largest residuals.
func farthest(d *dataset.Dataset, e bloom.Evidence) []apartLine {
	order := upTo(len(e.Apart))
	slices.SortStableFunc(order, func(u, v int32) int { return cmp.Compare(e.Apart[v], e.Apart[u]) })
	var list []apartLine
	for _, v := range order[:min(3, len(order))] {
		list = append(list, apartLine{d.NodeName(v), e.Apart[v]})
	}
	return list
}

// evidenceOf returns nil for a baseline, which descends on nothing.
func evidenceOf(t *Task) ([]bloom.Evidence, error) {
	if t.Stack == nil {
		return nil, nil
	}
	return t.Stack.Evidence(t.On)
}

// Add predicts the class, the classes or the number of new nodes.
func (t asked) Add(q *task.Request) error {
	n, tell, err := q.Newcomers(t.Data)
	if err != nil {
		return err
	}
	with, err := t.Trained.Add(n)
	if err != nil {
		return err
	}
	p, err := with.Predict()
	if err != nil {
		return err
	}
	how := "were predicted together with the old ones" // by trees or in closed form
	if t.Stack != nil {
		steps := 0
		for _, l := range t.Stack.Levels {
			steps += l.L
		}
		how = fmt.Sprintf("took %d steps together with the old nodes", steps)
	}
	fmt.Fprintf(q.Say, "%d new nodes with %d edges %s; %d missing values were filled. No parameter changed.\n",
		len(n.IDs)-n.Things, len(n.Edges), how, n.Filled)
	tell()
	if q.Save != "" {
		if err := t.Save(q.Save, n); err != nil {
			return err
		}
		fmt.Fprintf(q.Say, "files %s\nnext  %s\n", show.Safe(q.Save),
			show.ShellCommand("bloom", "predict", q.Save, "--node", n.IDs[0]))
	}
	rows := make([]int32, len(n.IDs)-n.Things)
	for i := range rows {
		rows[i] = int32(t.Data.Graph.NumNodes() + i)
	}
	return writeAdded(q, t.Data.Labels.Task, p.Only(rows))
}

// addedNode is what is known about a new node; its JSON keys are stable.
type addedNode struct {
	ID            string             `json:"id"`
	Class         string             `json:"class,omitempty"` // of sets all of them
	Probability   float64            `json:"probability,omitempty"`
	Probabilities map[string]float64 `json:"probabilities,omitempty"` // of all classes, by name
	Value         *float64           `json:"value,omitempty"`         // where the answer is a number
	Residual      *float64           `json:"residual,omitempty"`
	Bound         float64            `json:"bound"` // how far the state is from that with all nodes free to move: 0
}

// writeAdded writes a row or an object for every new node.
func writeAdded(q *task.Request, labels string, added *Predictions) error {
	list := func(yield func(addedNode) bool) {
		for p := range added.Each {
			if !yield(addedNode{p.ID, p.Class, p.Probability, p.Probabilities, p.Value, p.Residual, 0}) {
				return
			}
		}
	}
	header := map[string][]string{"": {"class", "probability"}, dataset.Sets: {"classes"},
		dataset.Numbers: {"value"}}[labels]
	last := []string{"residual"}
	for _, name := range added.named() {
		last = append(last, "p:"+name)
	}
	return task.Rows(q, slices.Concat([]string{"id"}, header, last), list, func(x addedNode) []string {
		answer := []string{x.Class, task.Decimal(x.Probability)}[:len(header)]
		if x.Value != nil {
			answer = []string{real32(*x.Value)}
		}
		rest := []string{""}
		if x.Residual != nil {
			rest[0] = task.Decimal(*x.Residual)
		}
		for _, name := range added.named() {
			rest = append(rest, real32(x.Probabilities[name]))
		}
		return slices.Concat([]string{x.ID}, answer, rest)
	})
}

// conform makes sets that contain the truth with the probability --coverage, and says how they do on the test nodes;
// nil if they were not requested.
func (t asked) conform(q *task.Request, p *Predictions) (*Conformal, error) {
	if q.Coverage == 0 {
		return nil, nil
	}
	if !(q.Coverage > 0 && q.Coverage < 1) {
		return nil, task.Usage("--coverage is %g, want a share above 0 and below 1", q.Coverage)
	}
	s, err := p.Conform(Conforming{Coverage: q.Coverage})
	if err != nil {
		return nil, err
	}
	for _, line := range conformalText(t.Data.Labels.Task, s) {
		fmt.Fprintln(q.Say, line)
	}
	return s, nil
}

// conformalText says what sets or intervals guarantee, and how they do on the test nodes.
func conformalText(task string, s *Conformal) []string {
	by := fmt.Sprintf("with probability %g, calibrated on %d nodes that were not trained on", s.Coverage, s.Nodes)
	tested := ""
	switch {
	case s.Tested == 0:
	case task == dataset.Numbers:
		tested = fmt.Sprintf(": for %.1f %% of the test nodes, with a width of %.3g", 100*s.Test, s.Size)
	default:
		tested = fmt.Sprintf(": for %.1f %% of the test nodes, with a mean size of %.3g", 100*s.Test, s.Size)
	}
	switch task {
	case dataset.Numbers:
		return []string{fmt.Sprintf("Intervals contain the true number %s%s.", by, tested)}
	case dataset.Sets:
		return []string{fmt.Sprintf("Sets contain all classes of a node %s (scores are randomised)%s. No set is empty.",
			by, tested)}
	}
	return append([]string{fmt.Sprintf("Sets contain the true class, for every class, %s (scores are randomised)%s. "+
		"No set is empty.", by, tested)}, rareText(s)...)
}

// rareText says for which classes nothing, or less, is guaranteed, and which one has the lowest share of test nodes.
func rareText(s *Conformal) (lines []string) {
	var few []string
	var least *ConformalClass
	together := false
	for i, c := range s.Classes {
		if c.Tested > 0 && (least == nil || c.Test < least.Test) {
			least = &s.Classes[i]
		}
		if together = together || c.Together; !c.Alone {
			few = append(few, strconv.Quote(c.Name))
		}
	}
	if least != nil {
		lines = append(lines, fmt.Sprintf("The class with the lowest share of test nodes is %q: %.1f %% of %d.",
			least.Name, 100*least.Test, least.Tested))
	}
	if len(few) == 0 {
		return lines
	}
	promise := "no coverage is guaranteed for these classes"
	if together {
		promise = "the probability holds for their nodes together, not for each class"
	}
	if n := len(few) - 6; n > 0 {
		few = append(few[:6], fmt.Sprintf("and %d more", n))
	}
	return append(lines, fmt.Sprintf("Too few validation nodes have the class %s: %s.", strings.Join(few, ", "),
		promise))
}
