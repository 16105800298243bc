package fact

import (
	"fmt"
	"slices"

	"github.com/bloomgml/bloom/internal/show"
	"github.com/bloomgml/bloom/task"
	"github.com/bloomgml/bloom/train"
)

// shownCertainty returns how probabilities and sets of answers do for test facts.
func shownCertainty(c *train.Certainty) task.Section {
	s := task.Section{Title: "How sure"}
	if f := c.Facts; f != nil {
		against := "false facts drawn at random"
		if f.Given {
			against = "facts that the data says are false"
		}
		s.About = fmt.Sprintf("Of %s test facts and %s, %s are classified correctly (F1 %s); the mean calibration "+
			"error is %s.", show.Thousands(f.Tested), against, show.Percent(float64(f.Accuracy)),
			show.Fraction(float64(f.F1)), show.Percent(float64(f.ECE)))
	}
	a := c.Answers
	if a == nil {
		return s
	}
	s.About += fmt.Sprintf(" Sets with coverage %s contain the answer to %s of the test questions, with a median of "+
		"%s entities; the probability of the first answer has a mean calibration error of "+
		"%s.", show.Percent(a.Coverage),
		show.Percent(a.Test), show.Compact(a.Median), show.Percent(float64(a.After)))
	t := task.Table{Title: "Sets of answers by relation", Words: 2,
		Head:  []string{"relation", "asked for", "calibrated on", "test questions", "held", "mean size"},
		About: "The most frequent first; bloom predict RUN --coverage 0.9 makes them."}
	list := slices.Clone(a.Relations)
	slices.SortStableFunc(list, func(x, y train.RelationAnswers) int { return y.Tested - x.Tested })
	for _, x := range list[:min(mostRelations, len(list))] {
		t.Rows = append(t.Rows, []string{x.Name, x.For, show.Thousands(x.Questions), show.Thousands(x.Tested),
			show.Percent(x.Test), show.Compact(x.Size)})
	}
	s.Tables = []task.Table{t}
	return s
}
