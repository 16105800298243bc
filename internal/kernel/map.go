package kernel

// Func is an entrywise function from the closed list. Every one maps NaN to NaN, in all orders,
// and ±Inf to its limit where there is one.
type Func uint8

// The closed list.
const (
	Exp       Func = iota // eˣ
	Log                   // NaN below zero, −Inf at zero
	Tanh                  // tanh x
	Sigmoid               // 1/(1+e⁻ˣ)
	Softplus              // log(1+eˣ)
	ReLU                  // max(x, 0); first derivative 0 at 0
	LeakyReLU             // x above zero, t·x below; first derivative t at 0
	Abs                   // first derivative 0 at 0
	Square                // x²
	Sqrt                  // NaN below zero
	Recip                 // 1/x
	Sin                   // sin x
	Cos                   // cos x
	Huber                 // x²/2 inside |x| ≤ t, t|x|−t²/2 outside; second derivative 1 for |x| < t, else 0
	LogCosh               // log cosh x
	Clamp                 // to [−t, t]; first derivative 1 for |x| < t, else 0
	NumFunc               // how many there are
)

var funcNames = [NumFunc]string{"exp", "log", "tanh", "sigmoid", "softplus", "relu", "leaky_relu", "abs",
	"square", "sqrt", "recip", "sin", "cos", "huber", "log_cosh", "clamp"}

// funcs is the list by name.
var funcs = map[string]Func{}

func init() {
	for f, name := range funcNames {
		funcs[name] = Func(f)
	}
}

// Named finds a function of the list.
func Named(name string) (f Func, ok bool) {
	f, ok = funcs[name]
	return f, ok
}

// String returns the name of f.
func (f Func) String() string { return funcNames[f] }

// Map applies f or a derivative of it; order is 0, 1 or 2 and t is the parameter of the functions
// that have one. Second derivatives of piecewise linear functions are 0. dst may be x.
//
//	dst[i] = f⁽ᵒʳᵈᵉʳ⁾(x[i])
func Map(dst, x []Real, f Func, order int, t Real) {
	runMap(mapJob{dst, x, nil, f, order, t})
}

// MapMul is the backward pass of Map; dst may be x or y.
//
//	dst[i] = f⁽ᵒʳᵈᵉʳ⁾(x[i])·y[i]
func MapMul(dst, x, y []Real, f Func, order int, t Real) {
	runMap(mapJob{dst, x, y[:len(dst)], f, order, t})
}

// mapJob holds the arguments of Map, where y is nil, and MapMul.
type mapJob struct {
	dst, x, y []Real
	f         Func
	order     int
	t         Real
}

var mapJobs jobs[mapJob, *mapJob]

func runMap(j mapJob) {
	if chunks := entryChunks(len(j.dst)); chunks > 1 {
		mapJobs.run(chunks, j)
	} else if chunks == 1 {
		j.do(0)
	}
}

func (j *mapJob) do(c int) {
	lo, hi := entryRange(c, len(j.dst))
	var y []Real
	if j.y != nil {
		y = j.y[lo:hi]
	}
	mapRange(j.dst[lo:hi], j.x[lo:hi], y, j.f, j.order, j.t)
}

// mapPortable computes in float64 and rounds once, then multiplies by y where y is not nil.
func mapPortable(dst, x, y []Real, f Func, order int, t Real) {
	apply, t64 := portable[f][order], float64(t)
	if y == nil {
		for i, v := range x {
			dst[i] = Real(apply(float64(v), t64))
		}
		return
	}
	for i, v := range x {
		dst[i] = Real(apply(float64(v), t64)) * y[i]
	}
}

// mapKernel is dst[i] = f(x[i])·y[i] over n numbers; y moves by step bytes a vector.
type mapKernel func(dst, x, y *Real, n, step int, t Real)

// mapBody is a function or derivative of the closed list as the assembly computes it.
type mapBody struct {
	run   [levelCount]mapKernel
	fixed bool // t is given here, whatever the caller says
	t     Real
}

// withParameter returns b for one value of its parameter.
func (b mapBody) withParameter(t Real) mapBody {
	b.fixed, b.t = true, t
	return b
}

// mapBodies mirrors the table portable.
var mapBodies = [NumFunc][3]mapBody{
	Exp:       {mapExp, mapExp, mapExp},
	Log:       {mapLog, mapRecip, mapRecip1},
	Tanh:      {mapTanh, mapTanh1, mapTanh2},
	Sigmoid:   {mapSigmoid, mapSigmoid1, mapSigmoid2},
	Softplus:  {mapSoftplus, mapSigmoid, mapSigmoid1},
	ReLU:      {mapReLU, mapStep.withParameter(0), mapConstant.withParameter(0)},
	LeakyReLU: {mapLeaky, mapStep, mapConstant.withParameter(0)},
	Abs:       {mapAbs, mapSign, mapConstant.withParameter(0)},
	Square:    {mapSquare, mapDouble, mapConstant.withParameter(2)},
	Sqrt:      {mapSqrt, mapSqrt1, mapSqrt2},
	Recip:     {mapRecip, mapRecip1, mapRecip2},
	Sin:       {mapSin.withParameter(0), mapSin.withParameter(1), mapSin.withParameter(2)},
	Cos:       {mapSin.withParameter(1), mapSin.withParameter(2), mapSin.withParameter(3)},
	Huber:     {mapHuber, mapClamp, mapInside},
	LogCosh:   {mapLogCosh, mapTanh, mapTanh1},
	Clamp:     {mapClamp, mapInside, mapConstant.withParameter(0)},
}

// ones is the y of Map: one vector, which the kernel reads again and again.
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
	bytes := 4 * gemmLevels[level].lanes
	if y == nil {
		y, bytes = ones[:], 0
	}
	body.run[level](entryPtr(dst), entryPtr(x), entryPtr(y), len(dst), bytes, t)
}
