package node

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
	"github.com/bloomgml/bloom/train"
)

// job is a Task while it is trained. An epoch is one pass over the whole graph, or one over each of its parts.
type job struct{ *Task }

var (
	_ train.Job       = job{}
	_ train.Measuring = job{}
	_ train.Advising  = job{}
)

// jobOf returns the job of a task that was built.
func jobOf(t *Task, err error) (train.Job, error) {
	if err != nil {
		return nil, err
	}
	return job{t}, nil
}

// Params returns the parameters of the network that are trained.
func (t job) Params() []*ad.Param {
	if t.done {
		return nil
	}
	return t.network.Params()
}

// State returns the state that the network keeps besides its parameters, and the state of its placement.
func (t job) State() []*ad.Param { return append(t.network.State(), t.rows.State()...) }
func (t job) Boosts() bool       { return t.forest != nil }
func (t job) Batches() int       { return t.rows.Batches() }

// Certify checks whether the fixed step sizes of the descents are still certified. Settled rows have no descent left.
func (t job) Certify() (watched bool, err error) {
	if _, ok := t.network.(*settled); ok || t.Stack == nil {
		return false, nil
	}
	if t.certified == nil {
		if t.certified, err = t.Stack.Certify(t.On); err != nil {
			return false, err
		}
	}
	return t.certified()
}

// Batch runs the pass of step i of an epoch.
func (t job) Batch(epoch, i int) error {
	t.epoch = epoch
	return t.rows.Batch(epoch, i)
}

func (t job) Loss() *mat.Dense    { return t.rows.Loss() }
func (t job) Grads() []*mat.Dense { return t.rows.Grads() }

// Measure takes the metric of the three parts of the split. The error is a *train.NotFinite.
func (t job) Measure(context.Context) (_ train.Scores, err error) {
	if t.last, err = t.rows.judge(); err != nil {
		return train.Scores{}, err
	}
	j := t.last
	j.decide(j.z, j.Valid, t.metric)
	over := func(nodes []int32) float64 { return j.measure(t.metric, j.z, nodes) }
	s := train.Scores{Train: over(j.Train), Valid: over(j.Valid), Test: over(j.Test)}
	s.Start, s.End = t.rows.energies()
	return s, nil
}

// Finish calibrates on the validation nodes, and then measures the test metric. It frees the memory of epochs and
// evaluations: predictions have their own programs.
func (t job) Finish(_ context.Context, best train.Record) (valid, test float64, err error) {
	if t.forest != nil { // its trees are the best epoch's by now
		t.forest.refresh()
	}
	if t.last, err = t.rows.judge(); err != nil {
		return 0, 0, err
	}
	t.rows.release()
	if len(t.others) > 0 {
		if t.last.z, err = t.average(t.last.z); err != nil {
			return 0, 0, err
		}
	}
	j := t.last
	z, s := t.vouching()
	j.calibrate(z, s, t.metric)
	t.goal.recall(j.calibration())
	if valid = best.Valid; t.raced.hasFolds() {
		valid = j.measure(t.metric, z, s.Valid)
	}
	return valid, j.measure(t.metric, j.z, j.Test), nil
}

// vouching returns logits of nodes that the model was not trained on, and their split, for calibration: the logits of
// validation nodes after an evaluation, or out-of-fold answers.
func (t *Task) vouching() ([]mat.Real, dataset.Split) {
	if t.raced.hasFolds() {
		nodes := t.raced.answers.nodes
		return t.raced.answers.logits(t.goal, t.Data.Graph.NumNodes()), dataset.Split{Valid: nodes, Test: nodes}
	}
	return t.last.z, t.last.Split
}

// Write writes the weights by name.
func (t job) Write(w io.Writer, epoch int) error {
	about := map[string]string{
		"format": "bloom model", "version": "1", "recipe": t.Config.Recipe, "seed": fmt.Sprint(t.Trial.Seed),
		"split": fmt.Sprint(t.Trial.Split), "epoch": fmt.Sprint(epoch),
	}
	if t.made != nil {
		about["model"] = "own"
	}
	kept := weights(t.network)
	if c, solved := t.network.(*closedForm); solved && c.logits != nil {
		kept, about["data"] = []*ad.Param{c.logits}, t.raw.Fingerprint().Sum()
	}
	return train.WriteWeights(w, about, kept)
}

// WritePredictions writes a row for every node; of a run that was loaded with its graph on the disk, for every node of
// that.
func (t job) WritePredictions(w io.Writer) error {
	if t.all != nil {
		out, begun := csv.NewWriter(w), false
		err := t.all.streaming(func(i int, z []mat.Real) error {
			p, err := t.inBlock(i, z)
			if err == nil && !begun {
				begun, err = true, out.Write(p.header())
			}
			if err != nil {
				return err
			}
			return p.writeRows(out)
		})
		out.Flush()
		return errors.Join(err, out.Error())
	}
	p, err := t.Predict()
	if err != nil {
		return err
	}
	return p.WriteCSV(w)
}

// Measures returns all metrics of the goal for the last evaluation, and their values for the best constant answer.
func (t job) Measures() []train.Measure {
	j := t.last
	row := j.constant()
	z := slices.Repeat(row, len(j.z)/len(row))
	vouch, s := t.vouching()
	same := j.Test // for which one answer is measured
	if len(same) == 0 && t.raced.hasFolds() {
		same = s.Valid
	}
	var list []train.Measure
	for _, name := range metric.Names(j.task()) {
		list = append(list, train.Measure{Metric: name, Valid: j.measure(name, vouch, s.Valid),
			Test: j.measure(name, j.z, j.Test), Majority: j.plain(name, z, same)})
	}
	return list
}

// Describe names the data, and adds warnings about it and about the result.
func (t job) Describe(r *train.Result) {
	r.Data, r.Warnings, r.Notes = t.Data.Name, slices.Clone(t.Warnings), t.Data.Notes
	r.Calibration = t.goal.calibration()
	r.Closed = t.closed
	t.raced.describe(r)
	if z, s := t.vouching(); len(t.last.Test) > 0 {
		r.Rare = t.foundRare(t.last.z, t.last.Test)
	} else {
		r.Rare = t.foundRare(z, s.Valid)
	}
	if len(t.Split.Test) > 0 && len(r.Test.Runs) == 0 && t.Data.Labels.Task == "" {
		r.Warnings = append(r.Warnings,
			fmt.Sprintf("there is no %s of the test nodes: they have one class only", r.Metric))
	}
	for _, m := range r.Metrics {
		if m.Metric == r.Metric && m.Majority != nil && len(m.Test.Runs) > 0 && !beats(m) {
			r.Warnings = append(r.Warnings, fmt.Sprintf("test %s %.4f is no better than always %s, which has %.4f",
				m.Metric, m.Test.Mean, t.goal.always(), float64(*m.Majority)))
		}
	}
}

// beats reports whether a model is better than one answer for all nodes.
func beats(m train.Measured) bool {
	if x, _ := metric.ByName(m.Metric); x.Lower {
		return m.Test.Mean < float64(*m.Majority)
	}
	return m.Test.Mean > float64(*m.Majority)
}
