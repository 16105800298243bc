package ad

import (
	"sync/atomic"

	"github.com/bloomgml/bloom/mat"
)

// Var is one matrix of an expression. The zero Var means that a derivative is absent, like a matrix of zeros; only
// Op.VJP sees it.
type Var struct {
	n   *node
	out int // which output of the node
}

// node is one operation, or a leaf. It is immutable.
type node struct {
	id     uint64 // creation number, larger than any input's
	op     Op     // nil for a leaf
	in     []Var
	shapes []mat.Shape
	leaf   *mat.Dense
	fixed  bool // the value can never change
	leafy  bool // it is made of leaves, not of numbers alone
}

// created counts nodes: the order of creation is an order of evaluation.
var created atomic.Uint64

// Const returns the matrix m, which must not change afterwards.
func Const(m *mat.Dense) Var { return leaf(m, true) }

// Input returns the matrix m as it is when a program runs.
func Input(m *mat.Dense) Var { return leaf(m, false) }

func leaf(m *mat.Dense, fixed bool) Var {
	return Var{n: &node{id: created.Add(1), shapes: []mat.Shape{m.Shape()}, leaf: m, fixed: fixed, leafy: true}}
}

// Param is a matrix to be trained.
type Param struct {
	Name string
	Var
}

// NewParam returns a parameter that starts as m and owns it.
func NewParam(name string, m *mat.Dense) *Param { return &Param{name, Input(m)} }

// Value returns the parameter's matrix; an optimiser changes it in place between runs.
func (p *Param) Value() *mat.Dense { return p.n.leaf }

// Shape returns the shape of the matrix.
func (v Var) Shape() mat.Shape { return v.n.shapes[v.out] }

// Rows returns the number of rows.
func (v Var) Rows() int { return v.Shape().Rows }

// Cols returns the number of columns.
func (v Var) Cols() int { return v.Shape().Cols }

// IsZero reports whether v is the zero Var: no expression, a derivative that is absent.
func (v Var) IsZero() bool { return v.n == nil }

// Fixed reports whether the value can never change between runs.
func (v Var) Fixed() bool { return v.n.fixed }

// Op is an operation with its derivative. The built-in operations are Ops too.
//
// Two nodes whose Ops are equal (==) and whose inputs are equal are computed once, so an Op must be a function of its
// inputs and of its own fields alone. An Op may also have one of these methods:
//
//	InPlace() int
//	TryEval(out, in []*mat.Dense) error
//	Failed(in []*mat.Dense) error
//	Looks()
//
// InPlace returns n if the first output may overwrite any of the first n inputs that has the same shape.
//
// TryEval is for an Op that looks at numbers, like an iteration that goes on until it converges, and that may fail. It
// is called in place of Eval; Run stops there and returns its error. A Device that records programs ends a recording
// before it and starts another after it: no other Op may bring numbers to the host, write, update or, once it has been
// evaluated, allocate.
//
// Failed is for an Op whose first input must be finite. Every run checks this without the host; a run in which the
// check fails goes on to its end, or to the next TryEval, and is then repeated up to this Op. Failed, which may look at
// anything, returns the error that Run returns.
//
// Looks is for an Op with Failed that does nothing else: its one output is its first input, and Eval is never called.
type Op interface {
	// Name is a short word for profiles and errors.
	Name() string
	// Shapes returns the shapes of the outputs; it panics if the inputs do not fit.
	Shapes(in []mat.Shape) []mat.Shape
	// Eval computes the outputs. Outputs share no memory with inputs, except as InPlace allows.
	Eval(out, in []*mat.Dense)
	// VJP returns for every input the derivative of Σ g∘out, as an expression, or the zero Var if it is zero. g[i] is
	// the zero Var if output i has no cotangent.
	VJP(in, out, g []Var) []Var
}

// Optional methods of an Op.
type (
	inPlacer interface{ InPlace() int }
	hostOp   interface {
		TryEval(out, in []*mat.Dense) error
	}
	checked interface{ Failed(in []*mat.Dense) error }
	looker  interface{ Looks() }
	byRows  interface{ Rowwise() } // see rowwise
)

// adder is an Op with one output that can be added to what is already there.
type adder interface{ EvalAdd(out, in []*mat.Dense) }

// scaler is an adder that can multiply its result by a number.
type scaler interface {
	adder
	scaled(c mat.Real) Op
}

// optional is an Op that can do without the memory of an output that nobody reads: Eval then finds nil there.
type optional interface{ optional(out int) bool }

// reader is an Op whose Eval reads only its first inputs; the others are there for VJP.
type reader interface{ Reads() int }

// Apply returns the outputs of op for the given inputs.
func Apply(op Op, in ...Var) []Var {
	shapes := make([]mat.Shape, len(in))
	t, ok := op.(timed)
	fixed, leafy := !ok || !t.timed(), false
	for i, v := range in {
		shapes[i] = v.Shape()
		fixed, leafy = fixed && v.n.fixed, leafy || v.n.leafy
	}
	n := &node{op: op, in: in, shapes: op.Shapes(shapes), fixed: fixed, leafy: leafy}
	n.id = created.Add(1)
	outs := make([]Var, len(n.shapes))
	for i := range outs {
		outs[i] = Var{n, i}
	}
	return outs
}

// apply1 is Apply for operations with one output.
func apply1(op Op, in ...Var) Var { return Apply(op, in...)[0] }

// timed is an operation whose result may change between runs though its inputs do not: with a Clock,
// or with a batch.
type timed interface{ timed() bool }
