//go:build (amd64 || arm64) && !noasm && !f64

package kernel

// mapKernel is dst[i] = f(x[i])·y[i] over n numbers; y moves by step bytes a vector.
type mapKernel func(dst, x, y *float32, n, step int, t float32)

// mapBody is a function or derivative of the closed list as the assembly computes it.
type mapBody struct {
	run   [levelCount]mapKernel
	fixed bool // t is given here, whatever the caller says
	t     Real
}

// with is b for one value of its parameter.
func (b mapBody) with(t Real) mapBody {
	b.fixed, b.t = true, t
	return b
}

// mapBodies mirrors the table portable.
var mapBodies = [NumFunc][3]mapBody{
	Exp:       {mapExp, mapExp, mapExp},
	Log:       {mapLog, mapRecip, mapRecip1},
	Tanh:      {mapTanh, mapTanh1, mapTanh2},
	Sigmoid:   {mapSigmoid, mapSigmoid1, mapSigmoid2},
	Softplus:  {mapSoftplus, mapSigmoid, mapSigmoid1},
	ReLU:      {mapReLU, mapStep.with(0), mapConstant.with(0)},
	LeakyReLU: {mapLeaky, mapStep, mapConstant.with(0)},
	Abs:       {mapAbs, mapSign, mapConstant.with(0)},
	Square:    {mapSquare, mapDouble, mapConstant.with(2)},
	Sqrt:      {mapSqrt, mapSqrt1, mapSqrt2},
	Recip:     {mapRecip, mapRecip1, mapRecip2},
	Sin:       {mapSin.with(0), mapSin.with(1), mapSin.with(2)},
	Cos:       {mapSin.with(1), mapSin.with(2), mapSin.with(3)},
	Huber:     {mapHuber, mapClamp, mapInside},
	LogCosh:   {mapLogCosh, mapTanh, mapTanh1},
	Clamp:     {mapClamp, mapInside, mapConstant.with(0)},
}

// ones stands for the y of Map: one vector that the kernel does not move on from.
var ones = [16]Real{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}

// sineLimit is the largest |x| whose quarter turns the assembly counts exactly.
const sineLimit = 8192

// mapRange is Map on one chunk, times y where y is not nil.
func mapRange(dst, x, y []Real, f Func, order int, t Real) {
	body, level := &mapBodies[f][order], Active()
	if level == Portable || (f == Sin || f == Cos) && !(maxAbsRange(x) <= sineLimit) {
		mapPortable(dst, x, y, f, order, t)
		return
	}
	if body.fixed {
		t = body.t
	}
	bytes := mapBytes(level)
	if y == nil {
		y, bytes = ones[:], 0
	}
	body.run[level](entryPtr(dst), entryPtr(x), entryPtr(y), len(dst), bytes, t)
}
