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

// Distance returns how far the probabilities of several predictions of the same rows, logits z_s, n×c each, are from
// their mean, sharpened (Feng et al. 2020, "Graph Random Neural Networks"):
//
//	mean over s and rows of ‖q − p_s‖²    p_s = softmax(z_s)    q = p̄^(1/T) / Σ p̄^(1/T)    p̄ = mean of the p_s
//
// 1×1. q is the target of the predictions, and is treated as a constant. It needs no labels. T is in (0, 1]; 1 does not
// sharpen.
func Distance(temperature float64, z ...ad.Var) ad.Var {
	draws := make([]ad.Var, len(z))
	for i, logits := range z {
		draws[i] = logits.Softmax()
	}
	mean := average(draws)
	// a probability that underflows has the sharpened one 0, by way of a logarithm that is finite
	q := ad.Stop(mean.Max(ad.Fill(mean.Shape(), 1e-30)).Log().Scale(1 / temperature).Softmax())
	for i, p := range draws {
		draws[i] = q.Sub(p).Square()
	}
	return average(draws).Mean().Scale(float64(mean.Cols()))
}
