package main

import (
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/family"
	"github.com/bloomgml/bloom/internal/terminal"
	"github.com/bloomgml/bloom/run"
)

// trainText is what bloom train tells a person.
type trainText struct {
	w     io.Writer
	kind  kind
	paint terminal.Paint
	line  *terminal.Progress
	drops map[int][]float64 // the energy after the descent, of every evaluation of a run
	last  time.Time         // of the last line where there is no terminal
}

func newTrainText(w io.Writer, k kind) *trainText {
	return &trainText{w: w, kind: k, paint: terminal.Painter(w), line: terminal.NewProgress(w, "training"),
		drops: map[int][]float64{}, last: time.Now().Add(soon - pause)}
}

// begin says what is about to be trained.
func (t *trainText) begin(c *config.Config, d *dataset.Dataset) {
	fmt.Fprintf(t.w, "%s on %s\n", t.paint.Strong(c.Recipe), t.paint.Strong(terminal.Show(d.Name)))
	for _, line := range t.kind.size(c, d) {
		t.say("  ", line)
	}
}

// say writes a text, every line of it indented, and on a terminal none of them longer than that is wide.
func (t *trainText) say(indent, text string) {
	width := 0
	if terminal.Is(t.w) {
		width = terminal.Width(t.w) - len(indent)
	}
	for _, line := range terminal.Wrap(terminal.Show(text), width) {
		fmt.Fprintln(t.w, indent+line)
	}
}

// pause is the time between lines where there is no terminal.
const pause = 5 * time.Second

// soon is when the first of them comes.
const soon = time.Second

// progress shows an evaluation: on a terminal as one line that moves, elsewhere now and then.
func (t *trainText) progress(e run.Event) {
	if !math.IsNaN(e.End) {
		t.drops[e.Run] = append(t.drops[e.Run], e.End)
	}
	more := ""
	if drops := t.drops[e.Run]; len(drops) > 0 {
		more = " " + t.paint.Line(terminal.Sparkline(drops, 8))
	}
	t.show(e, t.kind.note(e), more)
}

// change is how much of an energy a descent takes away, or how much it adds, which is no descent.
func change(start, end float64) string {
	if end > start {
		return fmt.Sprintf("+%.3g%%", 100*(end-start)/start)
	}
	return fmt.Sprintf("−%.0f%%", 100*(start-end)/start)
}

// show shows a note about an epoch, on a terminal with a little more behind it.
func (t *trainText) show(e run.Event, note, more string) {
	done, total := int64(e.Done), int64(e.Runs*e.Epochs)
	if e.Runs > 1 {
		note = fmt.Sprintf("run %d of %d  ", e.Run+1, e.Runs) + note
	}
	if terminal.Is(t.w) {
		t.line.Set(done, total, note+more)
		return
	}
	if now := time.Now(); now.Sub(t.last) >= pause {
		t.last = now
		fmt.Fprintf(t.w, "epoch %d of %d  %s\n", e.Epoch, e.Epochs, note)
	}
}

// end says what came out, what it means, and what to do next.
func (t *trainText) end(c *config.Config, r *run.Result) {
	for _, w := range r.Warnings {
		t.say("", t.paint.Warn("warning:")+" "+w)
	}
	if text := t.kind.meaning(t.paint, c, r); text != "" {
		t.say("", text)
	}
	fmt.Fprint(t.w, t.kind.details(r))
	if text := config.Expected(c.Recipe, strings.ToLower(r.Data)); text != "" && c.Family() != family.Joined {
		t.say("", "The recipe says: "+text+".")
	}
	if line := evidenceOfRun(r); line != "" {
		t.say("", line)
	}
	fmt.Fprintf(t.w, "%s %s\n%s  %s\n", t.paint.Dim("files"), terminal.Show(r.Run),
		t.paint.Dim("next"), t.kind.next(c, r))
}

// headline is the metric of test and validation nodes or facts, and which of them cannot be measured; measured is more
// about how it was done.
func headline(r *run.Result, of, measured string) string {
	runs := ""
	if n := len(r.Test.Runs); n > 1 {
		runs = fmt.Sprintf(" over %d runs", n)
	}
	switch tests, valids := len(r.Test.Runs), len(r.Valid.Runs); {
	case tests+valids == 0:
		return fmt.Sprintf("no validation and no test %s that can be measured", of)
	case tests == 0:
		return fmt.Sprintf("no test %s that can be measured, validation %s %s", of, r.Metric, scored(r.Valid))
	case valids == 0:
		return fmt.Sprintf("test %s %s%s, no validation %s that can be measured%s", r.Metric, scored(r.Test), runs, of,
			measured)
	}
	return fmt.Sprintf("test %s %s%s, validation %s%s", r.Metric, scored(r.Test), runs, scored(r.Valid), measured)
}

// scored is a score, with the deviation where there are several runs.
func scored(s run.Score) string {
	if len(s.Runs) > 1 {
		return fmt.Sprintf("%.4f ± %.4f", s.Mean, s.SD)
	}
	return fmt.Sprintf("%.4f", s.Mean)
}
