//go:build arm64 && !noasm && !f64

package kernel

// Bodies that several functions share.
var (
	mapExp      = mapBody{run: [levelCount]mapKernel{NEON: mapExpNEON}}
	mapLog      = mapBody{run: [levelCount]mapKernel{NEON: mapLogNEON}}
	mapTanh     = mapBody{run: [levelCount]mapKernel{NEON: mapTanhNEON}}
	mapTanh1    = mapBody{run: [levelCount]mapKernel{NEON: mapTanh1NEON}}
	mapTanh2    = mapBody{run: [levelCount]mapKernel{NEON: mapTanh2NEON}}
	mapSigmoid  = mapBody{run: [levelCount]mapKernel{NEON: mapSigmoidNEON}}
	mapSigmoid1 = mapBody{run: [levelCount]mapKernel{NEON: mapSigmoid1NEON}}
	mapSigmoid2 = mapBody{run: [levelCount]mapKernel{NEON: mapSigmoid2NEON}}
	mapSoftplus = mapBody{run: [levelCount]mapKernel{NEON: mapSoftplusNEON}}
	mapReLU     = mapBody{run: [levelCount]mapKernel{NEON: mapReLUNEON}}
	mapLeaky    = mapBody{run: [levelCount]mapKernel{NEON: mapLeakyNEON}}
	mapStep     = mapBody{run: [levelCount]mapKernel{NEON: mapStepNEON}}
	mapConstant = mapBody{run: [levelCount]mapKernel{NEON: mapConstantNEON}}
	mapAbs      = mapBody{run: [levelCount]mapKernel{NEON: mapAbsNEON}}
	mapSign     = mapBody{run: [levelCount]mapKernel{NEON: mapSignNEON}}
	mapSquare   = mapBody{run: [levelCount]mapKernel{NEON: mapSquareNEON}}
	mapDouble   = mapBody{run: [levelCount]mapKernel{NEON: mapDoubleNEON}}
	mapSqrt     = mapBody{run: [levelCount]mapKernel{NEON: mapSqrtNEON}}
	mapSqrt1    = mapBody{run: [levelCount]mapKernel{NEON: mapSqrt1NEON}}
	mapSqrt2    = mapBody{run: [levelCount]mapKernel{NEON: mapSqrt2NEON}}
	mapRecip    = mapBody{run: [levelCount]mapKernel{NEON: mapRecipNEON}}
	mapRecip1   = mapBody{run: [levelCount]mapKernel{NEON: mapRecip1NEON}}
	mapRecip2   = mapBody{run: [levelCount]mapKernel{NEON: mapRecip2NEON}}
	mapHuber    = mapBody{run: [levelCount]mapKernel{NEON: mapHuberNEON}}
	mapClamp    = mapBody{run: [levelCount]mapKernel{NEON: mapClampNEON}}
	mapInside   = mapBody{run: [levelCount]mapKernel{NEON: mapInsideNEON}}
	mapLogCosh  = mapBody{run: [levelCount]mapKernel{NEON: mapLogCoshNEON}}
	mapSin      = mapBody{run: [levelCount]mapKernel{NEON: mapSinNEON}} // sin(x + tπ/2)
)

// mapBytes is the size of a vector.
func mapBytes(Level) int { return 32 }
