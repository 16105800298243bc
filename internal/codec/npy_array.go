package codec

import (
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"github.com/bloomgml/bloom/internal/files"
)

// Array is an array as stored in a file. Ints, Floats and the like return its elements row by row, whatever the order
// of the file; element i means number i in that order.
type Array struct {
	Shape   []int // empty for a single element
	DType   DType
	Fortran bool   // in Data the first index runs fastest, not the last
	Data    []byte // the elements, in the order and the byte order of the file

	file  string // where it came from, for errors
	start int64  // of Data in file

	budget *files.Budget // for the results of Ints, Floats and the like
}

// NewArray returns the array at byte start of a file, for readers of formats that hold arrays. It keeps Data, which
// must have exactly the bytes that type and shape require.
func NewArray(file string, start int64, d DType, shape []int, fortran bool, data []byte, b *files.Budget) (*Array,
	error) {
	size, err := byteSize(d, shape)
	if err != nil {
		return nil, files.ErrorAtByte(file, start, "%v", err)
	}
	if size != int64(len(data)) {
		return nil, files.ErrorAtByte(file, start, "an array of shape %v and type %s takes %d bytes, there are %d",
			shape, d, size, len(data))
	}
	return &Array{Shape: slices.Clone(shape), DType: d, Fortran: fortran, Data: data, file: file, start: start,
		budget: b}, nil
}

// MaxDims is the largest number of dimensions, as in NumPy.
const MaxDims = 64

// byteSize returns the product of shape and the size of an element. Like NumPy, it refuses a product that overflows
// even if another dimension is 0.
func byteSize(d DType, shape []int) (int64, error) {
	if len(shape) > MaxDims {
		return 0, fmt.Errorf("%d dimensions are more than %d", len(shape), MaxDims)
	}
	if d.Size <= 0 {
		return 0, fmt.Errorf("an element type of %d bytes", d.Size)
	}
	size, empty := uint64(d.Size), false
	for _, n := range shape {
		if n < 0 {
			return 0, fmt.Errorf("shape %v has a negative dimension", shape)
		}
		if n == 0 {
			empty = true
			continue
		}
		high, low := bits.Mul64(size, uint64(n))
		if high != 0 || low > 1<<62 {
			return 0, fmt.Errorf("shape %v with %d bytes per element does not fit into memory", shape, d.Size)
		}
		size = low
	}
	if empty {
		return 0, nil
	}
	return int64(size), nil
}

// Len returns the number of elements.
func (a *Array) Len() int {
	if a.DType.Size == 0 {
		return 0
	}
	return len(a.Data) / a.DType.Size
}

// Is reports whether a has this shape; −1 stands for any length.
func (a *Array) Is(shape ...int) bool {
	return slices.EqualFunc(a.Shape, shape, func(have, want int) bool { return want == have || want < 0 })
}

// Errorf returns an error at element i, with its file and offset.
func (a *Array) Errorf(i int, format string, args ...any) error {
	return files.ErrorAtByte(a.file, a.start+int64(a.place(i)*a.DType.Size), format, args...)
}

// place returns the index in Data of element i, counted row by row.
func (a *Array) place(i int) int {
	if !a.Fortran {
		return i
	}
	at, stride := 0, a.Len()
	for d := len(a.Shape) - 1; d >= 0; d-- { // the last index first: i mod its length
		n := max(a.Shape[d], 1)
		stride /= n
		at += i % n * stride
		i /= n
	}
	return at
}

// allocate returns a slice for the elements as values of a type, and takes twice its memory if they have to be
// reordered.
func allocate[T any](a *Array) ([]T, error) {
	var one T
	size := int64(a.Len()) * int64(unsafe.Sizeof(one))
	if a.Fortran {
		size *= 2
	}
	if err := a.budget.Take(size, fmt.Sprintf("%s: %d numbers", a.file, a.Len())); err != nil {
		return nil, err
	}
	return make([]T, a.Len()), nil
}

// rowMajor reorders elements from the order of Data to row by row.
func rowMajor[T any](a *Array, v []T) []T {
	if !a.Fortran || len(a.Shape) < 2 || len(v) == 0 {
		return v
	}
	dims := len(a.Shape)
	index, stride := make([]int, dims), make([]int, dims)
	step := 1
	for d, n := range a.Shape {
		stride[d] = step
		step *= n
	}
	out, at := make([]T, len(v)), 0
	for i := range out {
		out[i] = v[at]
		for d := dims - 1; d >= 0; d-- { // the next index: the last counts up, carrying to the left
			index[d]++
			at += stride[d]
			if index[d] < a.Shape[d] {
				break
			}
			at -= stride[d] * index[d]
			index[d] = 0
		}
	}
	return out
}

// Kind is what the elements of an array are. The zero Kind is invalid.
type Kind uint8

// The kinds of elements.
const (
	Bool  Kind = iota + 1 // 0 or 1, one byte
	Int                   // signed, 1, 2, 4 or 8 bytes
	Uint                  // unsigned, 1, 2, 4 or 8 bytes
	Float                 // IEEE 754, 2, 4 or 8 bytes
	Bytes                 // a string of bytes, padded with zeros
	Text                  // a string of code points of 4 bytes each, padded with zeros
)

// DType is the type of an element.
type DType struct {
	Kind Kind
	Size int  // bytes of one element
	Big  bool // the most significant byte comes first
}

// letters are the kinds as NumPy writes them, and their valid sizes; no sizes for strings.
var letters = map[byte]struct {
	kind  Kind
	sizes string
}{
	'b': {Bool, "1"}, '?': {Bool, "1"},
	'i': {Int, "1248"}, 'u': {Uint, "1248"}, 'f': {Float, "248"},
	'S': {Bytes, ""}, 'a': {Bytes, ""}, 'U': {Text, ""},
}

// refused names the NumPy kinds that this package does not read.
var refused = map[byte]string{
	'O': "Python objects", 'c': "complex numbers", 'V': "raw bytes", 'M': "dates", 'm': "time spans",
}

// ParseDType reads a type as NumPy writes it, such as "<f4", "|b1" or "<U7": byte order, kind,
// size. The byte order may be left out, as in a pickle.
func ParseDType(text string) (DType, error) {
	fail := func(why string) (DType, error) {
		return DType{}, fmt.Errorf("element type %q: %s", text, why)
	}
	rest, big := text, false
	if rest != "" && (rest[0] == '<' || rest[0] == '>' || rest[0] == '|' || rest[0] == '=') {
		big = rest[0] == '>'
		rest = rest[1:]
	}
	if rest == "?" {
		rest = "?1"
	}
	if rest == "" {
		return fail("it is empty")
	}
	if what, ok := refused[rest[0]]; ok {
		return fail(what + " are not read")
	}
	letter, ok := letters[rest[0]]
	if !ok {
		return fail("unknown")
	}
	n, err := strconv.ParseUint(rest[1:], 10, 31)
	if err != nil || n == 0 {
		return fail("its size is not a number from 1 to 2³¹−1")
	}
	if letter.sizes != "" && (n > 8 || !strings.Contains(letter.sizes, strconv.Itoa(int(n)))) {
		return fail("no such size")
	}
	d := DType{Kind: letter.kind, Size: int(n), Big: big}
	if d.Kind == Text {
		d.Size *= 4
	}
	return d, nil
}

// String returns d as NumPy writes it, such as "<f4".
func (d DType) String() string {
	if d.Kind == 0 {
		return "none"
	}
	order, size := "<", d.Size
	switch {
	case d.Big:
		order = ">"
	case d.Size == 1 || d.Kind == Bytes:
		order = "|"
	}
	if d.Kind == Text {
		size /= 4
	}
	return order + string(" biufSU"[d.Kind]) + strconv.Itoa(size)
}
