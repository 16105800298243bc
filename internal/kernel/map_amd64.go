//go:build !noasm && !f64

package kernel

// mapKernel is dst[i] = f(x[i])·y[i] over n numbers; y moves by step bytes a vector.
type mapKernel func(dst, x, y *float32, n, step int, t float32)

// mapBody is a function or derivative of the closed list as the assembly computes it.
type mapBody struct {
	avx2, avx512 mapKernel
	fixed        bool // t is given here, whatever the caller says
	t            Real
}

// with is b for one value of its parameter.
func (b mapBody) with(t Real) mapBody {
	b.fixed, b.t = true, t
	return b
}

// Bodies that several functions share.
var (
	mapExp      = mapBody{avx2: mapExpAVX2, avx512: mapExpAVX512}
	mapLog      = mapBody{avx2: mapLogAVX2, avx512: mapLogAVX512}
	mapTanh     = mapBody{avx2: mapTanhAVX2, avx512: mapTanhAVX512}
	mapTanh1    = mapBody{avx2: mapTanh1AVX2, avx512: mapTanh1AVX512}
	mapTanh2    = mapBody{avx2: mapTanh2AVX2, avx512: mapTanh2AVX512}
	mapSigmoid  = mapBody{avx2: mapSigmoidAVX2, avx512: mapSigmoidAVX512}
	mapSigmoid1 = mapBody{avx2: mapSigmoid1AVX2, avx512: mapSigmoid1AVX512}
	mapSigmoid2 = mapBody{avx2: mapSigmoid2AVX2, avx512: mapSigmoid2AVX512}
	mapSoftplus = mapBody{avx2: mapSoftplusAVX2, avx512: mapSoftplusAVX512}
	mapReLU     = mapBody{avx2: mapReLUAVX2, avx512: mapReLUAVX512}
	mapLeaky    = mapBody{avx2: mapLeakyAVX2, avx512: mapLeakyAVX512}
	mapStep     = mapBody{avx2: mapStepAVX2, avx512: mapStepAVX512}
	mapConstant = mapBody{avx2: mapConstantAVX2, avx512: mapConstantAVX512}
	mapAbs      = mapBody{avx2: mapAbsAVX2, avx512: mapAbsAVX512}
	mapSign     = mapBody{avx2: mapSignAVX2, avx512: mapSignAVX512}
	mapSquare   = mapBody{avx2: mapSquareAVX2, avx512: mapSquareAVX512}
	mapDouble   = mapBody{avx2: mapDoubleAVX2, avx512: mapDoubleAVX512}
	mapSqrt     = mapBody{avx2: mapSqrtAVX2, avx512: mapSqrtAVX512}
	mapSqrt1    = mapBody{avx2: mapSqrt1AVX2, avx512: mapSqrt1AVX512}
	mapSqrt2    = mapBody{avx2: mapSqrt2AVX2, avx512: mapSqrt2AVX512}
	mapRecip    = mapBody{avx2: mapRecipAVX2, avx512: mapRecipAVX512}
	mapRecip1   = mapBody{avx2: mapRecip1AVX2, avx512: mapRecip1AVX512}
	mapRecip2   = mapBody{avx2: mapRecip2AVX2, avx512: mapRecip2AVX512}
	mapHuber    = mapBody{avx2: mapHuberAVX2, avx512: mapHuberAVX512}
	mapClamp    = mapBody{avx2: mapClampAVX2, avx512: mapClampAVX512}
	mapInside   = mapBody{avx2: mapInsideAVX2, avx512: mapInsideAVX512}
	mapLogCosh  = mapBody{avx2: mapLogCoshAVX2, avx512: mapLogCoshAVX512}
	mapSin      = mapBody{avx2: mapSinAVX2, avx512: mapSinAVX512} // sin(x + tπ/2)
)

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
	run, bytes := body.avx2, 32
	if level == AVX512 {
		run, bytes = body.avx512, 64
	}
	if y == nil {
		y, bytes = ones[:], 0
	}
	run(entryPtr(dst), entryPtr(x), entryPtr(y), len(dst), bytes, t)
}
