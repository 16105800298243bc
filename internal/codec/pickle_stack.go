package codec

func (d *decoder) push(v any) {
	if len(d.stack) >= MaxStack {
		d.fail("more than %d values wait on the stack", MaxStack)
		return
	}
	d.stack = append(d.stack, v)
}

// pop takes a value off the stack, but not below the last mark.
func (d *decoder) pop() any {
	floor := 0
	if len(d.marks) > 0 {
		floor = d.marks[len(d.marks)-1]
	}
	if len(d.stack) <= floor {
		d.fail("a value is missing on the stack")
		return nil
	}
	v := d.stack[len(d.stack)-1]
	d.stack = d.stack[:len(d.stack)-1]
	return v
}

// top returns the value on top of the stack, which stays there.
func (d *decoder) top() any {
	v := d.pop()
	if d.err == nil {
		d.stack = append(d.stack, v)
	}
	return v
}

func (d *decoder) mark() {
	if len(d.marks) >= MaxStack {
		d.fail("more than %d marks are open", MaxStack)
		return
	}
	d.marks = append(d.marks, len(d.stack))
}

// popMark takes the values above the last mark, and the mark, off the stack. They are valid until the next push.
func (d *decoder) popMark() []any {
	if len(d.marks) == 0 {
		d.fail("a mark is missing")
		return nil
	}
	start := d.marks[len(d.marks)-1]
	d.marks = d.marks[:len(d.marks)-1]
	group := d.stack[start:]
	d.stack = d.stack[:start]
	return group
}

// memoize remembers the value on top of the stack.
func (d *decoder) memoize(i uint32) {
	d.reserve(3)
	if v := d.top(); d.err == nil {
		d.memo[i] = v
	}
}

// get pushes a remembered value.
func (d *decoder) get(i uint32) {
	v, ok := d.memo[i]
	if !ok {
		d.fail("nothing was remembered as %d", i)
		return
	}
	d.push(v)
}

// tuple makes a tuple of the n values on top of the stack.
func (d *decoder) tuple(n int) {
	d.reserve(n + 1)
	t := make(Tuple, n)
	for i := n - 1; i >= 0; i-- {
		t[i] = d.pop()
	}
	d.push(t)
}

// extend adds items to the list on top of the stack.
func (d *decoder) extend(items []any) {
	list, ok := d.top().(*List)
	if d.err == nil && !ok {
		d.fail("items for a list are added to a %s", kindOf(d.top()))
	}
	d.reserve(2 * len(items))
	if d.err == nil {
		list.Items = append(list.Items, items...)
	}
}

// set adds alternating keys and values to the dict on top of the stack.
func (d *decoder) set(pairs []any) {
	d.reserve(2 * len(pairs))
	dict, ok := d.top().(*Dict)
	switch {
	case d.err != nil:
	case !ok:
		d.fail("items for a dict are added to a %s", kindOf(d.top()))
	case len(pairs)%2 != 0:
		d.fail("a key without a value")
	default:
		for i := 0; i < len(pairs); i += 2 {
			dict.Keys = append(dict.Keys, pairs[i])
			dict.Values = append(dict.Values, pairs[i+1])
		}
	}
}

// Tuple is a Python tuple.
type Tuple []any

// List is a Python list.
type List struct{ Items []any }

// Dict is a Python dict in the order of the file. A key that is set twice occurs twice.
type Dict struct{ Keys, Values []any }

// Object is an instance of a class, such as a scipy.sparse.csr_matrix: nothing of it was run. State is what it would
// have been built from.
type Object struct {
	Class string // module and name
	State any    // nil if it has none

	built bool
}

// global is a name that a pickle may mention.
type global string

// The known names.
const (
	csrMatrix   global = "scipy.sparse.csr csr_matrix"
	reconstruct global = "numpy.core.multiarray _reconstruct"
	ndarray     global = "numpy ndarray"
	numpyDType  global = "numpy dtype"
	defaultDict global = "collections defaultdict"
	builtinList global = "__builtin__ list"
	orderedDict global = "collections OrderedDict"
	tensor      global = "torch._utils _rebuild_tensor_v2"
)

var globals = map[global]bool{
	csrMatrix: true, reconstruct: true, ndarray: true, numpyDType: true, defaultDict: true, builtinList: true,
}

// elementType is a numpy.dtype: made from a code such as "f4", complete once its byte order is known.
type elementType struct {
	code  string
	dtype DType
	built bool
}

// Get returns the value of a key of a dict, nil if it has none: of a text as Python 2 or 3 writes it.
func (d *Dict) Get(key string) any {
	for i, k := range d.Keys {
		if b, ok := k.([]byte); ok && string(b) == key || !ok && k == any(key) {
			return d.Values[i]
		}
	}
	return nil
}

// kindOf names the type of a value in an error.
func kindOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "None"
	case bool:
		return "bool"
	case int64:
		return "int"
	case float64:
		return "float"
	case []byte, string:
		return "str"
	case Tuple:
		return "tuple"
	case *List:
		return "list"
	case *Dict:
		return "dict"
	case *Array:
		return "ndarray"
	case *Object:
		return v.Class
	case *storage:
		return "storage"
	case *elementType:
		return "dtype"
	case global:
		return string(v)
	}
	return "unknown"
}
