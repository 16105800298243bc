package node

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/bloomgml/bloom"
	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/audit"
	"github.com/bloomgml/bloom/mat"
)

// Advice proposes a recipe for a data set, with the numbers that it is based on. The zero value proposes nothing.
type Advice struct {
	Recipe          string  `json:"recipe"`
	Why             string  `json:"why"`
	Homophily       float64 `json:"adjusted_homophily"`
	Chance          float64 `json:"chance,omitempty"` // deviation of Homophily where edges ignore classes
	Informativeness float64 `json:"label_informativeness"`
	Outliers        float64 `json:"outliers"` // share of the nodes whose residual is far outside; 0 before training
	// Correlation is the correlation of the labels of neighbours if these are numbers or sets of classes; 0 for
	// classes.
	Correlation float64 `json:"correlation,omitempty"`
}

// The thresholds of Advise.
const (
	homophilous = 0.35 // adjusted homophily from which neighbours are taken to agree
	informative = 0.05 // label informativeness from which neighbours are taken to tell something
	few         = 20   // training labels a class below which there is nothing to learn a compatibility from
)

// Advise proposes a recipe for data that nothing was trained on yet, based on labels and edges; Race compares
// several.
func Advise(d *dataset.Dataset) (Advice, error) {
	c, err := config.Default("base", "")
	if err != nil {
		return Advice{}, err
	}
	if d.DrawnSplit || len(d.Splits) == 0 {
		c.Data.Folds = defaultFolds
	}
	t, err := Build(*c, d, Trials(*c, d)[0], Options{})
	if err != nil {
		return Advice{}, err
	}
	return t.Advise(nil)
}

// Advise looks at features, edges and the labels of training and validation nodes, and at the residuals of an
// inspection, which may be nil. If labels are numbers or sets, it goes by how they correlate along edges.
//
// Chosen: neighbours that agree call for robust, which costs nothing if no row is wrong, and for base if rows carry
// no information, or if neighbours are only somewhat more alike than by chance and labels are few. Neighbours that
// differ but are informative call for a trained compatibility, of their classes themselves if rows carry no
// information; uninformative neighbours call for the same with Huber, which can turn edges off. On planted graphs
// with 5 to 20 labels a class, base is up to 40 points below a compatibility if neighbours are not alike, and up to 6
// above it if they are.
func (t *Task) Advise(in *bloom.Inspection) (out Advice, err error) {
	if in != nil {
		out.Outliers = outliers(in.Residuals())
	}
	if t.Data.Labels.Task != "" {
		r, edges := correlation(t.untested())
		out.Correlation = r
		out.Recipe, out.Why = t.choose(out, edges)
		return out, nil
	}
	if h := audit.Homophily(t.untested()); h != nil {
		out.Homophily, out.Chance, out.Informativeness = h.Adjusted, h.Chance, h.Informativeness
	}
	out.Recipe, out.Why = t.choose(out, 0)
	return out, nil
}

// choose returns the recipe that the numbers suggest, and why. Labels that are numbers or sets are noisy: their
// correlation over some edges must be three standard deviations of chance, 1/√edges each, away from 0.
func (t *Task) choose(a Advice, edges float64) (recipe, why string) {
	g, classes, nothing := t.Data.Graph, t.Data.Labels.Task == "", t.Data.NumFeatures() == 0
	alike, unlike := a.Homophily >= homophilous, a.Informativeness >= informative
	if !classes {
		chance := max(informative, 3/math.Sqrt(max(1, edges)))
		alike, unlike = a.Correlation >= chance, a.Correlation <= -chance
	}
	switch {
	case g.NumEdges() == 0:
		return "mlp", "there are no edges"
	case g.NumRelations() > 1:
		return "halo", fmt.Sprintf("edges have %d relations, each with its own meaning", g.NumRelations())
	case alike && nothing:
		return "base", "neighbours are alike, and nodes have no features"
	case alike:
		return "robust", "neighbours are alike, and rows that do not fit have limited influence"
	case classes && len(t.Split.Train) < few*t.Classes() && a.Homophily >= a.Chance:
		return "base", "neighbours are somewhat alike, and there are too few labels to learn how classes go together"
	case classes && t.levelled():
		return t.Config.Recipe, "neighbours have different classes, and a stack can learn from them"
	case classes && nothing && a.Homophily < a.Chance:
		return "lp-trained", "nodes have no features, and how the classes of neighbours go together can be learnt"
	case unlike:
		return "heterophily", "neighbours mostly differ, but in an informative way"
	}
	return "heterophily-huber", "single edges say little about labels, and it can ignore them"
}

// correlation returns Pearson's correlation of the labels of neighbours, numbers or sets of classes, over the edges
// whose ends both have labels, all columns together. It is 0 if there are no such edges, or if all labels are the
// same.
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

// untested returns the data with the labels of training and validation nodes alone.
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

// outliers returns the share of nodes whose residual is more than three times the distance between the quartiles
// above the upper one (Tukey's far outside values).
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

// For returns one line of advice for a user of recipe: another recipe, or why to stay. It is empty if there is no
// advice.
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

// Reason says why, with the numbers.
func (a Advice) Reason() string {
	text := fmt.Sprintf("%s (adjusted homophily %.2f, label informativeness %.2f", a.Why, a.Homophily,
		a.Informativeness)
	if a.Correlation != 0 {
		text = fmt.Sprintf("%s (the labels of neighbours correlate by %.2f", a.Why, a.Correlation)
	}
	if a.Outliers > 0 {
		text += fmt.Sprintf(", outliers %.1f %%", 100*a.Outliers)
	}
	return text + ")"
}

// tiny keeps a division by zero from happening.
const tiny = 1e-30

// detection compares a ranking of nodes with the truth.
type detection struct {
	Corrupted int     // nodes that are corrupted
	Ratio     float64 // the share of them among the same number of top-ranked nodes
	// Clean and Spoilt count nodes by what they are ranked by, in equal bins from 0 to Max.
	Clean, Spoilt []int
	Max           float64
}

// bins is the number of bins of the histograms of a detection.
const bins = 30

// Detect ranks nodes by ‖h_v − π(x_v)‖, as the paper does, if the corrupted nodes are known; otherwise it returns
// nil.
func (t *Task) Detect(in *bloom.Inspection) *detection {
	if t.Data.Corrupted == nil {
		return nil
	}
	residuals := in.Residuals()
	order := upTo(len(residuals))
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(residuals[b], residuals[a]) })
	return detect(order, residuals, slices.Max(append(residuals, 0)), t.Data.Corrupted)
}

// detect counts the corrupted nodes among the first, and all by their scores.
func detect(order []int32, score []float64, top float64, corrupted []int32) *detection {
	d := &detection{Corrupted: len(corrupted), Clean: make([]int, bins), Spoilt: make([]int, bins), Max: top}
	found := 0
	for i, v := range order {
		counts := d.Clean
		if _, bad := slices.BinarySearch(corrupted, v); bad {
			counts = d.Spoilt
			if i < len(corrupted) {
				found++
			}
		}
		bin := 0
		if top > 0 {
			bin = min(int(score[v]/top*bins), bins-1)
		}
		counts[bin]++
	}
	d.Ratio = float64(found) / float64(max(len(corrupted), 1))
	return d
}
