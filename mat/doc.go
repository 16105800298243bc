// Package mat holds matrices and the closed list of operations on them.
//
// A Dense is a row-major matrix of Real numbers in the memory of a Device; a Sparse is a pattern
// of entries whose values, if it has any, are a Dense of one column; an Index is a list of row
// numbers. Operations are functions with the destination first:
//
//	mat.MatMul(c, a, b, mat.NN, 1, 0)      // C ← A·B
//	mat.SpMM(y, adj, false, nil, x, 1, 0)  // Y ← A·X
//
// They check shapes, panic with both shapes when they disagree and with both names when operands live on two devices,
// and ask the destination's Device to do the work. Nothing above this package looks inside a matrix: the CPU is the
// first Device, and another one, in any package, needs only to implement the interface of that name and to pass
// mattest.TestDevice.
//
// A matrix that is given to an operation as an input is never modified by it. The destination may
// be the same matrix as an input only where the operation says so; in entrywise operations, from Copy
// to Dropout, it may be any input of its own shape. An operand b of an entrywise operation may have
// the shape of dst, one row (repeated for every row), one column, or be 1×1.
package mat
