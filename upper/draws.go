package upper

import (
	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/mat"
)

// Consistency sets the number of draws and the penalty for differences between them.
type Consistency struct {
	Samples     int     `key:"samples" for:"nodes" range:"[1,64]" doc:"dropout samples per epoch, each with its own descent; the loss is their mean"`
	Weight      float64 `key:"weight" for:"nodes" range:"[0,∞)" doc:"weight of the squared distance of the probabilities of a sample to the sharpened mean of all, on all nodes"`
	Temperature float64 `key:"temperature" for:"nodes" range:"(0,1]" doc:"T: the mean is sharpened to p^(1/T) / Σ p^(1/T)"`
}

// Network is the model to train: ℓ_up, 1×1, and logits, one row per node.
type Network interface {
	Loss(input.Context) (ad.Var, error)
	Predict(input.Context) (ad.Var, error)
}

// Loss returns the loss, 1×1, over S draws of dropout s with losses ℓ_s and logits z_s:
//
//	mean of ℓ_s + Weight · Distance(Temperature, z_1, …, z_S)
//
// One sample of weight 0 is the loss of the network itself.
func (k Consistency) Loss(c input.Context, n Network) (ad.Var, error) {
	losses, logits := make([]ad.Var, k.Samples), make([]ad.Var, k.Samples)
	for s := range k.Samples {
		c, err := sampleContext(c, s), error(nil)
		if losses[s], err = n.Loss(c); err != nil {
			return ad.Var{}, err
		}
		c.Updates = nil // the loss has them
		if k.Weight == 0 {
			continue
		}
		if logits[s], err = n.Predict(c); err != nil {
			return ad.Var{}, err
		}
	}
	if k.Weight == 0 {
		return average(losses), nil
	}
	return average(losses).Add(Distance(k.Temperature, logits...).Scale(k.Weight)), nil
}

// sampleContext returns the context of sample s. The first is c itself, from which running statistics are taken.
func sampleContext(c input.Context, s int) input.Context {
	if s > 0 {
		c.Clock = &ad.Clock{Seed: mat.Mix(c.Clock.Seed, uint64(s)), Beside: c.Clock}
		c.Updates = nil
	}
	return c
}

// average returns the mean of matrices of one shape; of one matrix it is the matrix.
func average(list []ad.Var) ad.Var {
	sum := list[0]
	for _, x := range list[1:] {
		sum = sum.Add(x)
	}
	if len(list) == 1 {
		return sum
	}
	return sum.Scale(1 / float64(len(list)))
}
