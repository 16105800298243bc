package upper

import "github.com/bloomgml/bloom/ad"

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
