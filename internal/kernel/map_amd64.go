//go:build amd64 && !noasm && !f64

package kernel

// Bodies that several functions share.
var (
	mapExp      = mapBody{run: [levelCount]mapKernel{AVX2: mapExpAVX2, AVX512: mapExpAVX512}}
	mapLog      = mapBody{run: [levelCount]mapKernel{AVX2: mapLogAVX2, AVX512: mapLogAVX512}}
	mapTanh     = mapBody{run: [levelCount]mapKernel{AVX2: mapTanhAVX2, AVX512: mapTanhAVX512}}
	mapTanh1    = mapBody{run: [levelCount]mapKernel{AVX2: mapTanh1AVX2, AVX512: mapTanh1AVX512}}
	mapTanh2    = mapBody{run: [levelCount]mapKernel{AVX2: mapTanh2AVX2, AVX512: mapTanh2AVX512}}
	mapSigmoid  = mapBody{run: [levelCount]mapKernel{AVX2: mapSigmoidAVX2, AVX512: mapSigmoidAVX512}}
	mapSigmoid1 = mapBody{run: [levelCount]mapKernel{AVX2: mapSigmoid1AVX2, AVX512: mapSigmoid1AVX512}}
	mapSigmoid2 = mapBody{run: [levelCount]mapKernel{AVX2: mapSigmoid2AVX2, AVX512: mapSigmoid2AVX512}}
	mapSoftplus = mapBody{run: [levelCount]mapKernel{AVX2: mapSoftplusAVX2, AVX512: mapSoftplusAVX512}}
	mapReLU     = mapBody{run: [levelCount]mapKernel{AVX2: mapReLUAVX2, AVX512: mapReLUAVX512}}
	mapLeaky    = mapBody{run: [levelCount]mapKernel{AVX2: mapLeakyAVX2, AVX512: mapLeakyAVX512}}
	mapStep     = mapBody{run: [levelCount]mapKernel{AVX2: mapStepAVX2, AVX512: mapStepAVX512}}
	mapConstant = mapBody{run: [levelCount]mapKernel{AVX2: mapConstantAVX2, AVX512: mapConstantAVX512}}
	mapAbs      = mapBody{run: [levelCount]mapKernel{AVX2: mapAbsAVX2, AVX512: mapAbsAVX512}}
	mapSign     = mapBody{run: [levelCount]mapKernel{AVX2: mapSignAVX2, AVX512: mapSignAVX512}}
	mapSquare   = mapBody{run: [levelCount]mapKernel{AVX2: mapSquareAVX2, AVX512: mapSquareAVX512}}
	mapDouble   = mapBody{run: [levelCount]mapKernel{AVX2: mapDoubleAVX2, AVX512: mapDoubleAVX512}}
	mapSqrt     = mapBody{run: [levelCount]mapKernel{AVX2: mapSqrtAVX2, AVX512: mapSqrtAVX512}}
	mapSqrt1    = mapBody{run: [levelCount]mapKernel{AVX2: mapSqrt1AVX2, AVX512: mapSqrt1AVX512}}
	mapSqrt2    = mapBody{run: [levelCount]mapKernel{AVX2: mapSqrt2AVX2, AVX512: mapSqrt2AVX512}}
	mapRecip    = mapBody{run: [levelCount]mapKernel{AVX2: mapRecipAVX2, AVX512: mapRecipAVX512}}
	mapRecip1   = mapBody{run: [levelCount]mapKernel{AVX2: mapRecip1AVX2, AVX512: mapRecip1AVX512}}
	mapRecip2   = mapBody{run: [levelCount]mapKernel{AVX2: mapRecip2AVX2, AVX512: mapRecip2AVX512}}
	mapHuber    = mapBody{run: [levelCount]mapKernel{AVX2: mapHuberAVX2, AVX512: mapHuberAVX512}}
	mapClamp    = mapBody{run: [levelCount]mapKernel{AVX2: mapClampAVX2, AVX512: mapClampAVX512}}
	mapInside   = mapBody{run: [levelCount]mapKernel{AVX2: mapInsideAVX2, AVX512: mapInsideAVX512}}
	mapLogCosh  = mapBody{run: [levelCount]mapKernel{AVX2: mapLogCoshAVX2, AVX512: mapLogCoshAVX512}}
	mapSin      = mapBody{run: [levelCount]mapKernel{AVX2: mapSinAVX2, AVX512: mapSinAVX512}} // sin(x + tπ/2)
)

// mapBytes is the size of a vector.
func mapBytes(l Level) int {
	if l == AVX512 {
		return 64
	}
	return 32
}
