//go:build amd64 && !noasm && !f64

package kernel

// entryLevels are the entrywise kernels by level.
var entryLevels = [levelCount]entryBodies{
	AVX2: {
		linear: [numLinear][2]linearKernel{
			opAxpby:  {linearAxpbyRowAVX2, linearAxpbyColAVX2},
			opMul:    {linearMulRowAVX2, linearMulColAVX2},
			opMulAdd: {linearMulAddRowAVX2, linearMulAddColAVX2},
		},
		choose:     [numChoose]chooseKernel{chooseMaximumAVX2, chooseMinimumAVX2, chooseGreaterAVX2},
		complex:    [2]complexKernel{mulComplexAVX2, addComplexAVX2},
		imComplex:  imComplexAVX2,
		sums:       [2][2]sumKernel{{rowSumAVX2, rowDotAVX2}, {colSumAVX2, colDotAVX2}},
		maxAbs:     maxAbsAVX2,
		softmax:    softmaxAVX2,
		logSoftmax: logSoftmaxAVX2,
		cross:      crossEntropyAVX2,
		dropout:    dropoutAVX2,
		transpose:  transposeAVX2,
	},
	AVX512: {
		linear: [numLinear][2]linearKernel{
			opAxpby:  {linearAxpbyRowAVX512, linearAxpbyColAVX512},
			opMul:    {linearMulRowAVX512, linearMulColAVX512},
			opMulAdd: {linearMulAddRowAVX512, linearMulAddColAVX512},
		},
		choose:     [numChoose]chooseKernel{chooseMaximumAVX512, chooseMinimumAVX512, chooseGreaterAVX512},
		complex:    [2]complexKernel{mulComplexAVX512, addComplexAVX512},
		imComplex:  imComplexAVX512,
		sums:       [2][2]sumKernel{{rowSumAVX512, rowDotAVX512}, {colSumAVX512, colDotAVX512}},
		maxAbs:     maxAbsAVX512,
		softmax:    softmaxAVX512,
		logSoftmax: logSoftmaxAVX512,
		cross:      crossEntropyAVX512,
		dropout:    dropoutAVX512,
		transpose:  transposeAVX2,
	},
}
