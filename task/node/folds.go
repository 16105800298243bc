package node

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/build"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/random"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/train"
)

// partition divides labelled nodes for a cross-validation: every fold is predicted by a model that has seen the labels
// of the other folds alone; a window in time, by one that has seen earlier labels alone.
type partition struct {
	of   []int8  // the fold of every node; −1 for one without a label and one that is held out
	held []int32 // nodes to test on, ascending
	k    int
	time []int64 // of every node, if folds are windows; else nil
	end  []int64 // of a window: the last time of what trains for it
}

// newPartition draws data.holdout of every class to test on, and deals the others to data.folds folds, or one fold
// per node if there are fewer nodes. It is a function of the labels and the seed. Where d is divided by time, folds are
// windows. The error is a *train.BadData.
func newPartition(d *dataset.Dataset, c config.Data, seed uint64) (*partition, error) {
	if f := windows(d, c.Folds); f != nil {
		return f, nil
	}
	f := &partition{of: slices.Repeat([]int8{-1}, len(d.Labels.Class))}
	rng := random.New(mat.Mix(seed, hash("folds")), random.Splits)
	var dealt []int32
	for _, nodes := range build.ByClass(d.Labels.Class) {
		random.Shuffle(rng, nodes)
		cut := int(math.Round(c.Holdout * float64(len(nodes))))
		f.held, dealt = append(f.held, nodes[:cut]...), append(dealt, nodes[cut:]...)
	}
	if len(dealt) < 2 {
		return nil, &train.BadData{Data: d.Name, Text: fmt.Sprintf("%d labelled nodes to learn from: at least 2 are "+
			"needed, and some of every class are better", len(dealt))}
	}
	slices.Sort(f.held)
	f.k = min(c.Folds, len(dealt))
	for i, v := range dealt { // class after class: numbers per class differ by at most one between folds
		f.of[v] = int8(i % f.k)
	}
	return f, nil
}

// mostInWindows is the share of the nodes that windows may have; the earlier ones only train.
const mostInWindows = 0.5

// windows cuts the nodes to train and to validate on into windows of time, if d is divided by time; else it is nil. A
// model that answers for a window has seen what is earlier by the gap that d leaves between its parts, as labels may
// become known late. The latest window is fold 0, and each has about as many nodes as d validates on. Those before them
// are in no fold: their number is k.
func windows(d *dataset.Dataset, k int) *partition {
	if d.Times == nil || undivided(d) || len(d.Splits) != 1 {
		return nil
	}
	s := d.Splits[0]
	rows := slices.DeleteFunc(slices.Concat(s.Train, s.Valid), func(v int32) bool { return d.Labels.Class[v] < 0 })
	slices.SortStableFunc(rows, func(a, b int32) int { return cmp.Compare(d.Times[a], d.Times[b]) })
	trained, valid := period(d, s.Train), period(d, s.Valid)
	if len(s.Train) == 0 || len(s.Valid) == 0 || len(s.Test) == 0 || valid.first <= trained.last ||
		period(d, s.Test).first <= valid.last {
		return nil
	}
	f := &partition{of: slices.Repeat([]int8{-1}, len(d.Labels.Class)), held: slices.Sorted(slices.Values(s.Test)),
		time: d.Times}
	size := max(1, min(len(s.Valid), int(mostInWindows*float64(len(rows)))/max(1, k)))
	gap, end := valid.first-trained.last, len(rows)
	for f.k < k {
		first := end - size
		for first > 0 && d.Times[rows[first-1]] == d.Times[rows[max(0, first)]] { // whole times
			first--
		}
		if first <= 0 || d.Times[rows[0]] > d.Times[rows[first]]-gap {
			break
		}
		for _, v := range rows[first:end] {
			f.of[v] = int8(f.k)
		}
		f.end, f.k, end = append(f.end, d.Times[rows[first]]-gap), f.k+1, first
	}
	if f.k < 2 {
		return nil
	}
	for _, v := range rows[:end] {
		f.of[v] = int8(f.k)
	}
	return f
}

// span is the first and the last time of some nodes.
type span struct{ first, last int64 }

func period(d *dataset.Dataset, nodes []int32) span {
	s := span{math.MaxInt64, math.MinInt64}
	for _, v := range nodes {
		s.first, s.last = min(s.first, d.Times[v]), max(s.last, d.Times[v])
	}
	return s
}

// split returns fold i as a split: the other folds train, or what is earlier than a window, it validates, and what is
// held out tests. Of i = −1 all folds train.
func (f *partition) split(i int) (s dataset.Split) {
	for v, fold := range f.of {
		switch {
		case fold < 0:
		case int(fold) == i:
			s.Valid = append(s.Valid, int32(v))
		case i >= 0 && f.time != nil && f.time[v] > f.end[i]:
		default:
			s.Train = append(s.Train, int32(v))
		}
	}
	s.Test = f.held
	return s
}

// outOfFold are the answers to labelled nodes by models that have not seen their labels. Thresholds, temperatures and
// conformal sets of a model that has learnt from all labels are made of these.
type outOfFold struct {
	nodes   []int32    // ascending
	fold    []int8     // of each
	answers []mat.Real // len(nodes)×k: logits, or the number itself
}

// logits returns the answers as a network of goal g would give them, for all n nodes; 0 for the others.
func (o *outOfFold) logits(g goal, n int) []mat.Real {
	k := len(o.answers) / max(1, len(o.nodes))
	z := make([]mat.Real, n*k)
	for i, v := range o.nodes {
		copy(z[int(v)*k:], o.answers[i*k:(i+1)*k])
		if numbers, ok := g.(*numbers); ok {
			z[v] = numbers.scaled(float64(o.answers[i]))
		}
	}
	return z
}

// outOfFold returns the out-of-fold answers as predictions; predictions of other nodes are meaningless.
func (t *Task) outOfFold() *Predictions {
	z := t.raced.answers.logits(t.goal, t.Data.Graph.NumNodes())
	p := &Predictions{task: t, logits: z, probability: z, parts: t.parts()}
	if x := t.goal.probability(ad.Const(mat.FromSlice(len(z)/t.Classes(), t.Classes(), z))); !x.IsZero() {
		prog := ad.Compile(x)
		if prog.Run() == nil { // softmax and sigmoid of finite numbers
			p.probability = prog.Value(x).Slice()
		}
	}
	return p
}

// LeftOut returns p with the answers for labelled nodes by models that had not seen their labels, and those nodes; p
// itself and nil without cross-validation.
func (p *Predictions) LeftOut() (*Predictions, []int32) {
	t := p.task
	if !t.raced.hasFolds() {
		return p, nil
	}
	p.host()
	q, from, k := *p, t.outOfFold(), t.Classes()
	q.logits, q.probability = slices.Clone(p.logits), slices.Clone(p.probability)
	for _, v := range t.raced.answers.nodes {
		copy(q.logits[int(v)*k:int(v+1)*k], from.logits[int(v)*k:])
		copy(q.probability[int(v)*k:int(v+1)*k], from.probability[int(v)*k:])
	}
	q.Logits = mat.FromSlice(len(q.logits)/k, k, q.logits)
	if p.Probability != nil {
		q.Probability = mat.FromSlice(len(q.logits)/k, k, q.probability)
	}
	return &q, t.raced.answers.nodes
}

// foldsName is the file of a run folder that has the out-of-fold answers.
const foldsName = "folds.csv"

// write writes a row for every node: node,id,fold,answer of every class.
func (o *outOfFold) write(w io.Writer, d *dataset.Dataset) error {
	out := csv.NewWriter(w)
	header := []string{"node", "id", "fold"}
	for _, name := range d.Labels.Names {
		header = append(header, "z:"+name)
	}
	if err := out.Write(header); err != nil {
		return err
	}
	k := len(d.Labels.Names)
	for i, v := range o.nodes {
		row := []string{strconv.Itoa(int(v)), d.IDs.At(v), strconv.Itoa(int(o.fold[i]))}
		for _, x := range o.answers[i*k : (i+1)*k] {
			row = append(row, real32(float64(x)))
		}
		if err := out.Write(row); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// readFolds reads the file that write wrote in the run folder dir; nil if there is no such file.
func readFolds(dir string, d *dataset.Dataset) (*outOfFold, error) {
	path := filepath.Join(dir, foldsName)
	text, err := files.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		return nil, files.Errorf(path, "%v", err)
	}
	k, o := len(d.Labels.Names), &outOfFold{}
	for i, row := range rows {
		if len(row) != 3+k {
			return nil, files.Errorf(path, "row %d has %d columns, want %d", i+1, len(row), 3+k)
		}
		if i == 0 {
			continue
		}
		v, err1 := strconv.ParseInt(row[0], 10, 32)
		fold, err2 := strconv.ParseInt(row[2], 10, 8)
		if err := errors.Join(err1, err2); err != nil {
			return nil, files.Errorf(path, "row %d: %v", i+1, err)
		}
		if v < 0 || int(v) >= len(d.Labels.Class) || d.Labels.Class[v] < 0 || d.IDs.At(int32(v)) != row[1] {
			return nil, files.Errorf(path, "row %d: node %d, called %q, is not a labelled node of %s", i+1, v, row[1],
				d.Name)
		}
		o.nodes, o.fold = append(o.nodes, int32(v)), append(o.fold, int8(fold))
		for _, cell := range row[3:] {
			x, err := strconv.ParseFloat(cell, 32)
			if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
				return nil, files.Errorf(path, "row %d: %q is not a finite number", i+1, cell)
			}
			o.answers = append(o.answers, mat.Real(x))
		}
	}
	if len(o.nodes) == 0 {
		return nil, files.Errorf(path, "there are no rows")
	}
	return o, nil
}
