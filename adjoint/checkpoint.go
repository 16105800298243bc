package adjoint

import (
	"math"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/mat"
)

// Checkpointed cuts the L steps into segments and keeps the state between them only. The derivative takes
// the steps of one segment after the other again: memory for √L layers twice instead of L, at the price of
// one more forward pass.
type Checkpointed struct {
	Keep  int       // segments, and so states kept; 0 means √L
	Arena *ad.Arena // the memory of a segment, for those who want to know its size; nil means a new one
}

// Run takes L steps in segments.
func (c Checkpointed) Run(a descent.Algorithm, l *energy.Lower, h0 ad.Var, layers int) ad.Var {
	arena, keep := c.Arena, c.Keep
	if arena == nil {
		arena = &ad.Arena{}
	}
	if keep <= 0 {
		keep = int(math.Ceil(math.Sqrt(float64(layers))))
	}
	s, segments := a.Start(h0), min(keep, layers)
	for i := range segments {
		steps := (i+1)*layers/segments - i*layers/segments
		s = segment(arena, a, l, s, steps)
	}
	return finite(s.H, a, l, h0, layers)
}

// segment takes some steps as one call.
func segment(arena *ad.Arena, a descent.Algorithm, l *energy.Lower, s descent.State, steps int) descent.State {
	in := append([]ad.Var{s.H}, s.S...)
	shapes := make([]mat.Shape, len(in))
	for i, v := range in {
		shapes[i] = v.Shape()
	}
	end := s.Layer
	f := ad.NewFunc(arena, func(in []ad.Var) []ad.Var {
		t := descent.State{H: in[0], S: in[1:], Layer: s.Layer}
		for range steps {
			t = a.Step(l, t)
		}
		end = t.Layer
		return append([]ad.Var{t.H}, t.S...)
	}, shapes...)
	out := f.Call(in...)
	return descent.State{H: out[0], S: out[1:], Layer: end}
}
