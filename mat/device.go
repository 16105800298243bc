package mat

import "github.com/bloomgml/bloom/internal/kernel"

// Real is the number matrices are made of: float32, or float64 under the build tag f64.
type Real = kernel.Real

// Func is an entrywise function from a closed list. Every one maps NaN to NaN, in all orders, and
// ±Inf to its limit where there is one.
type Func = kernel.Func

// The entrywise functions. LeakyReLU, Huber and Clamp have a parameter t.
const (
	Exp       = kernel.Exp       // eˣ
	Log       = kernel.Log       // NaN below zero, −Inf at zero
	Tanh      = kernel.Tanh      // tanh x
	Sigmoid   = kernel.Sigmoid   // 1/(1+e⁻ˣ)
	Softplus  = kernel.Softplus  // log(1+eˣ)
	ReLU      = kernel.ReLU      // max(x, 0); first derivative 0 at 0
	LeakyReLU = kernel.LeakyReLU // x above zero, t·x below; first derivative t at 0
	Abs       = kernel.Abs       // |x|; first derivative 0 at 0
	Square    = kernel.Square    // x²
	Sqrt      = kernel.Sqrt      // √x, NaN below zero
	Recip     = kernel.Recip     // 1/x
	Sin       = kernel.Sin       // sin x
	Cos       = kernel.Cos       // cos x
	Huber     = kernel.Huber     // x²/2 inside |x| ≤ t, t|x| − t²/2 outside; second derivative 1 for |x| < t, else 0
	LogCosh   = kernel.LogCosh   // log cosh x
	Clamp     = kernel.Clamp     // x cut to [−t, t]; first derivative 1 for |x| < t, else 0
)

// Buffer is memory of one Device. What it is made of is that Device's business.
type Buffer interface{ Len() int }

// Device owns memory and runs the operations. Shapes have been checked when a method is called,
// all operands live on the receiver, and the comment of the function of the same name in this
// package is the contract.
type Device interface {
	Name() string

	Alloc(n int) Buffer
	Write(dst Buffer, src []Real)
	Read(dst []Real, src Buffer)
	At(x *Dense, i int) Real
	Index(ids []int32, bound int) Lists // may keep ids
	Pattern(rows, cols int, ptr []int64, idx []int32) (Lists, Lists, error)
	UpdateIndex(x Lists, ids []int32)
	UpdatePattern(byRow, byCol Lists, idx []int32)
	Triples(bounds [3]int, ids [3][]int32) [3]Lists
	UpdateTriples(lists [3]Lists, ids [3][]int32)

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
	NormReLU(dst, z, bias, scale, shift *Dense, eps Real, add bool)
	NormReLUVJP(dz, dp, g, z, bias, scale, shift *Dense, eps Real)
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
	MaxAbs(x *Dense) Real
	FirstNonFinite(x *Dense) int

	Softmax(dst, x *Dense, log bool)
	CrossEntropy(dst, x *Dense, labels, pick *Index)
	CrossEntropyGrad(dst, x *Dense, labels, pick *Index)
	Dropout(dst, x *Dense, p Real, seed uint64)
	Adam(w, m, v, grad *Dense, c AdamConfig, t int)

	Transpose(dst, x *Dense)
	CopyCols(dst, x *Dense, to, from, cols int)

	Step(dst, h, s, p, a, b, c *Dense, kind StepKind)
	StepVJP(dh, ds, dp, g, out, h, p, a, b, c *Dense, kind StepKind)
	TapeLen(h Shape, d Descent) int
	Descend(dst, tape, h0, p *Dense, d Descent)
	DescendVJP(dh0, dp, g, tape *Dense, d Descent)
}

// Lists is a Device's form of an Index, of one side of a Sparse or of one list of a Triples.
type Lists interface{ Len() int }
