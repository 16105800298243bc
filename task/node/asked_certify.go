package node

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/internal/certify"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/show"
	"github.com/bloomgml/bloom/task"
	"github.com/bloomgml/bloom/train"
)

var _ task.Certifying = asked{}

// certificate is what holds under changes of edges; the JSON keys are stable.
type certificate struct {
	Certified float64         `json:"certified"` // the share of all nodes
	Shares    []share         `json:"shares"`    // the same for smaller budgets, ascending, and for this one
	Budget    int             `json:"budget"`    // changed edges at every node
	Total     int             `json:"total,omitempty"`
	Edges     string          `json:"edges"`
	Of        string          `json:"of"` // steps, minimiser or held weights
	Steps     int             `json:"steps,omitempty"`
	Model     string          `json:"model,omitempty"` // a hash of the weights, in run folders
	Nodes     []certifiedNode `json:"nodes"`
}

// share is the share of all nodes that hold under a budget.
type share struct {
	Budget    int     `json:"budget"`
	Certified float64 `json:"certified"`
}

// certifiedNode is what is known about a node. With --node there are changes of edges that were tried, and the class
// that they make of it if that is another.
type certifiedNode struct {
	ID        string       `json:"id"`
	Class     string       `json:"class"`
	Certified bool         `json:"certified"`
	Largest   int          `json:"largest"` // budget that was tried under which it holds; 0 for none
	Margin    float64      `json:"margin"`  // at least, in logits, over Rival
	Rival     string       `json:"rival"`
	Radius    *float64     `json:"radius,omitempty"`      // its own row may move by less
	Near      *float64     `json:"near_radius,omitempty"` // the rows of its neighbours may, all of them together
	Changes   []changeLine `json:"changes,omitempty"`
	Becomes   string       `json:"becomes,omitempty"`
}

type changeLine struct {
	Change string `json:"change"` // add or remove
	Source string `json:"source"`
	Target string `json:"target"`
}

// Certify says which classes no change of a few edges can change.
func (t asked) Certify(q *task.Request) error {
	c := q.Changes
	switch {
	case c.Each < 0:
		return task.Usage("--budget is %d, want 0 or more", c.Each)
	case c.Total < 0:
		return task.Usage("--total is %d, want 0 or more", c.Total)
	case !slices.Contains([]string{"existing", "two-hop", "all"}, c.Edges):
		return task.Usage("--edges is %q, want existing, two-hop or all", c.Edges)
	case t.disk != nil:
		return task.Usage("the graph of the run stays on the disk; %s", certifiable)
	}
	nodes, err := t.findNodes(q.Nodes)
	if err != nil {
		return err
	}
	x, err := newCertifier(t.Trained, c)
	if err != nil {
		return err
	}
	if c.Features && x.model.Steep == nil {
		return task.Usage("--features is for features that reach the descent through layers without norms alone")
	}
	list := x.Certify(x.model, x.class)
	out := &certificate{Budget: c.Each, Total: c.Total, Edges: c.Edges, Of: "steps", Steps: x.model.Steps}
	switch {
	case x.model.Channels != nil:
		out.Of = "held weights"
	case c.Minimiser:
		out.Of = "minimiser"
	}
	largest := x.budgets(out, list, c)
	holds := x.fill(out, t.Data, list, nodes, c)
	for i := range out.Nodes {
		v := int32(i)
		if len(nodes) > 0 {
			v = nodes[i]
		}
		out.Nodes[i].Largest = largest[v]
	}
	if len(nodes) == 0 {
		if err := out.keep(t.Trained); err != nil {
			return err
		}
	}
	fmt.Fprintln(q.Say, out.meaning())
	return q.WriteAnswer(out, func() string {
		return out.text(show.Painter(q.Out), holds, len(list), len(nodes) > 0)
	})
}

// budgets tries smaller budgets, every one to 5 and then in steps of a fifth, until all answers hold. It returns the
// largest under which every answer does, of list too, and writes down the shares.
func (x *certifier) budgets(out *certificate, list []certify.Verdict, c task.Changes) []int {
	largest, holds := make([]int, len(list)), 0
	small := *x.Problem
	for b := c.Each; ; b -= max(1, b/5) {
		for v, y := range list {
			if y.Holds && largest[v] == 0 && b > 0 {
				largest[v] = b
				holds++
			}
		}
		if b > 0 {
			out.Shares = append(out.Shares, share{b, float64(holds) / float64(max(len(list), 1))})
		}
		if b <= 1 || holds == len(list) {
			slices.Reverse(out.Shares)
			return largest
		}
		small.Budget = slices.Clone(x.Problem.Budget)
		for v := range small.Budget {
			small.Budget[v] = min(small.Budget[v], b-max(1, b/5))
		}
		list = small.Certify(x.model, x.class)
	}
}

// fill writes verdicts down, of nodes or of all if there are none, and returns how many hold.
func (x *certifier) fill(out *certificate, d *dataset.Dataset, list []certify.Verdict, nodes []int32,
	c task.Changes) (holds int) {
	for _, y := range list {
		if y.Holds {
			holds++
		}
	}
	out.Certified = float64(holds) / float64(max(len(list), 1))
	shown := nodes
	if len(nodes) == 0 {
		for v := range list {
			shown = append(shown, int32(v))
		}
	}
	for _, v := range shown {
		out.Nodes = append(out.Nodes, x.node(d, v, list[v]))
	}
	if x.model.Steep != nil && (len(nodes) > 0 || c.Features) {
		for i, r := range x.Radii(x.model, x.class, shown) {
			out.Nodes[i].Radius, out.Nodes[i].Near = bounded(r.Own), bounded(r.Near)
		}
	}
	for i, v := range nodes {
		if n := &out.Nodes[i]; !n.Certified {
			x.attack(d, n, v, list[v].Rival, c.Total)
		}
	}
	return holds
}

// node returns the verdict about a node with names.
func (x *certifier) node(d *dataset.Dataset, v int32, y certify.Verdict) certifiedNode {
	n := certifiedNode{ID: d.NodeName(v), Class: d.Labels.Names[x.class[v]], Certified: y.Holds, Margin: y.Margin}
	if y.Rival >= 0 {
		n.Rival = d.Labels.Names[y.Rival]
	} else { // there is one class
		n.Margin = 0
	}
	return n
}

// bounded returns x, nil if that is infinite.
func bounded(x float64) *float64 {
	if math.IsInf(x, 0) {
		return nil
	}
	return &x
}

// attack adds changes of edges against a node.
func (x *certifier) attack(d *dataset.Dataset, n *certifiedNode, v, rival int32, total int) {
	made, becomes := x.Attack(x.model, v, x.class[v], rival, total)
	if becomes == x.class[v] {
		return
	}
	n.Becomes = d.Labels.Names[becomes]
	for _, c := range made {
		change := "remove"
		if c.Added {
			change = "add"
		}
		n.Changes = append(n.Changes, changeLine{change, d.NodeName(c.From), d.NodeName(c.To)})
	}
}

// moves says what features may do.
func (n *certifiedNode) moves() string {
	s := fmt.Sprintf("its own row of scaled features moves by less than %.3g", *n.Radius)
	if n.Near != nil {
		s += fmt.Sprintf(", or those of its neighbours together by less than %.3g", *n.Near)
	}
	return s + " (L2 norm)"
}

// meaning says what is certified, and how.
func (c *certificate) meaning() string {
	switch c.Of {
	case "held weights":
		return "The closed form is certified with its weights W as they are, not solved for again on the changed " +
			"graph. The worst case of every channel is exact if an edge may change at one of its ends alone; that of " +
			"their sum, and of rows divided by their norms, is a conservative bound."
	case "minimiser":
		return "The exact minimiser of the energy is certified. The worst case is exact if an edge may change at one " +
			"of its ends alone, and conservative for undirected edges."
	}
	return fmt.Sprintf("The %d steps of the run are certified. The bound is conservative: edges may change at one "+
		"end alone, and again before every step.", c.Steps)
}

// changes describes what may change under a budget.
func (c *certificate) changes(budget int) string {
	what := map[string]string{"existing": "removed", "all": "removed or added",
		"two-hop": "removed, or added between nodes with a common neighbour"}[c.Edges]
	s := fmt.Sprintf("whichever edges are %s, at most %d at a node", what, budget)
	if c.Total > 0 {
		s += fmt.Sprintf(" and %d in all", c.Total)
	}
	if c.Of == "held weights" {
		s += ", with the weights of the closed form as they are"
	}
	return s
}

func (c *certificate) text(p show.Paint, holds, all int, single bool) string {
	var s strings.Builder
	fmt.Fprintf(&s, "%s of %s answers (%.1f %%) hold %s\n", show.Thousands(holds), show.Thousands(all),
		100*c.Certified, c.changes(c.Budget))
	for _, x := range c.Shares[:max(len(c.Shares)-1, 0)] {
		fmt.Fprintf(&s, "  %.1f %% with at most %d\n", 100*x.Certified, x.Budget)
	}
	if !single {
		return s.String()
	}
	for _, n := range c.Nodes {
		name := fmt.Sprintf("%s is %s", p.Strong(show.Safe(n.ID)), show.Safe(n.Class))
		switch {
		case n.Certified:
			fmt.Fprintf(&s, "%s, and stays so: at least %.3g ahead of %s\n", name, n.Margin, show.Safe(n.Rival))
		case n.Becomes == "":
			fmt.Fprintf(&s, "%s; it is not certified against %s (%.3g), but no changes that overturn it were found\n",
				name, show.Safe(n.Rival), n.Margin)
		default:
			fmt.Fprintf(&s, "%s; it becomes %s by %d changes:\n", name, show.Safe(n.Becomes), len(n.Changes))
			for _, x := range n.Changes {
				fmt.Fprintf(&s, "  %-6s %s – %s\n", x.Change, show.Safe(x.Source), show.Safe(x.Target))
			}
		}
		if n.Largest > 0 && !n.Certified {
			fmt.Fprintf(&s, "  it stays %s %s\n", show.Safe(n.Class), c.changes(n.Largest))
		}
		if n.Radius != nil {
			fmt.Fprintf(&s, "  it stays %s while %s\n", show.Safe(n.Class), n.moves())
		}
	}
	return s.String()
}

// CertificateFile is where a run folder has the last certificate of all its nodes.
const CertificateFile = "certificate.json"

// Certified is the certificate in a run folder.
type Certified struct {
	Share     float64 // of the nodes whose class holds
	Under     string  // what may change, as "whichever edges are removed, at most 2 at a node"
	Minimiser bool    // it is about the minimiser, not the steps of the run
	nodes     map[string]*certifiedNode
	under     func(budget int) string
}

// Holding is what is proved about the answer for one node.
type Holding struct {
	Certified bool     `json:"certified"`             // under the budget; Text may name a smaller one
	Text      string   `json:"text"`                  // for people, in sentences
	Radius    *float64 `json:"radius,omitempty"`      // its own row of scaled features may move by less, in the L2 norm
	Near      *float64 `json:"near_radius,omitempty"` // the rows of its neighbours may, all of them together
}

// keep writes a certificate to a run folder.
func (c *certificate) keep(t *Trained) (err error) {
	if c.Model, err = t.WeightsHash(); err != nil {
		return err
	}
	return files.Write(filepath.Join(t.Dir, CertificateFile), files.WriteOptions{}, func(w io.Writer) error {
		return json.NewEncoder(w).Encode(c)
	})
}

// WeightsHash returns a fingerprint of the weights in the run folder. A closed form has none there: its weights are
// solved for when the run is opened, so their answers count too.
func (t *Trained) WeightsHash() (string, error) {
	weights, err := files.Read(train.ModelFile(t.Dir))
	if err != nil {
		return "", err
	}
	if f, solved := t.network.(*closedForm); solved {
		z, err := f.Predict(input.Evaluation())
		if err != nil {
			return "", err
		}
		for _, x := range ad.Eval(z).Slice() {
			weights = binary.LittleEndian.AppendUint32(weights, math.Float32bits(float32(x)))
		}
	}
	return fmt.Sprintf("%x", sha256.Sum256(weights)), nil
}

// Certified returns the certificate in the run folder; nil if there is none, or one of other weights.
func (t *Trained) Certified() (*Certified, error) {
	name := filepath.Join(t.Dir, CertificateFile)
	text, err := files.Read(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	c := &certificate{}
	if err := json.Unmarshal(text, c); err != nil {
		return nil, files.Because(name, err)
	}
	if now, err := t.WeightsHash(); err != nil || now != c.Model {
		return nil, err
	}
	out := &Certified{Share: c.Certified, Under: c.changes(c.Budget), Minimiser: c.Of == "minimiser",
		nodes: map[string]*certifiedNode{}, under: c.changes}
	for i := range c.Nodes {
		out.nodes[c.Nodes[i].ID] = &c.Nodes[i]
	}
	return out, nil
}

// About returns what is proved about a node; nil if nothing is known.
func (c *Certified) About(id string) *Holding {
	if c == nil || c.nodes[id] == nil {
		return nil
	}
	n := c.nodes[id]
	h := &Holding{Certified: n.Certified, Text: "Changes of edges may overturn this answer: it is not proved to hold " +
		c.Under + ".", Radius: n.Radius, Near: n.Near}
	if n.Certified {
		h.Text = "This answer holds " + c.Under + "."
	} else if n.Largest > 0 {
		h.Text = "This answer holds " + c.under(n.Largest) + "; it is not proved to hold with more."
	}
	if n.Radius != nil {
		h.Text += " It holds while " + n.moves() + "."
	}
	return h
}
