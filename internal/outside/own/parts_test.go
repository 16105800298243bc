package own

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/metric"
	"github.com/bloomgml/bloom/part"
	"github.com/bloomgml/bloom/recipe"
	"github.com/bloomgml/bloom/upper"
)

// soft is the penalty √(1 + z²) − 1, whose second derivative is at most 1.
var soft = energy.Penalty{Name: "soft", Curv: 1,
	Rho: func(z ad.Var) ad.Var { return z.Square().Shift(1).Sqrt().Shift(-1) }}

// apart is the edge term λ ρ(h_u + h_v), by which neighbours become opposites.
type apart struct {
	Lambda float64        `key:"lambda" range:"(0,∞)"`
	Rho    energy.Penalty `key:"penalty"`
}

func (t apart) Term(*recipe.Place) energy.EdgeTerm {
	return energy.OnEdges(t.Rho, func(e energy.Edges) ad.Var { return e.U.Add(e.V).Scale(t.Lambda) })
}

func (apart) Edges() recipe.Edges { return recipe.Undirected }

func (apart) Text() recipe.EdgeText {
	return recipe.EdgeText{F: "ρ(λ (h_u + h_v))", ToV: "λ ρ′", ToU: "λ ρ′"}
}

// small is the node term ½ ‖h‖², which holds entities of a knowledge graph too.
type small struct{}

func (small) Term(*recipe.Place) energy.NodeTerm {
	return energy.OnNodes(energy.HalfSquared, func(n energy.Nodes) ad.Var { return n.H })
}

func (small) Text() recipe.NodeText { return recipe.NodeText{Kappa: "½ ‖h‖²", Grad: "h"} }

// sharp is the criterion that squares every row's cross-entropy, so that what is far off counts more.
type sharp struct{}

func (sharp) Of(z ad.Var, y upper.Target) ad.Var { return upper.CrossEntropy.Of(z, y).Square() }

func init() {
	energy.Penalties.Add(part.Part[energy.Penalty]{Name: soft.Name, Text: "√(1 + z²) − 1", New: soft})
	recipe.EdgeTerms.Add(part.Part[recipe.Edge]{Name: "apart", Text: "neighbours are opposites",
		New: apart{Lambda: 1, Rho: soft}})
	recipe.NodeTerms.Add(part.Part[recipe.Node]{Name: "small", Text: "rows are short", New: small{}})
	upper.Criteria.Add(part.Part[upper.Criterion]{Name: "sharp", Text: "the square of cross_entropy", New: sharp{}})
	metric.Metrics.Add(part.Part[metric.Metric]{Name: "mistakes", Text: "share of the nodes whose class is wrong",
		New: metric.Metric{High: 1, Lower: true, Answers: func(c metric.Counts) float64 {
			right, _ := metric.ByName("accuracy")
			return 1 - right.Answers(c)
		}, Says: metric.Says{metric.TaskClasses: "of the test nodes are classified wrongly"}}})
	metric.Metrics.Add(part.Part[metric.Metric]{Name: "below", Text: "1 − roc_auc", New: metric.Metric{High: 1,
		Lower: true, Order: true, Scores: func(p metric.Predictions) float64 {
			auc, _ := metric.ByName("roc_auc")
			return 1 - auc.Scores(p)
		}, Says: metric.Says{metric.TaskLinks: "is how often a held-out edge scores below a pair"}}})
}
