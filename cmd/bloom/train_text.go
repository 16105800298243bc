package main

import (
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/nodes"
	"github.com/bloomgml/bloom/run"
)

// trainText is what bloom train tells a person.
type trainText struct {
	w     io.Writer
	paint paint
	line  *progress
	drops []float64 // the energy after the descent, of every evaluation of this run
	run   int
	last  time.Time // of the last line where there is no terminal
}

func newTrainText(w io.Writer) *trainText {
	return &trainText{w: w, paint: painter(w), line: newProgress(w, "training"), last: time.Now().Add(soon - pause)}
}

// begin says what is about to be trained.
func (t *trainText) begin(c *config.Config, d *dataset.Dataset) {
	fmt.Fprintf(t.w, "%s on %s\n", t.paint.strong(c.Recipe), t.paint.strong(d.Name))
	t.say("  ", fmt.Sprintf("%s nodes, %s edges, %s features, %d classes", thousands(d.Graph.NumNodes()), thousands(d.Graph.NumEdges()),
		thousands(d.NumFeatures()), len(d.Labels.Names)))
	for _, note := range d.Notes {
		t.say("  ", note)
	}
}

// say writes a text, every line of it indented, and on a terminal none of them longer than that is wide.
func (t *trainText) say(indent, text string) {
	width := 0
	if t.line.show {
		width = t.line.width() - len(indent)
	}
	for _, line := range wrap(text, width) {
		fmt.Fprintln(t.w, indent+line)
	}
}

// pause is the time between lines where there is no terminal.
const pause = 5 * time.Second

// soon is when the first of them comes.
const soon = time.Second

// progress shows an evaluation: on a terminal as one line that moves, elsewhere now and then.
func (t *trainText) progress(e run.Event) {
	if e.Run != t.run {
		t.run, t.drops = e.Run, nil
	}
	if !math.IsNaN(e.End) {
		t.drops = append(t.drops, e.End)
	}
	note := fmt.Sprintf("loss %.3f  valid %.3f", e.Loss, e.Valid)
	if e.Start > 0 {
		note += "  energy " + change(e.Start, e.End)
	}
	t.show(e, note, " "+t.paint.line(sparkline(t.drops, 8)))
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
	done, total := int64(e.Run*e.Epochs+e.Epoch), int64(e.Runs*e.Epochs)
	if e.Runs > 1 {
		note = fmt.Sprintf("run %d of %d  ", e.Run+1, e.Runs) + note
	}
	if t.line.show {
		t.line.set(done, total, note+more)
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
		t.say("", t.paint.warn("warning:")+" "+w)
	}
	t.say("", t.meaning(c, r))
	if text := config.Expected(c.Recipe, strings.ToLower(r.Data)); text != "" {
		t.say("", "The recipe says: "+text+".")
	}
	if line := t.evidence(r); line != "" {
		t.say("", line)
	}
	fmt.Fprintf(t.w, "%s %s\n", t.paint.dim("files"), r.Run)
	if config.IsBaseline(c.Recipe) {
		fmt.Fprintf(t.w, "%s  bloom predict %s\n", t.paint.dim("next"), r.Run)
		return
	}
	fmt.Fprintf(t.w, "%s  bloom audit %s\n", t.paint.dim("next"), r.Run)
}

// meaning is the result in a sentence.
func (t *trainText) meaning(c *config.Config, r *run.Result) string {
	unit := "of the test nodes are classified correctly"
	number := fmt.Sprintf("%.1f %%", 100*r.Test.Mean)
	if r.Metric == "roc_auc" {
		unit = "is how often a test node of the second class is ranked above one of the first"
		number = fmt.Sprintf("%.3f", r.Test.Mean)
	}
	runs := ""
	if len(r.Test.Runs) > 1 {
		runs = fmt.Sprintf(" (mean of %d runs)", len(r.Test.Runs))
	}
	return fmt.Sprintf("%s %s%s; it took %s for %s weights.", t.paint.good(number), unit, runs,
		short(time.Duration(r.Seconds*float64(time.Second))), thousands(r.Weights))
}

// evidence says how far the descent went.
func (t *trainText) evidence(r *run.Result) string {
	task, ok := r.Job.(*nodes.Task)
	if !ok || task.Model == nil {
		return ""
	}
	e, err := task.Model.Evidence(task.On)
	if err != nil || len(e.Energy) < 2 {
		return ""
	}
	return evidenceText(e)
}

// headline is the result for standard output.
func headline(r *run.Result) string {
	if len(r.Test.Runs) == 1 {
		return fmt.Sprintf("test %s %.4f, validation %.4f", r.Metric, r.Test.Mean, r.Valid.Mean)
	}
	return fmt.Sprintf("test %s %.4f ± %.4f over %d runs, validation %.4f ± %.4f", r.Metric, r.Test.Mean, r.Test.SD, len(r.Test.Runs), r.Valid.Mean, r.Valid.SD)
}
