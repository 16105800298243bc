package energy

import "github.com/bloomgml/bloom/ad"

// WholeTerm is an energy of all of H at once, 1×1, for what does not fall apart into edges and nodes: the logarithm of
// a sum over nodes, as in a question to which many of them are false answers. It has no bound on its curvature.
type WholeTerm interface {
	Whole(h ad.Var) ad.Var
	Params() []*ad.Param
}

// wholeGrad is the derivative of all whole terms at h added to total.
func (l *Lower) wholeGrad(total, h ad.Var) ad.Var {
	for _, w := range l.Whole {
		at := ad.Renew(h)
		total = total.Add(ad.Grad(w.Whole(at), at)[0])
	}
	return total
}
