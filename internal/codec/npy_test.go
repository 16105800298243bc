package codec

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/internal/files"
)

// file is a .npy file of a version, with a literal that is not padded.
func file(version byte, literal, data string) string {
	b := []byte(magic + string(version) + "\x00")
	if version == 1 {
		b = binary.LittleEndian.AppendUint16(b, uint16(len(literal)))
	} else {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(literal)))
	}
	return string(b) + literal + data
}

// plain is a file of version 1.0 with the usual literal.
func plain(descr, shape, data string) string {
	return file(1, fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }", descr, shape), data)
}

func decode(text string) (*Array, error) {
	return DecodeNPY("x.npy", strings.NewReader(text), int64(len(text)), nil)
}

func mustDecode(t *testing.T, text string) *Array {
	t.Helper()
	a, err := decode(text)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestTypes(t *testing.T) {
	cases := []struct {
		descr, data string
		floats      []float64
		ints        []int64
	}{
		{"|b1", "\x00\x01", []float64{0, 1}, []int64{0, 1}},
		{"|i1", "\xff\x7f", []float64{-1, 127}, []int64{-1, 127}},
		{"|u1", "\xff\x7f", []float64{255, 127}, []int64{255, 127}},
		{"<i2", "\xfe\xff\x01\x02", []float64{-2, 513}, []int64{-2, 513}},
		{">i2", "\xff\xfe\x01\x02", []float64{-2, 258}, []int64{-2, 258}},
		{"<u2", "\xfe\xff\x01\x02", []float64{65534, 513}, []int64{65534, 513}},
		{"<i4", "\xfd\xff\xff\xff\x04\x03\x02\x01", []float64{-3, 0x01020304}, []int64{-3, 0x01020304}},
		{">i4", "\xff\xff\xff\xfd\x01\x02\x03\x04", []float64{-3, 0x01020304}, []int64{-3, 0x01020304}},
		{">u4", "\xff\xff\xff\xfd\x01\x02\x03\x04", []float64{4294967293, 0x01020304}, []int64{4294967293, 0x01020304}},
		{"<i8", "\xfc\xff\xff\xff\xff\xff\xff\xff\x05\x00\x00\x00\x00\x00\x00\x00", []float64{-4, 5}, []int64{-4, 5}},
		{">u8", "\x7f\xff\xff\xff\xff\xff\xff\xff\x00\x00\x00\x00\x00\x00\x00\x05", []float64{1 << 63, 5},
			[]int64{math.MaxInt64, 5}},
		{"<f2", "\x00\xc0\x00\x44", []float64{-2, 4}, []int64{-2, 4}},
		{">f2", "\xc0\x00\x44\x00", []float64{-2, 4}, []int64{-2, 4}},
		{"<f4", "\x00\x00\x40\xc0\x00\x00\x80\x40", []float64{-3, 4}, []int64{-3, 4}},
		{">f4", "\xc0\x40\x00\x00\x40\x80\x00\x00", []float64{-3, 4}, []int64{-3, 4}},
		{"<f8", "\x00\x00\x00\x00\x00\x00\x14\xc0\x00\x00\x00\x00\x00\x00\x18\x40", []float64{-5, 6}, []int64{-5, 6}},
		{">f8", "\xc0\x14\x00\x00\x00\x00\x00\x00\x40\x18\x00\x00\x00\x00\x00\x00", []float64{-5, 6}, []int64{-5, 6}},
	}
	for _, c := range cases {
		for version := byte(1); version <= 3; version++ {
			a := mustDecode(t, file(version, fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (2,), }\n",
				c.descr), c.data))
			if a.DType.String() != c.descr || !a.Is(2) || a.Len() != 2 {
				t.Errorf("%s: type %s, shape %v, %d elements", c.descr, a.DType, a.Shape, a.Len())
			}
			if got, err := Floats[float64](a); err != nil || !slices.Equal(got, c.floats) {
				t.Errorf("%s: floats %v, %v; want %v", c.descr, got, err, c.floats)
			}
			if got, err := a.Ints(); err != nil || !slices.Equal(got, c.ints) {
				t.Errorf("%s: ints %v, %v; want %v", c.descr, got, err, c.ints)
			}
		}
	}
}

func TestHalf(t *testing.T) {
	for h, want := range map[uint16]float64{
		0x0001: math.Ldexp(1, -24), 0x03ff: 1023 * math.Ldexp(1, -24), 0x0400: math.Ldexp(1, -14),
		0x3555: 0.333251953125, 0x7bff: 65504, 0xfbff: -65504, 0x7c00: math.Inf(1), 0xfc00: math.Inf(-1), 0: 0,
	} {
		if got := float64(Half(h)); got != want {
			t.Errorf("half %#04x is %v, want %v", h, got, want)
		}
	}
	if !math.IsNaN(float64(Half(0x7e00))) {
		t.Error("half 0x7e00 is a number")
	}
	if !math.Signbit(float64(Half(0x8000))) {
		t.Error("half 0x8000 is not −0")
	}
}

func TestStringsAndFlags(t *testing.T) {
	for _, c := range []struct {
		descr, shape, data string
		want               []string
	}{
		{"|S3", "()", "csr", []string{"csr"}},
		{"|S3", "(2,)", "a\x00\x00bcd", []string{"a", "bcd"}},
		{"<U2", "(2,)", "\x61\x00\x00\x00\x00\x00\x00\x00\xba\x03\x00\x00\x62\x00\x00\x00", []string{"a", "κb"}},
		{">U1", "(1,)", "\x00\x01\xf3\x38", []string{"🌸"}},
	} {
		if got, err := mustDecode(t, plain(c.descr, c.shape, c.data)).Strings(); err != nil ||
			!slices.Equal(got, c.want) {
			t.Errorf("%s: %q, %v; want %q", c.descr, got, err, c.want)
		}
	}
	for _, descr := range []string{"|b1", "|u1", "|i1"} {
		if got, err := mustDecode(t, plain(descr, "(3,)", "\x01\x00\x01")).Bools(); err != nil ||
			!slices.Equal(got, []bool{true, false, true}) {
			t.Errorf("%s: %v, %v", descr, got, err)
		}
	}
}

// TestConversionsRefuse asks arrays for what they are not.
func TestConversionsRefuse(t *testing.T) {
	ints := func(a *Array) error { _, err := a.Ints(); return err }
	flags := func(a *Array) error { _, err := a.Bools(); return err }
	texts := func(a *Array) error { _, err := a.Strings(); return err }
	floats := func(a *Array) error { _, err := Floats[float32](a); return err }
	for _, c := range []struct {
		file string
		ask  func(*Array) error
		want string
	}{
		{plain("<f4", "(2,)", "\x00\x00\x80\x3f\x00\x00\xc0\x3f"), ints,
			"x.npy: byte 71: element 1 is 1.5, which is not a whole number"},
		{plain("<f4", "(1,)", "\x00\x00\xc0\x7f"), ints, "element 0 is NaN"},
		{plain("<u8", "(1,)", "\xff\xff\xff\xff\xff\xff\xff\xff"), ints,
			"element 0 is 18446744073709551615, which is more"},
		{plain("|u1", "(3,)", "\x00\x01\x02"), flags, "x.npy: byte 69: a flag is 2, neither 0 nor 1"},
		{plain("<f4", "(1,)", "abcd"), flags, "elements of type <f4 are not flags"},
		{plain("<f4", "(1,)", "abcd"), texts, "elements of type <f4 are not strings"},
		{plain("|S4", "(1,)", "abcd"), floats, "elements of type |S4 are not numbers"},
		{plain("|S4", "(1,)", "abcd"), ints, "elements of type |S4 are not integers"},
	} {
		a := mustDecode(t, c.file)
		if err := c.ask(a); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v; want %q", err, c.want)
		}
	}
	if err := ints(&Array{}); err == nil {
		t.Error("an array without a type has integers")
	}
}

// TestFortran compares with the definition: element (i, j, k) stands at i + n₀·(j + n₁·k).
func TestFortran(t *testing.T) {
	for _, shape := range [][]int{{3, 4, 5}, {1, 7, 1}, {6, 1}, {2, 9}, {5}, {0, 3}} {
		n := 1
		for _, d := range shape {
			n *= d
		}
		data := make([]byte, n)
		for i := range data {
			data[i] = byte(i)
		}
		a, err := NewArray("x.npy", 100, DType{Uint, 1, false}, shape, true, data, nil)
		if err != nil {
			t.Fatal(err)
		}
		got, err := a.Ints()
		if err != nil {
			t.Fatal(err)
		}
		for i := range got {
			place, stride, rest := 0, n, i
			for d := len(shape) - 1; d >= 0; d-- {
				stride /= shape[d]
				place += rest % shape[d] * stride
				rest /= shape[d]
			}
			if int(got[i]) != place {
				t.Errorf("shape %v: element %d is %d, want %d", shape, i, got[i], place)
			}
			if want := fmt.Sprintf("byte %d: ", 100+place); !strings.Contains(a.Errorf(i, "").Error(), want) {
				t.Errorf("shape %v: error at element %d is %v, want %s", shape, i, a.Errorf(i, ""), want)
			}
		}
	}
}

func TestHeaderForms(t *testing.T) {
	for _, literal := range []string{
		"{'shape': (2L, 3), 'fortran_order': True, 'descr': '|u1'}",
		`{"descr":"|u1","fortran_order":True,"shape":(2,3,)}` + "   \n",
		"{ 'descr' : '|u1' ,\n 'fortran_order' : True , 'shape' : ( 2 , 3 ) , }\n",
	} {
		a := mustDecode(t, file(1, literal, "abcdef"))
		if !a.Fortran || !a.Is(2, 3) || !a.Is(-1, 3) || a.Is(2) || a.Is(3, 2) {
			t.Errorf("%s: fortran %v, shape %v", literal, a.Fortran, a.Shape)
		}
	}
}

var bad = []struct {
	name, file string
	offset     int64
	want       string
}{
	{"empty", "", 0, "ends inside the header"},
	{"not npy", "PK\x03\x04 and so on", 0, "not a .npy file"},
	{"version 4", "\x93NUMPY\x04\x00\x00\x00", 6, "version 4.0"},
	{"no header", "\x93NUMPY\x02\x00\x00\x00", 10, "ends inside the header"},
	{"long header", "\x93NUMPY\x02\x00\xff\xff\xff\xff{}", 8, "a header of 4294967295 bytes"},
	{"header beyond the file", "\x93NUMPY\x01\x00\xff\x00{}", 8, "a header of 255 bytes, in a file of 12"},
	{"truncated", plain("<f4", "(2,)", "abcdefg"), 67, "takes 8 bytes, the file has 7"},
	{"trailing", plain("<f4", "(2,)", "abcdefghi"), 67, "takes 8 bytes, the file has 9"},
	{"2⁶³ rows", plain("<f4", "(9223372036854775808,)", "abcd"), 10, "a dimension \"9223372036854775808\""},
	{"2⁶³−1 rows", plain("<f4", "(9223372036854775807,)", "abcd"), 10, "does not fit into memory"},
	{"overflowing product", plain("<f4", "(4294967296, 4294967296, 4)", "abcd"), 10, "does not fit into memory"},
	{"overflow beside 0", plain("<f4", "(4294967296, 4294967296, 0)", ""), 10, "does not fit into memory"},
	{"negative", plain("<f4", "(-1,)", "abcd"), 10, "a dimension \"-1\""},
	{"large shape", plain("<f8", "(1000000000,)", "abcdefgh"), 76, "takes 8000000000 bytes, the file has 8"},
	{"long string", plain("<U2147483647", "(1,)", "abcd"), 76, "takes 8589934588 bytes"},
	{"objects", plain("|O", "(1,)", "abcdefgh"), 10, "Python objects are not read"},
	{"complex", plain("<c8", "(1,)", "abcdefgh"), 10, "complex numbers are not read"},
	{"date", plain("<M8[ns]", "(1,)", "abcdefgh"), 10, "dates are not read"},
	{"long double", plain("<f16", "(1,)", "0123456789abcdef"), 10, "no such size"},
	{"no size", plain("|S0", "(1,)", ""), 10, "its size is not"},
	{"unknown type", plain("<x4", "(1,)", "abcd"), 10, "unknown"},
	{"empty type", plain("", "(1,)", "abcd"), 10, "it is empty"},
	{"record", file(1, "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", "abcd"), 10,
		"records are not read"},
	{"twice", file(1, "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", "abcd"), 10,
		"each once"},
	{"unknown key", file(1, "{'descr': '<f4', 'order': False, 'shape': (1,)}", "abcd"), 10, "each once"},
	{"missing key", file(1, "{'descr': '<f4', 'shape': (1,)}", "abcd"), 10, "each once"},
	{"no bool", file(1, "{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}", "abcd"), 10, "each once"},
	{"open string", file(1, "{'descr: ", "abcd"), 10, "each once"},
	{"open dict", file(1, "{'descr': '<f4'", "abcd"), 10, "each once"},
	{"no key", file(1, "{1: 2}", "abcd"), 10, "each once"},
	{"rest", file(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x", "abcd"), 10, "each once"},
	{"dimensions", plain("<f4", "("+strings.Repeat("1, ", 65)+")", "abcd"), 10, "65 dimensions are more than 64"},
}

func TestBadInput(t *testing.T) {
	for _, c := range bad {
		t.Run(c.name, func(t *testing.T) {
			_, err := decode(c.file)
			var e *files.Error
			if !errors.As(err, &e) || e.File != "x.npy" || e.Offset != c.offset || !strings.Contains(e.Text, c.want) {
				t.Errorf("%v; want byte %d: %s", err, c.offset, c.want)
			}
		})
	}
}

// TestClaimsTakeNoMemory reads files that claim much more than they hold.
func TestClaimsTakeNoMemory(t *testing.T) {
	for _, c := range bad {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		decode(c.file)
		runtime.ReadMemStats(&after)
		got := after.TotalAlloc - before.TotalAlloc
		if got > 64<<10 {
			t.Errorf("%s: %d bytes of memory", c.name, got)
		}
	}
}

func TestLimit(t *testing.T) {
	text := plain("<f8", "(100,)", strings.Repeat("x", 800))
	read := func(bytes int64) error {
		_, err := DecodeNPY("x.npy", strings.NewReader(text), int64(len(text)),
			files.BudgetOf(bytes))
		return err
	}
	if err := read(800); err != nil {
		t.Error(err)
	}
	err := read(799)
	if err == nil || !strings.Contains(err.Error(),
		"an array of shape [100] and type <f8 would take 800B, with 0B taken; the memory for reading it is 799B") {
		t.Error(err)
	}
}

// TestWrite writes what NumPy writes, byte for byte, and reads it back.
func TestWrite(t *testing.T) {
	var b bytes.Buffer
	if err := WriteNPY(&b, []int{2}, []int64{1, -1}); err != nil {
		t.Fatal(err)
	}
	want := "\x93NUMPY\x01\x00v\x00{'descr': '<i8', 'fortran_order': False, 'shape': (2,), }" +
		strings.Repeat(" ", 60) + "\n" +
		"\x01\x00\x00\x00\x00\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff"
	if b.String() != want {
		t.Errorf("wrote %q, want %q", b.String(), want)
	}
	seed := uint64(7)
	r := rand.New(rand.NewPCG(seed, seed))
	for _, shape := range [][]int{{}, {0}, {5}, {3, 4}, {0, 3}, {2, 3, 4}} {
		n := 1
		for _, d := range shape {
			n *= d
		}
		x, y := make([]float32, n), make([]float64, n)
		for i := range x {
			x[i], y[i] = r.Float32(), r.Float64()
		}
		roundTrip(t, shape, x, Floats[float32])
		roundTrip(t, shape, y, Floats[float64])
		roundTrip(t, shape, make([]int64, n), (*Array).Ints)
	}
	if err := WriteNPY(&b, []int{3}, []float32{1}); err == nil {
		t.Error("wrote one number in the shape of three")
	}
}

func roundTrip[T float32 | float64 | int64](t *testing.T, shape []int, data []T, get func(*Array) ([]T, error)) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.npy")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(WriteNPY(f, shape, data), f.Close()); err != nil {
		t.Fatal(err)
	}
	a, err := ReadNPY(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := get(a)
	if err != nil || !slices.Equal(got, data) || !slices.Equal(a.Shape, shape) {
		t.Errorf("shape %v: read %v in shape %v, %v; wrote %v", shape, got, a.Shape, err, data)
	}
}

func TestReadErrors(t *testing.T) {
	dir := t.TempDir()
	if _, err := ReadNPY(filepath.Join(dir, "absent.npy"), nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("absent file: %v", err)
	}
	if _, err := ReadNPY(dir, nil); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("folder: %v", err)
	}
}

// FuzzNpy reads anything. What is read must hold together and survive being written.
func FuzzNpy(f *testing.F) {
	for _, c := range bad {
		f.Add([]byte(c.file))
	}
	f.Add([]byte(plain("<f4", "(2, 1)", "abcdefgh")))
	f.Add([]byte(file(3, "{'descr': '>U1', 'fortran_order': True, 'shape': (2,1)}", "abcdefgh")))
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := decode(string(data))
		if err != nil {
			var e *files.Error
			if !errors.As(err, &e) {
				t.Fatalf("an error without a place: %v", err)
			}
			return
		}
		use(t, a)
	})
}

// use converts an array to everything and writes and reads the numbers.
func use(t *testing.T, a *Array) {
	a.Strings()
	a.Bools()
	a.Ints()
	x, err := Floats[float64](a)
	if err != nil {
		return
	}
	var b bytes.Buffer
	_, large := byteSize(DType{Size: 8}, a.Shape) // an empty array may have a shape that only smaller elements fit
	if err := WriteNPY(&b, a.Shape, x); (err == nil) != (large == nil) {
		t.Fatalf("shape %v: %v, want %v", a.Shape, err, large)
	}
	if large != nil {
		return
	}
	again, err := DecodeNPY("again", &b, int64(b.Len()), nil)
	if err != nil || !reflect.DeepEqual(again.Shape, a.Shape) {
		t.Fatalf("%v; shape %v, was %v", err, again.Shape, a.Shape)
	}
}
