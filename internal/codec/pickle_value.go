package codec

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
