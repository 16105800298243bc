package main

import (
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/show"
	"github.com/bloomgml/bloom/task"
	"github.com/bloomgml/bloom/train"
)

// trainText is the output of bloom train for people.
type trainText struct {
	w     io.Writer
	kind  task.Kind
	paint show.Paint
	line  *show.Progress
	drops map[int][]float64 // the energy after the descent, of every evaluation of a run
	last  time.Time         // time of the last line if there is no terminal
}

func newTrainText(w io.Writer, k task.Kind) *trainText {
	return &trainText{w: w, kind: k, paint: show.Painter(w), line: show.NewProgress(w, "training"),
		drops: map[int][]float64{}, last: time.Now().Add(soon - pause)}
}

// printHeader prints what is about to be trained.
func (t *trainText) printHeader(c *config.Config, d *dataset.Dataset) {
	fmt.Fprintf(t.w, "%s on %s\n", t.paint.Strong(c.Recipe), t.paint.Strong(show.Safe(d.Name)))
	for _, line := range t.kind.Size(c, d) {
		t.writeLines("  ", line)
	}
}

// writeLines writes a text, every line of it indented, and on a terminal no line wider than the terminal.
func (t *trainText) writeLines(indent, text string) {
	width := 0
	if show.IsTerminal(t.w) {
		width = show.ScreenWidth(t.w) - len(indent)
	}
	for _, line := range show.Wrap(show.Safe(text), width) {
		fmt.Fprintln(t.w, indent+line)
	}
}

// pause is the time between lines if there is no terminal.
const pause = 5 * time.Second

// soon is when the first of them comes.
const soon = time.Second

// progress shows an evaluation: on a terminal as one line that moves, elsewhere now and then.
func (t *trainText) progress(e train.Event) {
	if !math.IsNaN(e.End) {
		t.drops[e.Run] = append(t.drops[e.Run], e.End)
	}
	if e.Epochs == 0 { // nothing is trained
		return
	}
	note := t.kind.Note(e)
	if e.Runs > 1 {
		note = fmt.Sprintf("run %d of %d  ", e.Run+1, e.Runs) + note
	}
	if show.IsTerminal(t.w) {
		if drops := t.drops[e.Run]; len(drops) > 0 {
			note += " " + t.paint.Line(show.Sparkline(drops, 8))
		}
		t.line.Set(int64(e.Done), int64(e.Runs*e.Epochs), note)
		return
	}
	if now := time.Now(); now.Sub(t.last) >= pause {
		t.last = now
		fmt.Fprintf(t.w, "epoch %d of %d  %s\n", e.Epoch, e.Epochs, note)
	}
}

// end says what came out, what it means, and what to do next.
func (t *trainText) end(c *config.Config, r *train.Result) {
	for _, w := range r.Warnings {
		t.writeLines("", t.paint.Warn("warning:")+" "+w)
	}
	if text := t.kind.Meaning(r, t.paint.Good); text != "" {
		t.writeLines("", text)
	}
	fmt.Fprint(t.w, t.kind.Details(r))
	if text := config.Expected(c.Recipe, strings.ToLower(r.Data)); text != "" && c.Task == "auto" {
		t.writeLines("", "The recipe says: "+text+".")
	}
	if line := t.kind.Evidence(r); line != "" {
		t.writeLines("", line)
	}
	fmt.Fprintf(t.w, "%s %s\n%s  %s\n", t.paint.Dim("files"), show.Safe(r.Run), t.paint.Dim("next"), t.kind.Next(c, r))
}
