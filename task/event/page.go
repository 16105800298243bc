package event

import (
	"fmt"

	"github.com/bloomgml/bloom/internal/show"
	"github.com/bloomgml/bloom/task"
	"github.com/bloomgml/bloom/train"
)

var _ task.Paged = Kind{}

// Page compares the run with plain rules.
func (Kind) Page(dir string, r *train.Result) (*task.Page, error) {
	t := task.Table{Title: "Test MRR", Head: []string{"", fmt.Sprintf("batches of %d", r.Config.Events.Batch),
		"event by event"}, Words: 1}
	for _, x := range rows(r) {
		t.Rows = append(t.Rows, x[:])
	}
	return &task.Page{Of: "events",
		Lead: fmt.Sprintf("Which target a source meets next: a model of the events of %s by an energy of pairs that "+
			"decays in time. Events are divided by time; each is predicted from those before it.", r.Data),
		Commands: []string{show.ShellCommand("bloom", "predict", dir)},
		Sections: []task.Section{{Title: "Compared with plain rules",
			About: "The true target is ranked among all targets, ties averaged. In batches, nothing is learnt until " +
				"the batch is over. Recency ranks by the time of the last meeting; EdgeBank knows whether a pair has " +
				"met, ever or within a window.",
			Tables: []task.Table{t}}}}, nil
}
