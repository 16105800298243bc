package codec

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
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
