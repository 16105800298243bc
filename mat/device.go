package mat

import (
	"fmt"

	"github.com/bloomgml/bloom/internal/kernel"
)

// Real is the number matrices are made of: float32, or float64 under the build tag f64.
type Real = kernel.Real

// Func is an entrywise function, by its name in a closed list:
//
//	exp  log  tanh  sigmoid  sqrt  sin  cos  abs
//	square      x²
//	recip       1/x
//	softplus    log(1+eˣ)
//	log_cosh    log cosh x
//	relu        max(x, 0)
//	leaky_relu  x above zero, t·x below
//	huber       x²/2 inside |x| ≤ t, t|x| − t²/2 outside
//	clamp       x cut to [−t, t]
//
// Every one maps NaN to NaN, in all orders, and ±Inf to its limit where there is one; log is −Inf at zero, and log and
// sqrt are NaN below. At a kink the first derivative of relu and abs is 0, of leaky_relu t; the first of clamp and the
// second of huber are 1 for |x| < t, else 0.
type Func string

// Buffer is memory of one Device: the numbers of a matrix, the lists of an Index, a Sparse, Triples or Groups, or a
// Seed. Its contents are private to that Device; Len is how many numbers, ids, entries, triples or groups it holds.
type Buffer interface{ Len() int }

// Device owns memory and runs the operations. Shapes have been checked when a method is called, all operands live on
// the receiver, and the comment of the function of the same name in this package is the contract. The accessor Buffer
// of an operand returns the Buffer that this Device made for it.
//
// Operations may still be under way when a method returns; they take effect in the order of the calls, and Read, At and
// FirstNonFinite wait for them. Nothing else looks at numbers, so the operations of a compiled program can be recorded
// (Recorder).
//
// The list is what every Device must have. Fused operations are the optional interfaces Stepper, Descender, Normalizer
// and Turner: where a Device lacks one, package ad runs the plain form. Where it has the method Cut(b Buffer, from, n
// int) Buffer, the numbers from, …, from+n−1 of b in the same place, package ad runs operations on blocks of rows. With
// ImComplex(dst, a, b *Dense), dst ← Im a∘b̄ of rows [Re | Im], it takes derivatives to angles in one operation.
type Device interface {
	Name() string

	Alloc(n int) Buffer // n zeros
	Free(b Buffer)      // for memory of any kind that is not used any more; what nobody can reach is freed without it
	Write(dst Buffer, src []Real)
	Read(dst []Real, src Buffer)
	At(x *Dense, i int) Real
	Sync() // waits until everything asked for is done

	// Each runs the pieces 0, …, n−1 of t, in sequence or in parallel: the CPU runs them on all its threads, and the
	// operations of a piece run on its thread alone. With enough independent work, this avoids a barrier after every
	// operation. Pieces share no destination.
	Each(n int, t Task)

	// Lists have been checked. Index may keep ids; the others copy or only read what they are given. An Update changes
	// the Buffer in place, so recorded operations read the new list.
	Index(ids []int32, bound int) Buffer
	UpdateIndex(x Buffer, ids []int32)
	Pattern(rows, cols int, ptr []int64, idx []int32) Buffer // may keep ptr and idx
	UpdatePattern(s Buffer, idx []int32)
	Triples(bounds [3]int, ids [3][]int32) Buffer // by their first number; a batch fills its capacity
	UpdateTriples(t Buffer, ids [3][]int32)       // the same number or fewer
	Groups(bounds []int) Buffer                   // group g is rows bounds[g] ≤ i < bounds[g+1]
	UpdateGroups(g Buffer, bounds []int)
	Seed() Buffer // 0
	UpdateSeed(s Buffer, v uint64)

	Copy(dst, x *Dense)
	Fill(dst *Dense, v Real)
	Uniform(dst *Dense, lo, hi Real, seed uint64)
	Normal(dst *Dense, mean, sd Real, seed uint64)

	MatMul(dst, a, b *Dense, t Trans, alpha, beta Real)
	GroupMatMul(dst *Dense, g *Groups, a, b *Dense, t Trans, beta Real)
	SpMM(dst *Dense, s *Sparse, transpose bool, val, x *Dense, alpha, beta Real)
	SDDMM(dst *Dense, s *Sparse, x, y *Dense)
	Gather(dst, x *Dense, idx *Index)
	Scatter(dst, x *Dense, idx *Index)
	SegmentSum(dst, x *Dense, idx *Index, alpha, beta Real)
	RelMM(dst *Dense, t *Triples, to int, x, y *Dense, beta Real)
	RelStats(s RelStatistics, t *Triples, x, y *Dense)
	RelStatsVJP(dm *Dense, s RelStatistics, t *Triples, x, y *Dense)

	Map(dst, x *Dense, f Func, order int, t Real)
	MapMul(dst, x, y *Dense, f Func, order int, t Real)
	Affine(dst, x *Dense, alpha, beta Real)
	Axpby(dst, a, b *Dense, alpha, beta Real)
	Mul(dst, a, b *Dense, alpha Real, add bool)
	Maximum(dst, a, b *Dense, min bool)
	GreaterMask(dst, a, b, y *Dense)
	Expand(dst, b *Dense)

	SumRows(dst, x *Dense)
	SumCols(dst, x *Dense)
	Sum(dst, x *Dense)
	RowDot(dst, a, b *Dense)
	ColDot(dst, a, b *Dense)
	Dot(dst, a, b *Dense)
	Largest(dst, x *Dense)
	MarkNonFinite(flag, x *Dense, code Real)
	FirstNonFinite(x *Dense) int

	Softmax(dst, x *Dense, log bool)
	CrossEntropy(dst, x *Dense, labels, pick *Index)
	CrossEntropyGrad(dst, x *Dense, labels, pick *Index)
	Dropout(dst, x *Dense, p Real, seed *Seed, site uint64)
	Adam(w, m, v, grad *Dense, c AdamConfig, t int)

	Transpose(dst, x *Dense)
	CopyCols(dst, x *Dense, to, from, cols int)
}

// Stepper is a Device with fused descent steps.
type Stepper interface {
	Step(dst, h, s, p, a, b, c *Dense, kind StepKind)
	StepVJP(dh, ds, dp, g, out, h, p, a, b, c *Dense, kind StepKind)
}

// Descender is a Device that runs a whole descent as one operation.
type Descender interface {
	TapeLen(h Shape, d Descent) int
	Descend(dst, tape, h0, p *Dense, d Descent)
	DescendVJP(dh0, dp, g, tape *Dense, d Descent)
}

// Normalizer is a Device with fused layer normalisation.
type Normalizer interface {
	Norm(dst, z, bias, scale, shift *Dense, eps, floor Real, add bool)
	NormVJP(dz, dp, g, z, bias, scale, shift *Dense, eps, floor Real)
}

// Turner is a Device with products of complex numbers, by which rows are turned.
type Turner interface {
	MulComplex(dst, a, b *Dense, conj, add bool)
}

// imaginary is a Device with dst ← Im a∘b̄, n×k, of complex rows [Re | Im] of 2k numbers.
type imaginary interface {
	ImComplex(dst, a, b *Dense)
}

// Crowd is a Device that works on many matrices in one operation.
type Crowd interface {
	AdamAll(list []Moved, c AdamConfig, t int)
	MarkAll(flag *Dense, xs []*Dense)
}

// cutter is a Device that can cut memory: Cut is the n numbers of b from number from on, in the same place.
type cutter interface {
	Cut(b Buffer, from, n int) Buffer
}

// fused returns dev as the optional interface that op belongs to; it panics if dev does not implement it.
func fused[T any](op string, dev Device) T {
	t, ok := dev.(T)
	if !ok {
		panic(fmt.Sprintf("mat: %s: the device %s does not have it", op, dev.Name()))
	}
	return t
}

// mustShare panics with the names of both devices where an operand, which may be nil, is not on dev.
func mustShare(op string, dev Device, xs ...*Dense) {
	for _, x := range xs {
		if x != nil && x.dev != dev {
			mustBeOn(op, dev, x.dev)
		}
	}
}

// mustBeOn is mustShare for the device of a list.
func mustBeOn(op string, dev, other Device) {
	if dev != other {
		panic(fmt.Sprintf("mat: %s: operands on the devices %s and %s", op, dev.Name(), other.Name()))
	}
}

// Recorder is a Device that can record operations and replay them at once, like a CUDA graph. Package ad records what a
// compiled program does between two host operations.
type Recorder interface {
	// Record calls f, which issues operations on the receiver, and returns a function that replays all of them: on the
	// memory that the operands have now, wherever an Alias leads later, and with the numbers that it holds by then.
	// They do not run during f, but operations of other goroutines do. f must not bring numbers to the host, write,
	// update or allocate. The memory of operands must not be freed as long as replay is called.
	Record(f func()) (replay func())
}
