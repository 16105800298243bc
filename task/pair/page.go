package pair

import (
	"bytes"
	"cmp"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/show"
	"github.com/bloomgml/bloom/task"
	"github.com/bloomgml/bloom/train"
)

var _ task.Paged = Kind{}

// mostHard is how many edges that were least expected a page has, and bins how many its histogram has.
const (
	mostHard = 12
	bins     = 20
)

// Page shows the held-out pairs: by probability, and the least expected ones.
func (Kind) Page(dir string, r *train.Result) (*task.Page, error) {
	name := filepath.Join(dir, "predictions.csv")
	text, err := files.Read(name)
	if err != nil {
		return nil, err
	}
	held, err := readPairs(name, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	return &task.Page{Of: "edges",
		Data:     []task.Value{{Name: "held-out pairs", Value: show.Thousands(len(held))}},
		Commands: []string{show.ShellCommand("bloom", "audit", dir)},
		Lead: fmt.Sprintf("Which nodes are joined: a model of %s, by the embeddings of %s. Edges that choose and test "+
			"were held out of the graph.", r.Data, r.Recipe),
		Sections: []task.Section{{Title: "What it does not know",
			About: "Held-out edges that it finds least likely: what " +
				"it has not learnt, or edges to look at.",
			Tables: []task.Table{hardest(held)}, Histograms: []task.Histogram{byProbability(held)}}}}, nil
}

// hardest returns the held-out edges that were least expected.
func hardest(held []heldPair) task.Table {
	held = slices.DeleteFunc(slices.Clone(held), func(x heldPair) bool { return !x.Joined })
	slices.SortStableFunc(held, func(a, b heldPair) int { return cmp.Compare(a.Probability, b.Probability) })
	t := task.Table{Title: "Least expected", Head: []string{"source", "target", "part", "probability"}, Words: 3}
	for _, x := range held[:min(mostHard, len(held))] {
		t.Rows = append(t.Rows, []string{x.Source, x.Target, x.Split, show.Fraction(x.Probability)})
	}
	return t
}

// byProbability counts held-out pairs.
func byProbability(held []heldPair) task.Histogram {
	yes, no := task.Group{Name: "joined"}, task.Group{Name: "not joined"}
	for _, x := range held {
		if x.Joined {
			yes.Values = append(yes.Values, x.Probability)
		} else {
			no.Values = append(no.Values, x.Probability)
		}
	}
	return task.Histogram{Title: "Held-out pairs by probability", Below: "probability of being joined", High: 1,
		Bins:   bins,
		Groups: []task.Group{yes, no},
		About:  "The same number of negatives (pairs that are not joined) was drawn."}
}
