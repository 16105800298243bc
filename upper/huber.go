package upper

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/part"
)

// Huber is squared up to δ and linear beyond, so a few outlying targets do not dominate: the mean over rows and columns
// of
//
//	ρ(z − y)        ρ(r) = r²/2 for |r| ≤ δ, else δ|r| − δ²/2
func Huber(delta float64) Criterion { return huberLoss{delta} }

type huberLoss struct {
	Delta float64 `key:"{name}" range:"(0,∞)" doc:"δ: where the loss turns linear, in standard deviations of the training targets"`
}

var huber = part.Part[Criterion]{Name: "huber", Text: "the mean of ρ(z − y), squared up to δ and linear beyond",
	New: Huber(1)}

func (l huberLoss) Of(z ad.Var, y Target) ad.Var {
	z, want := y.rows(z)
	return y.mean(z.Sub(want).Map("huber", l.Delta))
}
