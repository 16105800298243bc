package kernel

import "math"

// AdamConfig holds the constants of Adam. Decay is the weight decay: added to the gradient (Adam
// with L2), or taken from the weights where Decoupled (AdamW).
type AdamConfig struct {
	Rate, Beta1, Beta2, Eps, Decay Real
	Decoupled                      bool
}

// Adam is step t ≥ 1 of Adam with bias correction; m and v are its moments, zero before step 1.
//
//	g = grad[i] + decay·w[i]                      (w[i] −= rate·decay·w[i] instead where decoupled)
//	m[i] = β₁·m[i] + (1−β₁)·g
//	v[i] = β₂·v[i] + (1−β₂)·g²
//	w[i] −= rate·m̂/(√v̂ + ε),  m̂ = m[i]/(1−β₁ᵗ),  v̂ = v[i]/(1−β₂ᵗ)
func Adam(w, m, v, grad []Real, c AdamConfig, t int) {
	n := len(w)
	j := adamJob{w, m[:n], v[:n], grad[:n], c.coefficients(t)}
	if chunks := (n + adamChunk - 1) / adamChunk; chunks > 1 {
		adamJobs.run(chunks, j)
	} else if n > 0 {
		adamRange(w, m[:n], v[:n], grad[:n], j.c)
	}
}

// adamCoefficients holds the numbers of one step, in the order in which the assembly reads them.
type adamCoefficients struct {
	L2           Real // decay in the gradient
	Beta1, Rest1 Real // β₁, 1−β₁
	Beta2, Rest2 Real // β₂, 1−β₂
	Root         Real // 1/√(1−β₂ᵗ)
	Eps          Real
	Keep         Real // 1−rate·decay where decoupled, else 1
	Step         Real // rate/(1−β₁ᵗ)
}

func (c AdamConfig) coefficients(t int) adamCoefficients {
	b1, b2 := float64(c.Beta1), float64(c.Beta2)
	k := adamCoefficients{
		Beta1: c.Beta1, Rest1: Real(1 - b1),
		Beta2: c.Beta2, Rest2: Real(1 - b2),
		Root: Real(1 / math.Sqrt(1-math.Pow(b2, float64(t)))),
		Eps:  c.Eps,
		Keep: 1,
		Step: Real(float64(c.Rate) / (1 - math.Pow(b1, float64(t)))),
	}
	if c.Decoupled {
		k.Keep = Real(1 - float64(c.Rate)*float64(c.Decay))
	} else {
		k.L2 = c.Decay
	}
	return k
}

// adamChunk is how many numbers a chunk has: fewer than in other entrywise kernels, because roots and quotients take
// longer.
const adamChunk = 1 << 12

type adamJob struct {
	w, m, v, grad []Real
	c             adamCoefficients
}

var adamJobs jobs[adamJob, *adamJob]

func (j *adamJob) do(c int) {
	lo, hi := c*adamChunk, min((c+1)*adamChunk, len(j.w))
	adamRange(j.w[lo:hi], j.m[lo:hi], j.v[lo:hi], j.grad[lo:hi], j.c)
}

func adamPortable(w, m, v, grad []Real, c adamCoefficients) {
	for i, d := range grad {
		d += c.L2 * w[i]
		m[i] = c.Beta1*m[i] + c.Rest1*d
		v[i] = c.Beta2*v[i] + c.Rest2*d*d
		root := Real(math.Sqrt(float64(v[i])))
		w[i] = c.Keep*w[i] - c.Step*m[i]/(c.Root*root+c.Eps)
	}
}
