package codec

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// Safetensors is the contents of a file.
type Safetensors struct {
	Tensors  []Tensor
	Metadata map[string]string // may be nil
}

// Find returns the tensor of a name.
func (f *Safetensors) Find(name string) (Tensor, bool) {
	i := slices.IndexFunc(f.Tensors, func(t Tensor) bool { return t.Name == name })
	if i < 0 {
		return Tensor{}, false
	}
	return f.Tensors[i], true
}

// entry is a tensor in the header.
type entry struct {
	Type    Type     `json:"dtype"`
	Shape   []int    `json:"shape"`
	Offsets [2]int64 `json:"data_offsets"`
}

// metadata is the key of the header that is not a tensor.
const metadata = "__metadata__"

// WriteSafetensors writes f: the same bytes for the same contents, whatever the order of its tensors. Names must be
// distinct.
func WriteSafetensors(w io.Writer, f *Safetensors) error {
	tensors := slices.Clone(f.Tensors)
	slices.SortFunc(tensors, func(a, b Tensor) int { return strings.Compare(a.Name, b.Name) })
	header := map[string]any{} // encoding/json sorts keys
	if len(f.Metadata) > 0 {
		header[metadata] = f.Metadata
	}
	at := int64(0)
	for _, t := range tensors {
		if _, twice := header[t.Name]; twice || t.Name == metadata {
			return fmt.Errorf("safetensors: the name %q is taken", t.Name)
		}
		end := at + int64(len(t.Data))
		shape := t.Shape
		if shape == nil {
			shape = []int{}
		}
		header[t.Name] = entry{t.Type, shape, [2]int64{at, end}}
		at = end
	}
	text, err := json.Marshal(header)
	if err != nil {
		return err
	}
	if len(text) > tensorMaxHeader {
		return fmt.Errorf("safetensors: a header of %d bytes, and %d are allowed", len(text), tensorMaxHeader)
	}
	text = append(text, bytes.Repeat([]byte{' '}, -len(text)&7)...)
	out := append(binary.LittleEndian.AppendUint64(nil, uint64(len(text))), text...)
	if _, err := w.Write(out); err != nil {
		return err
	}
	for _, t := range tensors {
		if _, err := w.Write(t.Data); err != nil {
			return err
		}
	}
	return nil
}

// Type is the type of the numbers of a tensor.
type Type string

// The supported types.
const (
	F32 Type = "F32"
	F64 Type = "F64"
	U8  Type = "U8" // bytes, such as a text
)

// size returns the number of bytes of one number; 0 for an unknown type.
func (t Type) size() int {
	switch t {
	case F32:
		return 4
	case F64:
		return 8
	case U8:
		return 1
	}
	return 0
}

// Real is a number that a tensor can hold.
type Real interface{ float32 | float64 }

// Tensor is a named array of numbers, row by row.
type Tensor struct {
	Name  string
	Type  Type
	Shape []int
	Data  []byte // little endian
}

// NewTensor returns a tensor with a copy of values, whose length must be the product of shape.
func NewTensor[T Real](name string, shape []int, values []T) Tensor {
	if n, err := byteSize(DType{Size: 1}, shape); err != nil || n != int64(len(values)) {
		panic(fmt.Sprintf("safetensors: %d numbers for %s of shape %v", len(values), name, shape))
	}
	t := Tensor{Name: name, Type: typeOf[T](), Shape: shape}
	var err error
	t.Data, err = binary.Append(make([]byte, 0, len(values)*t.Type.size()), binary.LittleEndian, values)
	if err != nil {
		panic(err) // these types have a fixed size
	}
	return t
}

// TextTensor returns a tensor of the bytes of a text.
func TextTensor(name string, text []byte) Tensor {
	return Tensor{Name: name, Type: U8, Shape: []int{len(text)}, Data: text}
}

func typeOf[T Real]() Type {
	var v T
	if _, ok := any(v).(float32); ok {
		return F32
	}
	return F64
}

// Values returns the numbers of t as T, rounded if T is the narrower type.
func Values[T Real](t Tensor) []T {
	out := make([]T, len(t.Data)/t.Type.size())
	for i := range out {
		switch t.Type {
		case F32:
			out[i] = T(math.Float32frombits(binary.LittleEndian.Uint32(t.Data[4*i:])))
		case F64:
			out[i] = T(math.Float64frombits(binary.LittleEndian.Uint64(t.Data[8*i:])))
		case U8:
			out[i] = T(t.Data[i])
		}
	}
	return out
}
