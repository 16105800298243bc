package kernel

import "math"

// portable is the closed list with its first two derivatives, as functions of x and t.
var portable = [NumFunc][3]func(x, t float64) float64{
	Exp:       {fExp, fExp, fExp},
	Log:       {fLog, fRecip, fRecip1},
	Tanh:      {fTanh, fTanh1, fTanh2},
	Sigmoid:   {fSigmoid, fSigmoid1, fSigmoid2},
	Softplus:  {fSoftplus, fSigmoid, fSigmoid1},
	ReLU:      {fRelu, fRelu1, fZero},
	LeakyReLU: {fLeaky, fLeaky1, fZero},
	Abs:       {fAbs, fSign, fZero},
	Square:    {fSquare, fSquare1, fTwo},
	Sqrt:      {fSqrt, fSqrt1, fSqrt2},
	Recip:     {fRecip, fRecip1, fRecip2},
	Sin:       {fSin, fCos, fNegSin},
	Cos:       {fCos, fNegSin, fNegCos},
	Huber:     {fHuber, fClamp, fInside},
	LogCosh:   {fLogCosh, fTanh, fTanh1},
	Clamp:     {fClamp, fInside, fZero},
}

func fExp(x, _ float64) float64    { return math.Exp(x) }
func fLog(x, _ float64) float64    { return math.Log(x) }
func fSqrt(x, _ float64) float64   { return math.Sqrt(x) }
func fAbs(x, _ float64) float64    { return math.Abs(x) }
func fSin(x, _ float64) float64    { return math.Sin(x) }
func fCos(x, _ float64) float64    { return math.Cos(x) }
func fNegSin(x, _ float64) float64 { return -math.Sin(x) }
func fNegCos(x, _ float64) float64 { return -math.Cos(x) }

func fSquare(x, _ float64) float64  { return x * x }
func fSquare1(x, _ float64) float64 { return 2 * x }

func fRecip(x, _ float64) float64 { return 1 / x }

// fRecip1 returns −1/x².
func fRecip1(x, _ float64) float64 { r := 1 / x; return -r * r }

// fRecip2 returns 2/x³.
func fRecip2(x, _ float64) float64 { r := 1 / x; return 2 * r * r * r }

// fSqrt1 returns 1/(2√x).
func fSqrt1(x, _ float64) float64 { return 0.5 / math.Sqrt(x) }

// fSqrt2 returns −1/(4x√x).
func fSqrt2(x, _ float64) float64 { r := 1 / math.Sqrt(x); return -0.25 * r * r * r }

func fTanh(x, _ float64) float64 { return math.Tanh(x) }

// fTanh1 returns 1 − tanh²x = 4e/(1+e)² with e = exp(−2|x|): no cancellation for large |x|.
func fTanh1(x, _ float64) float64 {
	e := math.Exp(-2 * math.Abs(x))
	return 4 * e / ((1 + e) * (1 + e))
}

// fTanh2 returns −2·tanh x·(1 − tanh²x).
func fTanh2(x, _ float64) float64 { return -2 * math.Tanh(x) * fTanh1(x, 0) }

// fSigmoid returns 1/(1+exp(−x)), computed from exp(−|x|), which does not overflow.
func fSigmoid(x, _ float64) float64 {
	e := math.Exp(-math.Abs(x))
	if x < 0 {
		return e / (1 + e)
	}
	return 1 / (1 + e)
}

// fSigmoid1 returns s(1−s) = e/(1+e)² with e = exp(−|x|).
func fSigmoid1(x, _ float64) float64 {
	e := math.Exp(-math.Abs(x))
	return e / ((1 + e) * (1 + e))
}

// fSigmoid2 returns s(1−s)(1−2s), and 1−2s = −tanh(x/2).
func fSigmoid2(x, _ float64) float64 { return -math.Tanh(x/2) * fSigmoid1(x, 0) }

// fSoftplus returns log(1+exp(x)) = max(x, 0) + log1p(exp(−|x|)).
func fSoftplus(x, _ float64) float64 {
	return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x)))
}

func fRelu(x, _ float64) float64      { return max(x, 0) }
func fRelu1(x, _ float64) float64     { return fLeaky1(x, 0) }
func fClamp(x, t float64) float64     { return min(max(x, -t), t) }
func fZero(x, _ float64) float64      { return fUnlessNaN(x, 0) }
func fTwo(x, _ float64) float64       { return fUnlessNaN(x, 2) }
func fLeaky1(x, t float64) float64    { return fChoice(x > 0, 1, fUnlessNaN(x, t)) }
func fInside(x, t float64) float64    { return fChoice(math.Abs(x) < t, 1, fUnlessNaN(x, 0)) }
func fSign(x, _ float64) float64      { return fChoice(x > 0, 1, fChoice(x < 0, -1, fUnlessNaN(x, 0))) }
func fLeaky(x, t float64) float64     { return fChoice(x > 0, x, t*x) }
func fUnlessNaN(x, v float64) float64 { return fChoice(x != x, x, v) }

// fChoice returns a if c holds, else b.
func fChoice(c bool, a, b float64) float64 {
	if c {
		return a
	}
	return b
}

// fHuber returns c(|x| − c/2) with c = min(|x|, t).
func fHuber(x, t float64) float64 {
	a := math.Abs(x)
	if a <= t {
		return a * a / 2
	}
	return t * (a - t/2)
}

// fLogCosh returns |x| + log1p(exp(−2|x|)) − log 2, which cancels near 0; there it is
// log1p(cosh x − 1), and cosh x − 1 = (1−e)²/(2e) with e = exp(−|x|).
func fLogCosh(x, _ float64) float64 {
	a := math.Abs(x)
	if a < 1 {
		u := math.Expm1(-a)
		return math.Log1p(u * u / (2 * (1 + u)))
	}
	return a + math.Log1p(math.Exp(-2*a)) - math.Ln2
}
