package job

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/ondisk"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/task/node"
	"github.com/bloomgml/bloom/train"
)

// row is a node after the last step.
type row struct {
	id       string
	class    string // that is given; empty for none
	split    string // train, valid, test or empty
	h        []mat.Real
	residual float64 // ‖h − π‖
}

// partNames are the names of the parts of a split.
var partNames = map[ondisk.Part]string{ondisk.Train: "train", ondisk.Valid: "valid", ondisk.Test: "test"}

// rows yields the rows of part i, in order and some at a time.
func (w *Worker) rows(i int, yield func([]row) error) error {
	last, err := w.State(i, w.Steps)
	if err != nil {
		return err
	}
	pi, err := w.readRows(w.piPath(i), i)
	if err != nil {
		return err
	}
	s := w.store
	return eachBlock(w.Graph, s, i, func(b, first, end int) error {
		ids, err := s.IDs(b)
		if err != nil {
			return err
		}
		labels, err := s.Labels(b)
		if err != nil {
			return err
		}
		rows := make([]row, 0, end-first)
		for r := first; r < end; r++ {
			out, sum := row{id: ids[r], h: last[:w.Width]}, 0.0
			for k, x := range out.h {
				d := float64(x - pi[k])
				sum += d * d
			}
			out.residual = math.Sqrt(sum)
			last, pi = last[w.Width:], pi[w.Width:]
			if c := labels.Class[r]; c >= 0 {
				out.class = s.Classes[c]
			}
			if split := w.model.Trial.Split; split < s.Splits {
				out.split = partNames[labels.Parts[split][r]]
			}
			rows = append(rows, out)
		}
		return yield(rows)
	})
}

// Embed writes the states of part i: id, h0, h1, ….
func (w *Worker) Embed(i int) error {
	header := []string{"id"}
	for j := range w.Width {
		header = append(header, fmt.Sprintf("h%d", j))
	}
	return w.table("embeddings", i, header, func(rows []row, put func([]string) error) error {
		for _, r := range rows {
			line := []string{r.id}
			for _, v := range r.h {
				line = append(line, number(float64(v)))
			}
			if err := put(line); err != nil {
				return err
			}
		}
		return nil
	})
}

// Predict writes the predictions for the rows of part i: id, class, probability, label, split, residual, p:CLASS, ….
func (w *Worker) Predict(i int) error {
	classes := w.store.Classes
	header := []string{"id", "class", "probability", "label", "split", "residual"}
	for _, c := range classes {
		header = append(header, "p:"+c)
	}
	w.tell.Lock()
	defer w.tell.Unlock()
	const batch = 1 << 12
	teller := w.model.Teller(batch, w.Width)
	return w.table("predictions", i, header, func(rows []row, put func([]string) error) error {
		for some := range slices.Chunk(rows, batch) {
			unknown := slices.Repeat([]int32{-1}, len(some)) // the sample of the model does not have them
			said, err := teller.Predict(unknown, func(k int) []mat.Real { return some[k].h })
			if err != nil {
				return err
			}
			for k, p := range said {
				r := some[k]
				line := []string{r.id, p.Class, number(p.Probability), r.class, r.split, number(r.residual)}
				for _, c := range classes {
					line = append(line, number(p.Probabilities[c]))
				}
				if err := put(line); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// number returns the shortest text of a number of single precision.
func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 32) }

// table writes a file of part i, NAME-PART.csv.
func (w *Worker) table(name string, i int, header []string, each func([]row, func([]string) error) error) error {
	path := filepath.Join(w.Dir, fmt.Sprintf("%s-%05d.csv", name, i))
	return files.Replace(path, files.WriteOptions{}, func(to io.Writer) error {
		c := csv.NewWriter(to)
		if err := c.Write(header); err != nil {
			return err
		}
		if err := w.rows(i, func(rows []row) error { return each(rows, c.Write) }); err != nil {
			return err
		}
		c.Flush()
		return c.Error()
	})
}

// Suspect is a row whose own features disagree with its neighbourhood; bloom audit has the same keys.
type Suspect struct {
	ID       string  `json:"id"`
	Residual float64 `json:"residual"` // ‖h − π‖, as the paper ranks them
	Rank     int     `json:"rank"`     // from 1
}

// ranked returns the first of a list, by residual, ties by id.
func ranked(list []Suspect, most int) []Suspect {
	slices.SortFunc(list, func(a, b Suspect) int {
		return cmp.Or(cmp.Compare(b.Residual, a.Residual), cmp.Compare(a.ID, b.ID))
	})
	list = list[:min(most, len(list))]
	for i := range list {
		list[i].Rank = i + 1
	}
	return list
}

// Audit writes the most suspicious rows of part i.
func (w *Worker) Audit(i, most int) error {
	var list []Suspect
	err := w.rows(i, func(rows []row) error {
		for _, r := range rows {
			list = append(list, Suspect{ID: r.id, Residual: r.residual})
		}
		list = ranked(list, most)
		return nil
	})
	if err != nil {
		return err
	}
	text, err := json.Marshal(list)
	if err != nil {
		return err
	}
	return write(w.auditPath(i), text)
}

func (f *Folder) auditPath(i int) string {
	return filepath.Join(f.Dir, fmt.Sprintf("audit-%05d.json", i))
}

// Audited returns the most suspicious rows of all parts, which were audited with the same limit.
func (f *Folder) Audited(most int) ([]Suspect, error) {
	list := []Suspect{}
	for i := range f.Graph.Len() {
		var part []Suspect
		if err := read(f.auditPath(i), &part); err != nil {
			return nil, err
		}
		list = ranked(append(list, part...), most)
	}
	return list, nil
}

// Settled returns the set of the labelled rows of a linear descent that ran on features: with P x and P 1 for features
// training needs no graph, and has the loss and the derivatives that it has on all of it, see ondisk.Settle.
func Settled(dir string) (*dataset.Dataset, error) {
	w, err := Work(dir)
	if err != nil {
		return nil, err
	}
	c := w.model.Config
	c.Model.Before = min(c.Model.Before, 1)
	l, err := node.NewDisk(c, w.store.Columns, w.store.Classes)
	if err != nil {
		return nil, err
	}
	if !w.Ones {
		return nil, &train.BadSetting{Key: "recipe", Value: c.Recipe,
			Want: "one whose descent is linear, such as base: other descents depend on weights"}
	}
	o := ondisk.SettleOptions{Energy: l.Energy, Split: c.Data.Split, Seed: c.Train.Seed}
	part, rows := -1, []mat.Real(nil)
	return ondisk.GatherSettled(w.store, o, func(v int32) ([]mat.Real, error) {
		for part < 0 || int(v) >= w.Graph.Starts[part+1] {
			part++
			rows = nil
		}
		if rows == nil {
			var err error
			if rows, err = w.State(part, w.Steps); err != nil {
				return nil, err
			}
		}
		r := int(v) - w.Graph.Starts[part]
		return rows[r*w.Width : (r+1)*w.Width], nil
	})
}
