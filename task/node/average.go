package node

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
	"github.com/bloomgml/bloom/train"
)

// mostVoices is the maximum number of candidates whose answers are averaged.
const mostVoices = 3

// soloists are candidates that are never part of an average: nodes cannot be added to their models.
var soloists = []string{"mlp", "gcn", "lp-trained", "halo"}

// bestAverage returns the average of the best two or of the best three of entrants, which are sorted from the best and
// have been trained for all folds. It is nil unless that is clearly better than the best entrant; see alike. An average
// of three must be clearly better than one of two.
func (r *race) bestAverage(list []*entrant) (best *entrant) {
	if r.trials.folds == nil {
		return nil
	}
	single, list := list[0], slices.DeleteFunc(slices.Clone(list), func(e *entrant) bool {
		return slices.Contains(soloists, e.name)
	})
	least, score := single, single.mean(single.best(r.metric))
	for k := 2; k <= min(mostVoices, len(list)); k++ {
		e := &entrant{members: list[:k]}
		t, err := r.trials.build(e.voice().config, 0)
		if err != nil {
			return nil
		}
		r.average(e, t.goal)
		if now := e.mean(0); r.better(now, score) && !r.alike(least, e) {
			best, least, score = e, e, now
		}
	}
	return best
}

// average names an average and computes its answers, the means of its members' logits; g is the goal of its voice.
func (r *race) average(e *entrant, g goal) {
	var names []string
	for _, m := range e.members {
		names = append(names, m.name)
	}
	e.name = "average of " + strings.Join(names, ", ")
	n := r.trials.data.Graph.NumNodes()
	for fold, first := range e.members[0].curves {
		var list [][]mat.Real
		for _, m := range e.members {
			o := &outOfFold{nodes: first.valid, answers: m.curves[fold].answers[m.best(r.metric)]}
			list = append(list, o.logits(g, n))
		}
		z := meanLogits(list, slices.Repeat([]goal{g}, len(list)))
		g.decide(z, first.valid, r.name)
		c := &curve{valid: first.valid, epochs: []int{0}, scores: []float64{g.measure(r.name, z, first.valid)},
			test: []float64{math.NaN()}}
		c.addAnswers(g, picked(z, len(z)/n, first.valid))
		e.curves = append(e.curves, c)
	}
}

// voice returns the member that explanations, audits and servers ask: the first whose answers can be explained.
func (e *entrant) voice() *entrant {
	for _, m := range e.members {
		if m.config.Recipe != "closed" {
			return m
		}
	}
	return e.members[0]
}

// Member is a model besides the first one whose answers are averaged with the first one's.
type Member struct {
	Name   string        `json:"name"`
	Config config.Config `json:"-"`
	raced  *Raced
}

// settled returns the config of an entrant with the epochs that were best on the trials. There is no patience where all
// labels train: nothing is left to validate on.
func (e *entrant) settled(m metric.Metric, folds bool) config.Config {
	c := e.config
	if c.Train.Epochs > 0 && c.Train.Schedule == "constant" {
		if c.Train.Epochs = e.curves[0].epochs[e.best(m)]; folds {
			c.Train.Patience = 0
		}
	}
	return c
}

// speak makes r the comparison that an average has won: the voice is trained as the run, and the others as members.
func (r *Raced) speak(x *trials, m metric.Metric, best *entrant) error {
	voice := best.voice()
	r.Config = voice.settled(m, true)
	for _, e := range best.members {
		if e != voice {
			c := e.settled(m, true)
			r.Members = append(r.Members, Member{e.name, c,
				&Raced{Config: c, Name: e.name, Metric: r.Metric, Folds: r.Folds, answers: e.outOfFold(e.best(m))}})
		}
	}
	t, err := x.build(voice.config, 0)
	if err != nil {
		return err
	}
	alone := voice.outOfFold(voice.best(m))
	t.goal.calibrate(alone.logits(t.goal, x.data.Graph.NumNodes()), dataset.Split{Valid: alone.nodes}, r.Metric)
	r.Alone, r.Voice = t.goal.calibration(), voice.name
	return nil
}

// membersName is the folder of a run folder that holds the runs of its members.
const membersName = "members"

// members trains the other members of an average, each in a folder below that of the run, or opens them if the run is
// resumed.
func (r *Raced) members(ctx context.Context, d *dataset.Dataset, o Options) (list []*Trained, err error) {
	if r == nil {
		return nil, nil
	}
	for _, m := range r.Members {
		if o.Resume {
			t, err := openMember(o.Dir, m.Name, d)
			if err != nil {
				return nil, err
			}
			list = append(list, t)
			continue
		}
		with := Options{Options: train.Options{Notice: o.Notice}, Raced: m.raced}
		if o.Dir != "" {
			with.Dir = filepath.Join(o.Dir, membersName, m.Name)
			if err := os.MkdirAll(with.Dir, 0o777); err != nil {
				return nil, err
			}
		}
		result, err := Run(ctx, m.Config, d, with)
		if err != nil {
			return nil, fmt.Errorf("%s, a member of the average: %w", m.Name, err)
		}
		list = append(list, &Trained{Task: Of(result), Dir: with.Dir, Epoch: result.Best[0]})
	}
	return list, nil
}

// openMember loads a member of the run in dir, on the data of the run.
func openMember(dir, name string, d *dataset.Dataset) (*Trained, error) {
	dir = filepath.Join(dir, membersName, name)
	c, err := config.Load(config.Options{File: filepath.Join(dir, "config.yaml")})
	if err != nil {
		return nil, err
	}
	return Load(dir, *c, d, Options{})
}

// averaged returns the means of z, the logits of the network itself, and of the logits of the other members.
func (t *Task) averaged(z ad.Var) (ad.Var, error) {
	if len(t.others) == 0 {
		return z, nil
	}
	prog := ad.Compile(z)
	if err := prog.Run(); err != nil {
		return z, err
	}
	mean, err := t.average(prog.Value(z).Slice())
	return ad.Const(mat.FromSlice(z.Rows(), z.Cols(), mean)), err
}

// average returns the means of logits and of the logits of the other members; of numbers it returns the logits of the
// means.
func (t *Task) average(z []mat.Real) ([]mat.Real, error) {
	list := [][]mat.Real{z}
	goals := []goal{t.goal}
	for _, m := range t.others {
		p, err := m.Predict()
		if err != nil {
			return nil, err
		}
		list, goals = append(list, p.Logits.Slice()), append(goals, m.goal)
	}
	return meanLogits(list, goals), nil
}

// meanLogits returns the means of lists of logits, each of a goal about the same labels; of numbers, the logits of the
// means by the first goal.
func meanLogits(list [][]mat.Real, goals []goal) []mat.Real {
	mean := make([]mat.Real, len(list[0]))
	first, numeric := goals[0].(*numbers)
	for i := range mean {
		sum := 0.0
		for k, z := range list {
			if numeric {
				sum += goals[k].(*numbers).value(z[i])
			} else {
				sum += float64(z[i])
			}
		}
		if sum /= float64(len(list)); numeric {
			mean[i] = first.scaled(sum)
		} else {
			mean[i] = mat.Real(sum)
		}
	}
	return mean
}

// Alone returns the model that explains the answers of a run: the run itself, or for an average its first member, with
// the calibration that this has by itself.
func (t *Trained) Alone() *Trained {
	if len(t.others) == 0 {
		return t
	}
	one := *t.Task
	one.others = nil
	if g, err := newGoal(t.Data, t.Split, t.Config.Train); err == nil { // as when the run was built
		g.recall(t.raced.Alone)
		one.goal = g
	}
	return &Trained{Task: &one, Dir: t.Dir, Epoch: t.Epoch, Result: t.Result}
}

// Averaged says which models a run averages, and which of them explains answers; empty if it is one model.
func (t *Task) Averaged() string {
	if len(t.others) == 0 {
		return ""
	}
	names := []string{t.raced.Voice}
	for _, m := range t.raced.Members {
		names = append(names, m.Name)
	}
	return fmt.Sprintf("Predictions of this run are the average of %d models: %s. Explanations, audits and the "+
		"server use %s alone.", len(names), strings.Join(names, ", "), names[0])
}
