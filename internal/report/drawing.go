package report

import (
	"fmt"
	"math"

	"github.com/bloomgml/bloom/internal/show"
)

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
