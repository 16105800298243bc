package codec

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/internal/files"
)

// The parts that the pickles below are put together from.
const (
	proto  = "\x80\x02"
	i4     = "cnumpy\ndtype\nU\x02i4K\x00K\x01\x87R(K\x03U\x01<NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb"
	array  = "cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\x00\x85U\x01b\x87R"
	twoOne = array + "(K\x01K\x02\x85" + i4 + "\x89U\x08\x02\x00\x00\x00\x01\x00\x00\x00tb"
	csr    = "cscipy.sparse.csr\ncsr_matrix\n)\x81"
)

func pickleDecode(t *testing.T, text string) any {
	t.Helper()
	v, err := DecodePickle("x", []byte(text), nil)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return v
}

func TestPlainValues(t *testing.T) {
	for text, want := range map[string]any{
		"N.":                               nil,
		"\x88.":                            true,
		"\x89.":                            false,
		"K\xff.":                           int64(255),
		"M\xff\xff.":                       int64(65535),
		"J\xfe\xff\xff\xff.":               int64(-2),
		"U\x03abc.":                        []byte("abc"),
		"T\x03\x00\x00\x00abc.":            []byte("abc"),
		").":                               Tuple{},
		"K\x01\x85.":                       Tuple{int64(1)},
		"K\x01K\x02K\x03\x87.":             Tuple{int64(1), int64(2), int64(3)},
		"(K\x01(K\x02tt.":                  Tuple{int64(1), Tuple{int64(2)}},
		"]K\x01a.":                         &List{Items: []any{int64(1)}},
		"](K\x01NeK\x02a.":                 &List{Items: []any{int64(1), nil, int64(2)}},
		"}(K\x01NK\x02\x88u.":              &Dict{Keys: []any{int64(1), int64(2)}, Values: []any{nil, true}},
		"}K\x01Ns.":                        &Dict{Keys: []any{int64(1)}, Values: []any{nil}},
		"K\x07q\x01h\x01\x86.":             Tuple{int64(7), int64(7)},
		"K\x07r\x05\x00\x00\x00h\x05\x86.": Tuple{int64(7), int64(7)},
		"ccollections\ndefaultdict\nc__builtin__\nlist\n\x85R(K\x00]K\x01au.": &Dict{Keys: []any{int64(0)},
			Values: []any{&List{Items: []any{int64(1)}}}},
	} {
		if got := pickleDecode(t, proto+text); !reflect.DeepEqual(got, want) {
			t.Errorf("%q is %v, want %v", text, got, want)
		}
	}
}

func TestArray(t *testing.T) {
	a, ok := pickleDecode(t, proto+twoOne+".").(*Array)
	if !ok || !a.Is(2) || a.Fortran {
		t.Fatalf("%v", a)
	}
	if v, err := a.Ints(); err != nil || !slices.Equal(v, []int64{2, 1}) {
		t.Errorf("%v, %v", v, err)
	}
	text := proto + twoOne + "."
	want := fmt.Sprintf("byte %d: ", strings.Index(text, "\x02\x00\x00\x00\x01\x00\x00\x00")+4)
	if err := a.Errorf(1, "here"); !strings.Contains(err.Error(), want) {
		t.Errorf("element 1 is at %v, want %s", err, want)
	}
}

func TestCSR(t *testing.T) {
	m, ok := pickleDecode(t, proto+csr+"}(U\x06formatU\x03csrU\x06_shapeK\x05K\x06\x86U\x06indptr"+twoOne+
		"q\x01U\x07indicesh\x01U\x04datah\x01U\x08maxprintK2ub.").(*Object)
	if !ok {
		t.Fatal("no object")
	}
	state := m.State.(*Dict)
	if !reflect.DeepEqual(state.Get("_shape"), Tuple{int64(5), int64(6)}) || state.Get("indptr") == nil ||
		state.Get("data") != state.Get("indptr") || state.Get("absent") != nil {
		t.Errorf("%+v", state)
	}
}

// TestSharedAndCyclic reads a list that holds itself: memory is shared as in Python.
func TestSharedAndCyclic(t *testing.T) {
	list := pickleDecode(t, proto+"]q\x00h\x00a.").(*List)
	if list.Items[0] != any(list) {
		t.Error("the list does not hold itself")
	}
}

// pickleBad are pickles that must be refused, with the place of the opcode that is wrong.
var pickleBad = []struct {
	name, text string
	offset     int64
	want       string
}{
	{"empty", "", 0, "not a pickle of protocol 2"},
	{"protocol 0", "I1\n.", 0, "not a pickle of protocol 2"},
	{"protocol 4", "\x80\x04N.", 0, "not a pickle of protocol 2"},
	{"no end", proto + "N", 3, "ends early"},
	{"nothing", proto + ".", 2, "a value is missing"},
	{"system", proto + "cos\nsystem\nU\x02ls\x85R.", 2, `global "os system"`},
	{"eval", proto + "c__builtin__\neval\nU\x011\x85R.", 2, `global "__builtin__ eval"`},
	{"call of a list", proto + "c__builtin__\nlist\n)R.", 2 + 19, "a call of __builtin__ list"},
	{"call of an ndarray", proto + "cnumpy\nndarray\n)R.", 2 + 16, "a call of numpy ndarray"},
	{"call of a number", proto + "K\x01)R.", 5, "a call of int"},
	{"arguments", proto + "cnumpy\ndtype\nNR.", 2 + 14, "a call with a None for arguments"},
	{"endless global", proto + "c" + strings.Repeat("x", 1000), 2, "a global without an end"},
	{"global at the end", proto + "cnumpy\n", 2, "a global without an end"},
	{"opcode", proto + "i", 2, `opcode 'i' (0x69)`},
	{"INST", proto + "(ios\nsystem\n.", 3, `opcode 'i' (0x69)`},
	{"OBJ", proto + "(o.", 3, `opcode 'o' (0x6f)`},
	{"extension", proto + "\x82\x01.", 2, "(0x82)"},
	{"persistent id", proto + "Px\n.", 2, "opcode 'P'"},
	{"stack global", proto + "\x93.", 2, "(0x93)"},
	{"long string", proto + "T\xff\xff\xff\x7fabc", 2, "2147483647 bytes are wanted, 3 are left"},
	{"negative string", proto + "T\xff\xff\xff\xffabc", 2, "-1 bytes are wanted"},
	{"short string", proto + "U\x05abc", 2, "5 bytes are wanted"},
	{"memo", proto + "h\x09.", 2, "nothing was remembered as 9"},
	{"put of nothing", proto + "q\x09.", 2, "a value is missing"},
	{"mark", proto + "t.", 2, "a mark is missing"},
	{"below the mark", proto + "N(\x85.", 4, "a value is missing"},
	{"open mark", proto + "N(.", 4, "a value is missing"},
	{"two values", proto + "NN.", 4, "1 values and 0 marks open"},
	{"rest", proto + "N.more", 3, "4 bytes after the end"},
	{"append to None", proto + "NNa.", 4, "added to a None"},
	{"set in a list", proto + "]NNs.", 5, "added to a list"},
	{"key alone", proto + "}(Nu.", 5, "a key without a value"},
	{"dict of ints", proto + "ccollections\ndefaultdict\nN\x85R.", 2 + 27, "not one of lists"},
	{"object", proto + "cnumpy\nndarray\n)\x81.", 2 + 16, "an object is made of numpy ndarray"},
	{"object with arguments", proto + "cscipy.sparse.csr\ncsr_matrix\nN\x85\x81.", 2 + 31, "an object is made of"},
	{"array of something", proto + "cnumpy.core.multiarray\n_reconstruct\n)R.", 2 + 37,
		"something other than an ndarray"},
	{"state of a list", proto + "]}b.", 4, "a list is given a state"},
	{"state of an array", proto + array + "Nb.", int64(len(proto+array) + 1), "unknown state"},
	{"array twice", proto + twoOne + "Nb.", int64(len(proto+twoOne) + 1), "unknown state"},
	{"dtype without order", proto + array + "(K\x01)cnumpy\ndtype\nU\x02i4K\x00K\x01\x87R\x89U\x00tb.", -1,
		"state is not shape, dtype"},
	{"dtype of objects", proto + strings.Replace(i4, "i4", "O8", 1) + ".", int64(len(proto+i4) - 1),
		"Python objects are not read"},
	{"dtype with fields", proto + strings.Replace(i4, "NNN", "NN)", 1) + ".", int64(len(proto+i4) - 1),
		"unknown state"},
	{"dtype of a number", proto + "cnumpy\ndtype\nK\x01K\x00K\x01\x87R.", -1, "not made of a code"},
	{"shape beyond the bytes", proto + strings.Replace(twoOne, "K\x02\x85", "J\xff\xff\xff\x7f\x85", 1) + ".", -1,
		"takes 8589934588 bytes, there are 8"},
	{"negative shape", proto + strings.Replace(twoOne, "K\x02\x85", "J\xff\xff\xff\xff\x85", 1) + ".", -1,
		"negative dimension"},
	{"overflowing shape", proto + strings.Replace(twoOne, "K\x02\x85",
		"(J\xff\xff\xff\x7fJ\xff\xff\xff\x7fJ\xff\xff\xff\x7ft", 1) + ".", -1, "does not fit into memory"},
	{"shape of None", proto + strings.Replace(twoOne, "K\x02\x85", "N\x85", 1) + ".", -1, "a None in its shape"},
	{"stack", proto + strings.Repeat("N", MaxStack+1) + ".", 2 + MaxStack, "values wait on the stack"},
	{"marks", proto + strings.Repeat("(", MaxStack+1) + ".", 2 + MaxStack, "marks are open"},
}

func TestPickleBadInput(t *testing.T) {
	for _, c := range pickleBad {
		t.Run(c.name, func(t *testing.T) {
			v, err := DecodePickle("x", []byte(c.text), nil)
			var e *files.Error
			if !errors.As(err, &e) || v != nil || e.File != "x" || !strings.Contains(e.Text, c.want) {
				t.Fatalf("%v, %v; want %q", v, err, c.want)
			}
			if e.Offset < 0 || c.offset >= 0 && e.Offset != c.offset {
				t.Errorf("%v; want it at byte %d", err, c.offset)
			}
		})
	}
}

// TestMemory compares what is allocated with the length of the input: 64 KiB for the decoder itself
// and 150 bytes for a byte.
func TestMemory(t *testing.T) {
	worst := []string{
		proto + "]" + strings.Repeat("("+strings.Repeat("}", 1000)+"e", 100) + ".",
		proto + strings.Repeat("]", 100000),
		proto + "cscipy.sparse.csr\ncsr_matrix\nq\x01" + strings.Repeat("h\x01)\x81", 30000),
	}
	for _, c := range pickleBad {
		worst = append(worst, c.text)
	}
	for _, text := range worst {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		DecodePickle("x", []byte(text), nil)
		runtime.ReadMemStats(&after)
		if got := after.TotalAlloc - before.TotalAlloc; got > uint64(64<<10+150*len(text)) {
			t.Errorf("%.20q: %d bytes allocated for %d", text, got, len(text))
		}
	}
}

func TestRead(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x")
	if err := os.WriteFile(path, []byte(proto+"K\x07."), 0o666); err != nil {
		t.Fatal(err)
	}
	if v, err := ReadPickle(path, nil); err != nil || v != any(int64(7)) {
		t.Errorf("%v, %v", v, err)
	}
	if _, err := ReadPickle(filepath.Join(dir, "absent"), nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("absent: %v", err)
	}
	if _, err := ReadPickle(dir, nil); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("folder: %v", err)
	}
}

// FuzzPickle reads anything: a value or an error with a place.
func FuzzPickle(f *testing.F) {
	for _, c := range pickleBad {
		if len(c.text) < 1<<12 {
			f.Add([]byte(c.text))
		}
	}
	f.Add([]byte(proto + twoOne + "."))
	f.Add([]byte(proto + csr + "}(U\x06_shapeK\x05K\x06\x86U\x06indptr" + twoOne + "ub."))
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := DecodePickle("x", data, files.NewBudget())
		if err != nil {
			var e *files.Error
			if !errors.As(err, &e) || e.Offset < 0 || e.Offset > int64(len(data)) {
				t.Fatalf("an error without a place in %d bytes: %v", len(data), err)
			}
			return
		}
		if kindOf(v) == "unknown" {
			t.Fatalf("a value of type %T", v)
		}
		if a, ok := v.(*Array); ok {
			a.Ints()
		}
	})
}
