package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/bloomgml/bloom"
	"github.com/bloomgml/bloom/internal/audit"
	"github.com/bloomgml/bloom/internal/show"
)

// The maximum number of nodes in a drawing: more would be hard to follow.
const (
	mostNeighbours = 24
	mostNodes      = 56
)

// around is a part of the graph: a node, its neighbours, and theirs as far as there is room.
type around struct {
	nodes   []int32 // the centre, then neighbours, then theirs
	direct  int     // how many are neighbours of the centre
	left    int     // neighbours of the centre that are not shown
	edges   [][2]int
	pulls   map[int32]float64 // what edges of the centre do for its prediction, by their other end; nil for a baseline
	explain *bloom.Explanation
}

// centre returns the node of an id, or for an empty one the node to look at first: the node with the most suspicious
// row, with the largest residual or, for a baseline, with the most certain wrong prediction.
func (r *Run) centre(id string) (int32, error) {
	d := r.Trained.Data
	if id != "" {
		return d.Node(id)
	}
	if r.Audit != nil && len(r.Audit.Rows) > 0 {
		return r.Audit.Rows[0].Node, nil
	}
	if r.Inspection != nil {
		residuals := r.Inspection.Residuals()
		return int32(slices.Index(residuals, slices.Max(residuals))), nil
	}
	_, nodes := r.measured()
	best, sure := int32(0), -1.0
	for _, v := range nodes {
		guess := r.class(v)
		if p := float64(r.row(v)[guess]); guess != d.Labels.Class[v] && p > sure {
			best, sure = v, p
		}
	}
	return best, nil
}

// around collects what is drawn around v.
func (r *Run) around(v int32) *around {
	a := &around{nodes: []int32{v}}
	if r.Inspection != nil {
		x := r.Inspection.Node(v)
		a.explain, a.pulls = &x, map[int32]float64{}
		for _, e := range x.Edges {
			a.pulls[e.Other] += e.Pull
		}
	}
	near := r.neighbours(v)
	slices.SortStableFunc(near, func(x, y int32) int { return cmp.Compare(math.Abs(a.pulls[y]), math.Abs(a.pulls[x])) })
	a.direct = min(len(near), mostNeighbours)
	a.left = len(near) - a.direct
	a.nodes = append(a.nodes, near[:a.direct]...)
	for _, u := range near[:a.direct] {
		for _, w := range r.neighbours(u) {
			if len(a.nodes) < mostNodes && !slices.Contains(a.nodes, w) {
				a.nodes = append(a.nodes, w)
			}
		}
	}
	for i, v := range a.nodes {
		for _, u := range r.neighbours(v) {
			if j := slices.Index(a.nodes, u); i < j {
				a.edges = append(a.edges, [2]int{i, j})
			}
		}
	}
	return a
}

// neighbours returns the nodes that share an edge with v, ascending, without v.
func (r *Run) neighbours(v int32) []int32 {
	return audit.Neighbours(nil, r.Trained.Data.Graph, int(v))
}

// pull is a line of an explanation.
type pull struct {
	From, Label  string
	Energy, Pull float64
	Against      bool
}

// mostPulls is the number of columns that an explanation lists, and the number of edges from either end.
const mostPulls = 4

// pulls returns what acts on a node: its features, with the columns that pull most, then the edges that support its
// prediction most and the edges that oppose it most.
func (r *Run) pulls(x *bloom.Explanation) ([]pull, error) {
	class := r.Trained.Data.Labels.Class
	rows := []pull{{"its own features", r.className(class[x.Node]), x.Own, x.OwnPull, x.OwnPull < 0}}
	list, err := r.Trained.Task.NodeShares(r.Inspection, x.Node)
	if err != nil {
		return nil, err
	}
	for _, c := range list[:min(mostPulls, len(list))] {
		from := fmt.Sprintf("of these %s %s, usually %s", c.Name, show.Compact(c.Value), show.Compact(c.Usual))
		rows = append(rows, pull{from, "", c.Energy, c.Pull, c.Pull < 0})
	}
	for i, e := range x.Edges {
		if i < mostPulls || i >= len(x.Edges)-mostPulls {
			rows = append(rows, pull{r.name(e.Other), r.className(class[e.Other]), e.Energy, e.Pull, e.Pull < 0})
		}
	}
	return rows, nil
}

// verdict returns the prediction for a node, in words.
func (r *Run) verdict(v int32) string {
	guess, label := r.class(v), r.Trained.Data.Labels.Class[v]
	s := fmt.Sprintf("%s is predicted %s with probability %s", r.name(v), r.className(guess),
		show.Percent(float64(r.row(v)[guess])))
	switch {
	case label < 0:
		s += "; its class is not known."
	case label == guess:
		s += ", which is its label."
	default:
		s += "; its label is " + r.className(label) + "."
	}
	if h := r.Certified.About(r.Trained.Data.NodeName(v)); h != nil {
		s += " " + h.Text
	}
	return s
}

// The size of the drawing of a neighbourhood.
const (
	drawingWidth  = 480
	drawingHeight = 400
	drawingMargin = 30
	labelSize     = 12
	mostLabels    = 12 // neighbours with a name; all have one when pointed at
)

// drawing is the graph around a node.
type drawing struct {
	Title, About  string
	Legend        []show.Key
	Width, Height int
	Edges         []drawnEdge
	Nodes         []drawnNode
	Names         []drawnName
}

type drawnEdge struct {
	From, To place
	Width    float64
	Class    string // rule, or of edges of the centre whether they are for or against its prediction
}

type drawnNode struct {
	place
	Radius int
	Ink    show.Ink // of the predicted class
	Centre bool
	Wrong  bool // the label is another one
	About  string
}

type drawnName struct {
	place
	Text string
}

// drawAround draws the neighbourhood of a node.
func (r *Run) drawAround(a *around) *drawing {
	at := a.layout()
	for i, p := range at {
		at[i] = place{
			drawingMargin + (p.X+1)/2*(drawingWidth-2*drawingMargin),
			drawingMargin + (p.Y+1)/2*(drawingHeight-2*drawingMargin),
		}
	}
	about := fmt.Sprintf("The node, %d of its neighbours, and %d of theirs, coloured by predicted class.", a.direct,
		len(a.nodes)-1-a.direct)
	if a.left > 0 {
		about += fmt.Sprintf(" %s more neighbours matter less and are left out.", show.Thousands(a.left))
	}
	return &drawing{Title: "The graph around " + r.name(a.nodes[0]), About: about, Legend: r.drawingLegend(a),
		Width: drawingWidth, Height: drawingHeight, Edges: a.drawEdges(at), Nodes: r.drawNodes(a, at),
		Names: r.drawNames(a, at)}
}

// drawEdges draws the edges of the centre last, green if they support its prediction and red if they oppose it.
func (a *around) drawEdges(at []place) (edges []drawnEdge) {
	strongest := 0.0
	for _, p := range a.pulls {
		strongest = math.Max(strongest, math.Abs(p))
	}
	for _, own := range []bool{false, true} {
		for _, e := range a.edges {
			if (e[0] == 0) != own {
				continue
			}
			d := drawnEdge{From: at[e[0]], To: at[e[1]], Class: "rule", Width: 1}
			if own && strongest > 0 {
				p := a.pulls[a.nodes[e[1]]]
				d.Class, d.Width = "for", 1+3*math.Abs(p)/strongest
				if p < 0 {
					d.Class = "against"
				}
			}
			edges = append(edges, d)
		}
	}
	return edges
}

// drawNodes draws the centre last, and neighbours above theirs.
func (r *Run) drawNodes(a *around, at []place) (nodes []drawnNode) {
	for i := len(a.nodes) - 1; i >= 0; i-- {
		v := a.nodes[i]
		guess, label := r.class(v), r.Trained.Data.Labels.Class[v]
		n := drawnNode{place: at[i], Radius: 5, Ink: show.Series(int(guess)), Centre: i == 0,
			Wrong: label >= 0 && label != guess, About: fmt.Sprintf("%s: predicted %s (%s), labelled %s", r.name(v),
				r.className(guess), show.Percent(float64(r.row(v)[guess])), r.className(label))}
		switch {
		case i == 0:
			n.Radius = 11
		case i <= a.direct:
			n.Radius = 7
		}
		nodes = append(nodes, n)
	}
	return nodes
}

// drawNames names the centre and the neighbours that matter most, each above its node and inside the drawing. A name
// that would lie on another one is left out.
func (r *Run) drawNames(a *around, at []place) (names []drawnName) {
	width := func(text string) float64 { return 0.62 * labelSize * float64(len([]rune(text))) }
	for i := range min(len(a.nodes), 1+min(a.direct, mostLabels)) {
		text := show.Shorten(r.name(a.nodes[i]), 14)
		w, y := width(text), at[i].Y-11
		if i == 0 {
			y -= 4
		}
		me := place{math.Max(w/2+2, math.Min(drawingWidth-w/2-2, at[i].X)), math.Max(labelSize+1, y)}
		free := true
		for _, other := range names {
			free = free && (math.Abs(me.X-other.X) > (w+width(other.Text))/2 || math.Abs(me.Y-other.Y) > labelSize)
		}
		if free {
			names = append(names, drawnName{me, text})
		}
	}
	return names
}

// drawingLegend names the classes that are predicted, and what edges mean.
func (r *Run) drawingLegend(a *around) []show.Key {
	var keys []show.Key
	seen := map[int32]bool{}
	for _, v := range a.nodes {
		seen[r.class(v)] = true
	}
	for c, name := range r.Trained.Data.Labels.Names {
		if seen[int32(c)] {
			keys = append(keys, show.Key{Ink: show.Series(c), Name: name, Mark: "dot"})
		}
	}
	keys = append(keys, show.Key{Ink: "wrong", Name: "label differs", Mark: "ring"})
	if a.pulls != nil {
		keys = append(keys, show.Key{Ink: "for", Name: "supports the prediction", Mark: "line"},
			show.Key{Ink: "against", Name: "counts against it", Mark: "line"})
	}
	return keys
}

// place is the position of a node in a drawing.
type place struct{ X, Y float64 }

// layout places the centre in the middle, its neighbours on a circle around it and theirs on a larger one, where those
// of a neighbour stand together. Places lie in the square [−1, 1]².
func (a *around) layout() []place {
	at := make([]place, len(a.nodes))
	for i := range at[1:] {
		k, n, radius := i, a.direct, 0.5
		if i >= a.direct {
			k, n, radius = i-a.direct, len(at)-1-a.direct, 1.0
		}
		sin, cos := math.Sincos(2 * math.Pi * (float64(k) + 0.5) / float64(n))
		at[i+1] = place{radius * cos, radius * sin}
	}
	return at
}
