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

// String is the name of f.
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
