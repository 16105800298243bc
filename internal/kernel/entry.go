package kernel

import "unsafe"

//go:generate go -C gen run . entry
//go:generate go -C gen run ./neon -name entry

// entryChunk is how many numbers one chunk of an entrywise kernel covers: about 10 µs of work in memory, and three
// operands of a chunk fit in a second-level cache. It divides 2³², so the positions of a chunk share their high half
// (see Dropout).
const entryChunk = 1 << 14

// entryChunks returns the number of chunks of n numbers.
func entryChunks(n int) int { return (n + entryChunk - 1) / entryChunk }

// entryRange returns chunk c of n numbers: [lo, hi).
func entryRange(c, n int) (lo, hi int) {
	lo = c * entryChunk
	return lo, min(lo+entryChunk, n)
}

// rowsPerChunk returns how many rows of cols numbers make a chunk, at least one.
func rowsPerChunk(cols int) int { return max(1, entryChunk/max(1, cols)) }

// rowChunks returns the number of chunks of rows×cols numbers cut between rows.
func rowChunks(rows, cols int) int {
	per := rowsPerChunk(cols)
	return (rows + per - 1) / per
}

// rowRange returns chunk c of rows×cols numbers: rows [lo, hi).
func rowRange(c, rows, cols int) (lo, hi int) {
	per := rowsPerChunk(cols)
	return c * per, min((c+1)*per, rows)
}

// chooseKernel compares n numbers of a and b.
type chooseKernel func(dst, a, b, y *Real, n int)

// entryBodies holds the bodies of one level, see gen.
type entryBodies struct {
	linear     [numLinear][2]linearKernel // by operation, and whether b is ByCol
	choose     [numChoose]chooseKernel
	complex    [2]complexKernel // dst = and dst +=
	imComplex  func(dst, a, b *Real, rows, half int)
	sums       [2][2]sumKernel // by rows or columns, and without or with b
	maxAbs     func(x *Real, n int) Real
	softmax    func(dst, x *Real, pick *int32, rows, cols int, scale Real)
	logSoftmax func(dst, x *Real, rows, cols int)
	cross      func(loss, x *Real, labels, pick *int32, rows, cols int)
	dropout    func(dst, x *Real, n int, start, low, high, threshold uint32, scale Real)
	transpose  func(dst, x *Real, n, ldd, ldx int) // eight columns
}

// entryPtr returns the address of x[0], for kernels in assembly; x may be empty.
func entryPtr[T any](x []T) *T { return unsafe.SliceData(x) }
