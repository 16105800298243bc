package codec

import (
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func sample() *Safetensors {
	return &Safetensors{
		Metadata: map[string]string{"format": "bloom", "λ": "1"},
		Tensors: []Tensor{
			NewTensor("w", []int{2, 3}, []float32{1, -2, 3.5, float32(math.Inf(1)), 0, 1e-40}),
			NewTensor("b", []int{2}, []float64{math.Pi, math.Copysign(0, -1)}),
			NewTensor("empty", []int{0, 4}, []float32{}),
			NewTensor("scalar", nil, []float64{7}),
		},
	}
}

func written(t testing.TB, f *Safetensors) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := WriteSafetensors(&b, f); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestRoundTrip(t *testing.T) {
	f := sample()
	b := written(t, f)
	got, err := ReadSafetensors("x", b)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got.Metadata, f.Metadata) || len(got.Tensors) != 4 {
		t.Fatalf("read %+v", got)
	}
	for _, want := range f.Tensors {
		x, ok := got.Find(want.Name)
		if !ok || x.Type != want.Type || !slices.Equal(x.Shape, want.Shape) || !bytes.Equal(x.Data, want.Data) {
			t.Errorf("%s: read %+v, want %+v", want.Name, x, want)
		}
	}
	w, _ := got.Find("w")
	if v := Values[float64](w); v[2] != 3.5 || !math.IsInf(v[3], 1) || v[5] != float64(float32(1e-40)) {
		t.Errorf("values %v", v)
	}
}

// TestBytes: the layout, written out, and the same bytes whatever the order of the tensors.
func TestBytes(t *testing.T) {
	f := &Safetensors{Tensors: []Tensor{NewTensor("b", []int{1}, []float32{2}), NewTensor("a", []int{1}, []float32{1})},
		Metadata: map[string]string{"k": "v"}}
	b := written(t, f)
	head := `{"__metadata__":{"k":"v"},"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},` +
		`"b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}`
	for len(head)%8 != 0 {
		head += " "
	}
	want := string(binary.LittleEndian.AppendUint64(nil, uint64(len(head)))) + head + "\x00\x00\x80\x3f\x00\x00\x00\x40"
	if string(b) != want {
		t.Errorf("wrote %q, want %q", b, want)
	}
	slices.Reverse(f.Tensors)
	if !bytes.Equal(written(t, f), b) {
		t.Error("the order of tensors shows in the bytes")
	}
}

func TestRefused(t *testing.T) {
	file := func(head, data string) string {
		return string(binary.LittleEndian.AppendUint64(nil, uint64(len(head)))) + head + data
	}
	for text, want := range map[string]string{
		"":                                  "too short",
		"\xff\xff\xff\xff\xff\xff\xff\xff{": "a header of",
		file("[]", ""):                      "not a JSON object",
		file(`{"a":`, ""):                   "EOF",
		file(`{"a":{"dtype":"I8","shape":[1],"data_offsets":[0,1]}}`,
			"x"): `the type "I8"`,
		file(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}}`,
			"xxxx"): "shape [2] and 4 bytes",
		file(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}`,
			"xxxxxxxx"): "byte 0 of 8 comes next",
		file(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`,
			"xxxxxxxx"): "4 bytes after",
		file(`{"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}}`,
			"xxxx"): "shape [-1]",
		file(
			`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}`, "xxxxxxxx"): "duplicate name",
	} {
		if _, err := ReadSafetensors("m.safetensors", []byte(text)); err == nil || !strings.Contains(err.Error(),
			want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
	twice := &Safetensors{Tensors: []Tensor{NewTensor("a", []int{0}, []float32{}), NewTensor("a", []int{0},
		[]float32{})}}
	if err := WriteSafetensors(&bytes.Buffer{}, twice); err == nil {
		t.Error("a name was written twice")
	}
}

// TestSealed: every bit that changes is noticed.
func TestSealed(t *testing.T) {
	var b bytes.Buffer
	if err := WriteSealed(&b, sample()); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "x.safetensors")
	if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	got, err := ReadSealed(path)
	if err != nil || len(got.Tensors) != 4 || got.Metadata["format"] != "bloom" {
		t.Fatalf("read %+v, %v", got, err)
	}
	for i := range b.Bytes() {
		for bit := range 8 {
			b.Bytes()[i] ^= 1 << bit
			if _, err := readSealed("x", b.Bytes()); err == nil || !strings.Contains(err.Error(), "x: ") {
				t.Errorf("bit %d of byte %d changed: %v", bit, i, err)
			}
			b.Bytes()[i] ^= 1 << bit
		}
	}
	if _, err := readSealed("x", written(t, sample())); err == nil || !strings.Contains(err.Error(), "no checksum") {
		t.Errorf("a file without a checksum: %v", err)
	}
}

// FuzzRead: whatever is read without an error can be written and read again with the same contents.
func FuzzSafetensors(f *testing.F) {
	f.Add(written(f, sample()))
	f.Add([]byte("\x02\x00\x00\x00\x00\x00\x00\x00{}"))
	f.Fuzz(func(t *testing.T, b []byte) {
		x, err := ReadSafetensors("fuzz", b)
		if err != nil {
			return
		}
		y, err := ReadSafetensors("again", written(t, x))
		if err != nil || len(x.Tensors) != len(y.Tensors) {
			t.Fatalf("read again: %v, %d and %d tensors", err, len(x.Tensors), len(y.Tensors))
		}
		for _, a := range x.Tensors {
			if b, ok := y.Find(a.Name); !ok || !bytes.Equal(a.Data, b.Data) {
				t.Fatalf("%s changed", a.Name)
			}
		}
	})
}

// TestText: a text comes back, as numbers too, and a header that no reader takes is not written.
func TestText(t *testing.T) {
	var b bytes.Buffer
	if err := WriteSafetensors(&b, &Safetensors{Tensors: []Tensor{
		TextTensor("names", []byte("abc")), NewTensor("w", []int{1}, []float32{2})}}); err != nil {
		t.Fatal(err)
	}
	f, err := ReadSafetensors("x", b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	text, ok := f.Find("names")
	if w, _ := f.Find("w"); !ok || string(text.Data) != "abc" || Values[float32](w)[0] != 2 ||
		Values[float64](text)[1] != 'b' {
		t.Errorf("%+v", f)
	}
	long := &Safetensors{Metadata: map[string]string{"names": strings.Repeat("x", 100<<20)}}
	if err := WriteSafetensors(io.Discard, long); err == nil || !strings.Contains(err.Error(), "a header of") {
		t.Error(err)
	}
}
