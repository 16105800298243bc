package node

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/bloomgml/bloom"
	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/analysis"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
	"github.com/bloomgml/bloom/train"
)

// Advice proposes a recipe for a data set, with the numbers it rests on. The zero value proposes none.
type Advice struct {
	Recipe          string  `json:"recipe"`
	Why             string  `json:"why"`
	Homophily       float64 `json:"adjusted_homophily"`
	Chance          float64 `json:"chance,omitempty"` // deviation of Homophily where edges ignore classes
	Informativeness float64 `json:"label_informativeness"`
	Coverage        float64 `json:"coverage"`
	Outliers        float64 `json:"outliers"` // share of the nodes whose residual is far outside; 0 before training
	// Correlation is between the labels of neighbours, where those are numbers or sets of classes; 0 for classes.
	Correlation float64 `json:"correlation,omitempty"`
	// Tried are metrics of validation nodes after a short training, by recipe, where a stack was compared.
	Tried map[string]float64 `json:"tried,omitempty"`
}

// The thresholds of Advise.
const (
	homophilous = 0.35    // adjusted homophily from which neighbours are taken to agree
	informative = 0.05    // label informativeness from which neighbours are taken to tell something
	few         = 20      // training labels a class below which there is nothing to learn a compatibility from
	mostEdges   = 1 << 18 // above which no stack is trained to find a recipe
	// mostCompared is how many edges there may be where trees and the closed form are compared with what is proposed.
	mostCompared = 1 << 21
)

// chain is the stack that is tried.
const chain = "stack-compat"

// Advise proposes a recipe for data that nothing was trained on yet. Where neighbours do not agree, it trains one
// energy and a stack for some seconds, and proposes the stack where validation nodes clearly do.
func Advise(d *dataset.Dataset) (Advice, error) {
	c, err := config.Default("base", "")
	if err != nil {
		return Advice{}, err
	}
	t, err := Build(*c, d, Trials(*c, d)[0], Options{})
	if err != nil {
		return Advice{}, err
	}
	out, err := t.Advise(nil)
	if err == nil && t.comparable(out.Recipe) {
		err = t.compare(&out)
	}
	if err != nil || d.NumFeatures() == 0 || len(t.Split.Valid) < few || d.Graph.NumEdges() > mostCompared {
		return out, err
	}
	return out, t.compareOthers(&out)
}

// compareOthers trains the proposed recipe, for 100 epochs at most, trees and the closed form, and proposes one of the
// last two where validation nodes have a better metric with it, by more than a deviation of chance: tables are full of
// numbers on all scales and of gaps, which no linear layer likes, and few labels are best used at once.
func (t *Task) compareOthers(a *Advice) error {
	name, valid, others := "", map[string]float64{}, []string{"trees", "closed"}
	for _, recipe := range append(others, a.Recipe) {
		c, err := config.Load(config.Options{Recipe: recipe, Data: "-"})
		if err != nil {
			return err
		}
		c.Train.Epochs, c.Train.Patience = min(c.Train.Epochs, 100), 30
		r, err := Run(context.Background(), *c, t.raw, Options{})
		var notFinite *train.NotFinite
		var unsuited *train.BadData
		if errors.As(err, &notFinite) || errors.As(err, &unsuited) || err == nil && len(r.Valid.Runs) == 0 {
			continue
		}
		if err != nil {
			return err
		}
		name, valid[recipe] = r.Metric, r.Valid.Mean
	}
	m, _ := metric.ByName(name)
	sign := 1.0
	if m.Lower {
		sign = -1
	}
	best, before := a.Recipe, a.Recipe
	for _, recipe := range others {
		x, done := valid[recipe]
		least, also := valid[best]
		if best == before {
			least += sign * t.chance(m, x)
		}
		if done && (!also || sign*x > sign*least) {
			best = recipe
		}
	}
	if best != before {
		a.Recipe = best
		a.Why = fmt.Sprintf("after a short training, validation nodes have a %s of %.4g with it and of %.4g with %s",
			name, valid[best], valid[before], before)
	}
	if a.Tried == nil {
		a.Tried = valid
	}
	return nil
}

// comparable reports whether a stack is worth a try beside a recipe, and whether validation nodes can tell.
func (t *Task) comparable(recipe string) bool {
	return strings.HasPrefix(recipe, "heterophily") && t.Data.Labels.Task == "" && len(t.Split.Valid) >= few &&
		t.Data.Graph.NumEdges() <= mostEdges
}

// compare trains the proposed recipe and a stack of four levels for 60 epochs each, 32 columns wide.
//
// Chosen: the stack is proposed where it is better by a deviation of chance, √(p(1 − p)/n), n being the validation
// nodes, or those of the rarer class where ROC-AUC is measured; p counts one node more that is right and one that is
// wrong, as with few nodes all may be right by chance.
func (t *Task) compare(a *Advice) error {
	n, measure := t.rarer(), "roc_auc"
	if t.Classes() > 2 {
		n, measure = len(t.Split.Valid), "accuracy"
	}
	a.Tried = map[string]float64{}
	for recipe, set := range map[string][]string{a.Recipe: {"model.after=1", "energy.steps=4"},
		chain: {"stack.levels=4", "energy.steps=1"}} {
		c, err := config.Load(config.Options{Recipe: recipe, Data: "-", Set: append(set, "train.metric="+measure,
			"train.epochs=60", "train.every=5", "train.warmup=5", "train.schedule=cosine", "train.optimizer=adamw",
			"train.rate=0.02", "train.patience=0", "train.weight_decay=0", "model.hidden=32", "model.norm=none",
			"model.dropout=0.2")})
		if err != nil {
			return err
		}
		r, err := Run(context.Background(), *c, t.raw, Options{})
		var bad *train.NotFinite
		switch {
		case errors.As(err, &bad): // it has 0
		case err != nil:
			return err
		default:
			a.Tried[recipe] = r.Valid.Mean
		}
	}
	one, p := a.Tried[a.Recipe], a.Tried[chain]
	q := (p*float64(n) + 1) / float64(n+2)
	if p-one > math.Sqrt(q*(1-q)/float64(max(1, n))) {
		a.Why = fmt.Sprintf("after a short training, validation nodes have a %s of %.3f with it and of %.3f with %s, "+
			"one energy alone", measure, p, one, a.Recipe)
		a.Recipe = chain
	}
	return nil
}

// chance is about the deviation of a metric of the validation nodes: √(q(1 − q)/n) of one between 0 and 1, as in
// compare, and x/√(2n) of errors of numbers.
func (t *Task) chance(m metric.Metric, x float64) float64 {
	n := len(t.Split.Valid)
	if t.Data.Labels.Task == "" && t.Classes() == 2 {
		n = t.rarer()
	}
	if m.Lower || x > 1 {
		return x / math.Sqrt(2*float64(max(1, n)))
	}
	q := (x*float64(n) + 1) / float64(n+2)
	return math.Sqrt(q * (1 - q) / float64(max(1, n)))
}

// rarer is how many validation nodes the class has that fewer of them have.
func (t *Task) rarer() int {
	count := make([]int, t.Classes())
	for _, v := range t.Split.Valid {
		if c := t.Data.Labels.Class[v]; c >= 0 {
			count[c]++
		}
	}
	return slices.Min(count)
}

// Advise looks at features, edges and the labels of training and validation nodes, and at the residuals of an
// inspection; nil where there is none. Where labels are numbers or sets, it is how they correlate along edges that
// counts.
//
// Chosen: neighbours that agree call for robust, which costs nothing where no row is wrong, and for base where rows
// have nothing to say, or where they are only somewhat more alike than by chance and labels are few. Neighbours that
// differ but tell something call for a trained compatibility, of their classes themselves where rows have nothing to
// say; neighbours that tell nothing for the same with Huber, which can turn edges off. On planted graphs with 5 to 20
// labels a class, base is up to 40 points below a compatibility where neighbours are not alike, and up to 6 above it
// where they are.
func (t *Task) Advise(in *bloom.Inspection) (out Advice, err error) {
	if in != nil {
		out.Outliers = outliers(in.Residuals())
	}
	if t.Data.Labels.Task != "" {
		r, edges := correlation(t.untested())
		out.Correlation = r
		out.Recipe, out.Why = t.chooseBy(r, edges)
		return out, nil
	}
	if out.Coverage, err = t.Coverage(); err != nil {
		return Advice{}, err
	}
	if h := analysis.Homophily(t.untested()); h != nil {
		out.Homophily, out.Chance, out.Informativeness = h.Adjusted, h.Chance, h.Informativeness
	}
	out.Recipe, out.Why = t.choose(out)
	return out, nil
}

// choose is the recipe that numbers speak for, and why.
func (t *Task) choose(a Advice) (recipe, why string) {
	g := t.Data.Graph
	switch {
	case g.NumEdges() == 0:
		return "mlp", "there are no edges"
	case g.NumRelations() > 1:
		return "halo", fmt.Sprintf("edges are of %d relations, each of which means something else", g.NumRelations())
	case a.Homophily >= homophilous && t.Data.NumFeatures() == 0:
		return "base", "neighbours mostly have the same class, and nodes have no features"
	case a.Homophily >= homophilous:
		return "robust", "neighbours mostly have the same class, and rows that do not fit theirs are let go"
	case len(t.Split.Train) < few*t.Classes() && a.Homophily >= a.Chance:
		return "base", "neighbours are somewhat alike, and labels are too few to learn more about how they go together"
	case t.levelled():
		return t.Config.Recipe, "neighbours do not agree, and a stack can learn what they tell"
	case t.Data.NumFeatures() == 0 && a.Homophily < a.Chance:
		return "lp-trained", "nodes have no features, and how the classes of neighbours go together can be learnt"
	case a.Informativeness >= informative:
		return "heterophily", "neighbours mostly differ, but in a way that tells something"
	}
	return "heterophily-huber", "edges say little about classes one by one, and it can let them go"
}

// chooseBy is the recipe that the correlation r of labels over some edges speaks for, where those are numbers or sets,
// and why. Labels are noisy: a correlation counts that is three deviations of chance, 1/√edges each, away from 0.
func (t *Task) chooseBy(r, edges float64) (recipe, why string) {
	g, chance := t.Data.Graph, max(informative, 3/math.Sqrt(max(1, edges)))
	switch {
	case g.NumEdges() == 0:
		return "mlp", "there are no edges"
	case g.NumRelations() > 1:
		return "halo", fmt.Sprintf("edges are of %d relations, each of which means something else", g.NumRelations())
	case r >= chance && t.Data.NumFeatures() == 0:
		return "base", "neighbours are alike, and nodes have no features"
	case r >= chance:
		return "robust", "neighbours are alike, and rows that do not fit theirs are let go"
	case r <= -chance:
		return "heterophily", "neighbours differ, in a way that tells something"
	}
	return "heterophily-huber", "edges say little about labels one by one, and it can let them go"
}

// correlation is how the labels of neighbours go together, numbers or sets of classes: Pearson's, over the edges whose
// ends both have labels, all columns together. It is 0 where there are none, or where labels are all the same.
//
//	Σ_uv ⟨y_u − m, y_v − m⟩ / Σ_uv ½(‖y_u − m‖² + ‖y_v − m‖²)        m the mean over all ends
func correlation(d *dataset.Dataset) (r, edges float64) {
	k := len(d.Labels.Values) / max(1, len(d.Labels.Class))
	mean, ends := make([]float64, k), 0.0
	each := func(f func(u, v []mat.Real)) {
		for _, e := range d.Graph.Triples() {
			if e.U != e.V && d.Labels.Class[e.U] >= 0 && d.Labels.Class[e.V] >= 0 {
				f(d.Labels.Values[int(e.U)*k:][:k], d.Labels.Values[int(e.V)*k:][:k])
			}
		}
	}
	each(func(u, v []mat.Real) {
		ends += 2
		for j := range mean {
			mean[j] += float64(u[j]) + float64(v[j])
		}
	})
	both, own := 0.0, tiny
	each(func(u, v []mat.Real) {
		for j := range mean {
			a, b := float64(u[j])-mean[j]/ends, float64(v[j])-mean[j]/ends
			both, own = both+a*b, own+(a*a+b*b)/2
		}
	})
	return both / own, ends / 2
}

// untested is the data with the labels of training and validation nodes alone.
func (t *Task) untested() *dataset.Dataset {
	d := *t.Data
	d.Labels.Class = slices.Repeat([]int32{-1}, len(t.Data.Labels.Class))
	for _, list := range [][]int32{t.Split.Train, t.Split.Valid} {
		for _, v := range list {
			d.Labels.Class[v] = t.Data.Labels.Class[v]
		}
	}
	return &d
}

// outliers is the share of nodes whose residual is more than three times the distance between the quartiles above the
// upper one (Tukey's far outside values).
func outliers(residuals []float64) float64 {
	n := len(residuals)
	if n < 4 {
		return 0
	}
	x := slices.Sorted(slices.Values(residuals))
	lower, upper := x[n-1-3*n/4], x[n-1-n/4]
	within, _ := slices.BinarySearchFunc(x, upper+3*(upper-lower), func(r, limit float64) int {
		if r <= limit {
			return -1
		}
		return 1
	})
	return float64(n-within) / float64(n)
}

// For is the advice to who uses a recipe, as one line: another one, or why to stay. It is empty where there is none.
func (a Advice) For(recipe string) string {
	if a.Recipe == "" {
		return ""
	}
	verb := "try " + a.Recipe
	if a.Recipe == recipe {
		verb = a.Recipe + " suits the data"
	}
	return verb + ": " + a.Reason()
}

// Reason is why, with the numbers.
func (a Advice) Reason() string {
	text := fmt.Sprintf("%s (adjusted homophily %.2f, label informativeness %.2f, coverage of the labels by the "+
		"features %.2f", a.Why, a.Homophily, a.Informativeness, a.Coverage)
	if a.Correlation != 0 {
		text = fmt.Sprintf("%s (the labels of neighbours correlate by %.2f", a.Why, a.Correlation)
	}
	if a.Outliers > 0 {
		text += fmt.Sprintf(", outliers %.1f %%", 100*a.Outliers)
	}
	return text + ")"
}
