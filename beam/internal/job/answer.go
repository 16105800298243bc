package job

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strconv"

	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/ondisk"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/task/node"
)

// Row is a node after the last step.
type Row struct {
	ID       string
	Type     string // of the node; empty if there is one
	Class    string // that is given; empty for none
	Split    string // train, valid, test or empty
	H        []mat.Real
	Residual float64 // ‖h − π‖, over all levels of a stack
}

// partNames are the names of the parts of a split.
var partNames = map[ondisk.Part]string{ondisk.Train: "train", ondisk.Valid: "valid", ondisk.Test: "test"}

// Rows yields the rows of part i, in order and some at a time.
func (w *Worker) Rows(i int, yield func([]Row) error) error {
	last, err := w.State(i, w.Steps)
	if err != nil {
		return err
	}
	s, at := w.store, 0
	return eachBlock(w.Graph, s, i, func(b, first, end int) error {
		ids, err := s.IDs(b)
		if err != nil {
			return err
		}
		labels, err := s.Labels(b)
		if err != nil {
			return err
		}
		types, err := s.Types(b)
		if err != nil {
			return err
		}
		rows := make([]Row, 0, end-first)
		for r := first; r < end; r++ {
			out := Row{ID: ids[r], H: last.Told[at*w.Width : (at+1)*w.Width]}
			out.Residual = math.Sqrt(float64(last.Kept[at]))
			if types != nil {
				out.Type = s.Typed.Types[types[r]].Name
			}
			if c := labels.Class[r]; c >= 0 {
				out.Class = s.Classes[c]
			}
			if split := w.model.Trial.Split; split < s.Splits {
				out.Split = partNames[labels.Parts[split][r]]
			}
			rows = append(rows, out)
			at++
		}
		return yield(rows)
	})
}

// named returns the beginning of a line about a node: the id, and the type if there are several.
func (w *Worker) named(id, kind string) []string {
	if t := w.store.Typed; t != nil && len(t.Types) > 1 {
		return []string{id, kind}
	}
	return []string{id}
}

// Embed writes the states of part i: id, h0, h1, …; after the id the type of the node, if there are several.
func (w *Worker) Embed(i int) error {
	header := w.named("id", "type")
	for j := range w.Width {
		header = append(header, fmt.Sprintf("h%d", j))
	}
	return w.table("embeddings", i, header, func(rows []Row, put func(...string) error) error {
		for _, r := range rows {
			line := w.named(r.ID, r.Type)
			for _, v := range r.H {
				line = append(line, number(float64(v)))
			}
			if err := put(line...); err != nil {
				return err
			}
		}
		return nil
	})
}

// Predict writes the predictions for the rows of part i: id, class, probability, label, split, residual, p:CLASS, …;
// after the id the type of the node, if there are several.
func (w *Worker) Predict(i int) error {
	classes := w.store.Classes
	header := append(w.named("id", "type"), "class", "probability", "label", "split", "residual")
	for _, c := range classes {
		header = append(header, "p:"+c)
	}
	w.model.Lock()
	defer w.model.Unlock()
	const batch = 1 << 12
	teller := w.model.Teller(batch, w.Width)
	return w.table("predictions", i, header, func(rows []Row, put func(...string) error) error {
		for ; len(rows) > 0; rows = rows[min(batch, len(rows)):] {
			some := rows[:min(batch, len(rows))]
			said, err := teller.Predict(unknown(len(some)), func(k int) []mat.Real { return some[k].H })
			if err != nil {
				return err
			}
			for k, p := range said {
				line := append(w.named(some[k].ID, some[k].Type), predicted(some[k], p, classes)...)
				if err := put(line...); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// unknown returns n nodes that the sample of the model does not have.
func unknown(n int) []int32 {
	v := make([]int32, n)
	for i := range v {
		v[i] = -1
	}
	return v
}

// predicted returns a line of predictions after the name of the node.
func predicted(r Row, p node.Prediction, classes []string) []string {
	line := []string{p.Class, number(p.Probability), r.Class, r.Split, number(r.Residual)}
	for _, c := range classes {
		line = append(line, number(p.Probabilities[c]))
	}
	return line
}

// number returns the shortest text of a number of single precision.
func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 32) }

// table writes a file of part i, NAME-PART.csv.
func (w *Worker) table(name string, i int, header []string, each func([]Row, func(...string) error) error) error {
	path := filepath.Join(w.Dir, fmt.Sprintf("%s-%05d.csv", name, i))
	return files.Replace(path, files.WriteOptions{}, func(to io.Writer) error {
		c := csv.NewWriter(to)
		put := func(cells ...string) error { return c.Write(cells) }
		if err := put(header...); err != nil {
			return err
		}
		if err := w.Rows(i, func(rows []Row) error { return each(rows, put) }); err != nil {
			return err
		}
		c.Flush()
		return c.Error()
	})
}
