package codec

import (
	"archive/zip"
	"encoding/binary"
	"fmt"
	"io"
	"strconv"
)

// TorchEntry is a key of a dict that is written, and its value.
type TorchEntry struct {
	Key   any // string or [3]string, a tuple
	Value any // Tensor, int, []string or []Entry
}

// TorchTensor is a tensor that is written.
type TorchTensor struct {
	Type  string // its elements: f4, i8 or b1
	Shape []int
	Write func(w io.Writer) error // its elements, row by row, the least significant byte first
}

// WriteTorch writes a dict as torch.save does: a zip archive that torch.load reads, also with weights_only.
func WriteTorch(w io.Writer, dict []TorchEntry) error {
	z := zip.NewWriter(w)
	e := &encoder{}
	e.op(opProto, 2)
	e.dict(dict)
	e.op(opStop)
	if err := pickleMember(z, "data.pkl", func(w io.Writer) error {
		_, err := w.Write(e.text)
		return err
	}); err != nil {
		return err
	}
	for i, t := range e.tensors {
		if err := pickleMember(z, "data/"+strconv.Itoa(i), t.Write); err != nil {
			return err
		}
	}
	for _, text := range [2][2]string{{"byteorder", "little"}, {"version", "3\n"}} {
		write := func(w io.Writer) error { _, err := io.WriteString(w, text[1]); return err }
		if err := pickleMember(z, text[0], write); err != nil {
			return err
		}
	}
	return z.Close()
}

func pickleMember(z *zip.Writer, name string, write func(io.Writer) error) error {
	w, err := z.CreateHeader(&zip.FileHeader{Name: "graph/" + name, Method: zip.Store})
	if err != nil {
		return err
	}
	return write(w)
}

// encoder collects a pickle, and the tensors that it refers to.
type encoder struct {
	text    []byte
	tensors []TorchTensor
}

func (e *encoder) op(code ...byte) { e.text = append(e.text, code...) }

// global names a function or a type.
func (e *encoder) global(module, name string) {
	e.text = fmt.Appendf(e.text, "%c%s\n%s\n", opGlobal, module, name)
}

func (e *encoder) string(s string) {
	e.op(opBinUnicode)
	e.text = append(binary.LittleEndian.AppendUint32(e.text, uint32(len(s))), s...)
}

// int writes a whole number, of up to eight bytes if four do not hold it.
func (e *encoder) int(n int) {
	if int(int32(n)) == n {
		e.op(opBinInt)
		e.text = binary.LittleEndian.AppendUint32(e.text, uint32(n))
		return
	}
	e.op(opLong1, 8)
	e.text = binary.LittleEndian.AppendUint64(e.text, uint64(n))
}

func (e *encoder) ints(list []int) {
	e.op(opMark)
	for _, n := range list {
		e.int(n)
	}
	e.op(opTuple)
}

func (e *encoder) dict(list []TorchEntry) {
	e.op(opEmptyDict, opMark)
	for _, x := range list {
		switch key := x.Key.(type) {
		case string:
			e.string(key)
		case [3]string:
			for _, s := range key {
				e.string(s)
			}
			e.op(opTuple3)
		}
		switch v := x.Value.(type) {
		case int:
			e.int(v)
		case []TorchEntry:
			e.dict(v)
		case TorchTensor:
			e.tensor(v)
		case []string:
			e.op(opEmptyList, opMark)
			for _, s := range v {
				e.string(s)
			}
			e.op(opAppends)
		}
	}
	e.op(opSetItems)
}

// tensor writes _rebuild_tensor_v2(storage, 0, size, stride, False, OrderedDict()).
func (e *encoder) tensor(t TorchTensor) {
	class := map[string]string{"f4": "FloatStorage", "i8": "LongStorage", "b1": "BoolStorage"}[t.Type]
	stride, count := make([]int, len(t.Shape)), 1
	for k := len(t.Shape) - 1; k >= 0; k-- {
		stride[k] = count
		count *= t.Shape[k]
	}
	e.global("torch._utils", "_rebuild_tensor_v2")
	e.op(opMark, opMark)
	e.string("storage")
	e.global("torch", class)
	e.string(strconv.Itoa(len(e.tensors)))
	e.string("cpu")
	e.int(count)
	e.op(opTuple, opBinPersID)
	e.int(0)
	e.ints(t.Shape)
	e.ints(stride)
	e.op(opNewFalse)
	e.global("collections", "OrderedDict")
	e.op(opEmptyTuple, opReduce, opTuple, opReduce)
	e.tensors = append(e.tensors, t)
}
