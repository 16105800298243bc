//go:build arm64 && !noasm && !f64

package kernel

// entryLevels are the entrywise kernels by level.
var entryLevels = [levelCount]entryBodies{
	NEON: {
		linear: [numLinear][2]linearKernel{
			opAxpby:  {linearAxpbyRowNEON, linearAxpbyColNEON},
			opMul:    {linearMulRowNEON, linearMulColNEON},
			opMulAdd: {linearMulAddRowNEON, linearMulAddColNEON},
		},
		choose:     [numChoose]chooseKernel{chooseMaximumNEON, chooseMinimumNEON, chooseGreaterNEON},
		complex:    [2]complexKernel{mulComplexNEON, addComplexNEON},
		imComplex:  imComplexNEON,
		sums:       [2][2]sumKernel{{rowSumNEON, rowDotNEON}, {colSumNEON, colDotNEON}},
		maxAbs:     maxAbsNEON,
		softmax:    softmaxNEON,
		logSoftmax: logSoftmaxNEON,
		cross:      crossEntropyNEON,
		dropout:    dropoutNEON,
		transpose:  transposeNEON,
	},
}
