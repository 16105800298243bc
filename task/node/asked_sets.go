package node

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/task"
)

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
