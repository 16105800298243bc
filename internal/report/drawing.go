package report

import (
	"fmt"
	"html"
	"math"
	"strings"

	"github.com/bloomgml/bloom/internal/chart"
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
func (r *Run) drawing(a *around) *chart.Chart {
	at := layout(len(a.nodes), a.edges)
	for i, p := range at {
		at[i] = place{
			drawingMargin + (p.X+1)/2*(drawingWidth-2*drawingMargin),
			drawingMargin + (p.Y+1)/2*(drawingHeight-2*drawingMargin),
		}
	}
	title := "The graph around " + r.name(a.nodes[0])
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="graph" viewBox="0 0 %d %d" role="img" aria-label="%s">`+"\n", drawingWidth,
		drawingHeight, html.EscapeString(title))
	r.drawEdges(&b, a, at)
	r.drawNodes(&b, a, at)
	r.drawNames(&b, a, at)
	b.WriteString("</svg>")
	return &chart.Chart{Title: title, SVG: b.String(), Legend: r.drawingLegend(a), About: a.caption()}
}

// drawEdges draws the edges of the centre last, green where they support its prediction and red where they speak
// against it.
func (r *Run) drawEdges(b *strings.Builder, a *around, at []place) {
	strongest := 0.0
	for _, p := range a.pulls {
		strongest = math.Max(strongest, math.Abs(p))
	}
	for _, own := range []bool{false, true} {
		for _, e := range a.edges {
			if (e[0] == 0) != own {
				continue
			}
			class, width := "rule", 1.0
			if own && strongest > 0 {
				p := a.pulls[a.nodes[e[1]]]
				class, width = "for", 1+3*math.Abs(p)/strongest
				if p < 0 {
					class = "against"
				}
			}
			fmt.Fprintf(b, `<line class="l %s" stroke-width="%s" x1="%s" y1="%s" x2="%s" y2="%s"/>`+"\n",
				class, coordinate(width), coordinate(at[e[0]].X), coordinate(at[e[0]].Y), coordinate(at[e[1]].X),
				coordinate(at[e[1]].Y))
		}
	}
}

// drawNodes draws nodes in the colour of the predicted class, with a ring where the label is another one.
func (r *Run) drawNodes(b *strings.Builder, a *around, at []place) {
	for i := len(a.nodes) - 1; i >= 0; i-- {
		v := a.nodes[i]
		guess, label := r.class(v), r.Trained.Data.Labels.Class[v]
		radius, class := 5.0, "node"
		switch {
		case i == 0:
			radius, class = 11, "node centre"
		case i <= a.direct:
			radius = 7
		}
		if label >= 0 && label != guess {
			class += " wrong"
		}
		fmt.Fprintf(b,
			`<circle class="%s a %s" cx="%s" cy="%s" r="%s"><title>%s: predicted %s (%s), labelled %s</title></circle>`+"\n",
			class, chart.Series(int(guess)), coordinate(at[i].X), coordinate(at[i].Y), coordinate(radius),
			html.EscapeString(r.name(v)),
			html.EscapeString(r.className(guess)), percent(float64(r.row(v)[guess])),
			html.EscapeString(r.className(label)))
	}
}

// drawNames names the centre and the neighbours that matter most, each above its node and inside the drawing. A name
// that would lie on one that is there already is left out.
func (r *Run) drawNames(b *strings.Builder, a *around, at []place) {
	type box struct{ x, y, w float64 }
	var taken []box
	for i := range min(len(a.nodes), 1+min(a.direct, mostLabels)) {
		text := clipped(r.name(a.nodes[i]), 14)
		w := 0.62 * labelSize * float64(len([]rune(text)))
		y := at[i].Y - 11
		if i == 0 {
			y -= 4
		}
		me := box{math.Max(w/2+2, math.Min(drawingWidth-w/2-2, at[i].X)), math.Max(labelSize+1, y), w}
		free := true
		for _, other := range taken {
			free = free && (math.Abs(me.x-other.x) > (me.w+other.w)/2 || math.Abs(me.y-other.y) > labelSize)
		}
		if !free {
			continue
		}
		taken = append(taken, me)
		fmt.Fprintf(b, `<text class="name" text-anchor="middle" font-size="%d" x="%s" y="%s">%s</text>`+"\n",
			labelSize, coordinate(me.x), coordinate(me.y), html.EscapeString(text))
	}
}

// drawingLegend names the classes that are predicted, and what edges mean.
func (r *Run) drawingLegend(a *around) []chart.Key {
	var keys []chart.Key
	seen := map[int32]bool{}
	for _, v := range a.nodes {
		seen[r.class(v)] = true
	}
	for c, name := range r.Trained.Data.Labels.Names {
		if seen[int32(c)] {
			keys = append(keys, chart.Key{Ink: chart.Series(c), Name: name, Mark: "dot"})
		}
	}
	keys = append(keys, chart.Key{Ink: "wrong", Name: "label differs", Mark: "ring"})
	if a.pulls != nil {
		keys = append(keys, chart.Key{Ink: "for", Name: "supports the prediction", Mark: "line"},
			chart.Key{Ink: "against", Name: "speaks against it", Mark: "line"})
	}
	return keys
}

// caption says what is drawn and what is not.
func (a *around) caption() string {
	s := fmt.Sprintf("The node, %d of its neighbours, and %d of theirs, coloured by predicted class.", a.direct,
		len(a.nodes)-1-a.direct)
	if a.left > 0 {
		s += fmt.Sprintf(" %s more neighbours matter less and are left out.", thousands(a.left))
	}
	return s
}
