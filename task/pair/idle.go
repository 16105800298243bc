package pair

import (
	"slices"
	"strings"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/optim"
	"github.com/bloomgml/bloom/task"
)

// nothingBetween says why norms and dropout are idle.
const nothingBetween = "there are no hidden layers: see model.before and model.after"

// checkIdle rejects keys that have no effect under the other settings.
func (j *job) checkIdle() error {
	c, params := j.Config, j.Params()
	features := slices.ContainsFunc(j.Data.Features, func(x dataset.Matrix) bool { return x.Cols > 0 })
	before := 0
	if features {
		before = c.Model.Before
	}
	between := before > 1 || c.Model.After > 1
	lambda := func(p *ad.Param) bool { return strings.Contains(p.Name, "λ") }
	return task.CheckIdle(c, j.Data.Name, []task.IdleRule{
		{Keys: "train.epochs " + task.TrainingKeys, Is: len(params) == 0, Why: "it has no parameters to train"},
		{Keys: "train.weight_decay", Is: !slices.ContainsFunc(params, optim.Decays), Why: "no parameter is a matrix"},
		{Keys: "data.scale data.corrupt model.before", Is: !features,
			Why: "the nodes have no features: π is a row for each of them"},
		{Keys: "model.dropout", Is: !between && c.Stack.Levels < 2, Why: nothingBetween},
		{Keys: "model.norm model.residual", Is: !between, Why: nothingBetween},
		{Keys: "stack.norm stack.residual", Is: c.Stack.Levels < 2, Why: "stack.levels is 1"},
		{Keys: "model.hidden", Is: features && c.Model.Before == 0 && c.Model.After < 2,
			Why: "no layer is that wide"},
		{Keys: "pairs.common", Is: c.Model.After == 0 && !c.Pairs.Alike,
			Why: "model.after is 0: a pair scores ⟨h_u, h_v⟩"},
		{Keys: "energy.f energy.kappa energy.eta energy.descent model.learn_lambda model.adjoint",
			Is: c.Energy.L == 0, Why: "energy.steps is 0"},
		{Keys: "model.learn_lambda", Is: c.Model.LearnLambda && !slices.ContainsFunc(params, lambda),
			Why: "no term of energy.f has a λ"},
	})
}
