package pickle

import (
	"archive/zip"
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/internal/files"
)

// A checkpoint {"model": {"w": 2×3 numbers from the second of a storage of 8}}.
const (
	storage8   = "(X\x07\x00\x00\x00storagectorch\nFloatStorage\nX\x01\x00\x00\x000X\x03\x00\x00\x00cpuK\x08tQ"
	rebuild    = "ctorch._utils\n_rebuild_tensor_v2\n"
	ordered    = "ccollections\nOrderedDict\n)R"
	tensor2x3  = rebuild + "(" + storage8 + "K\x02K\x02K\x03\x86K\x03K\x01\x86\x89" + ordered + "tR"
	checkpoint = proto + "}X\x05\x00\x00\x00model" + ordered + "X\x01\x00\x00\x00w" + tensor2x3 + "ss."
)

// archive returns a zip archive of members name, content, name, content, …
func archive(t testing.TB, method uint16, members ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(members); i += 2 {
		w, err := z.CreateHeader(&zip.FileHeader{Name: members[i], Method: method})
		if err == nil {
			_, err = w.Write([]byte(members[i+1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// numbers8 are 0, 1, …, 7 as float32.
const numbers8 = "\x00\x00\x00\x00\x00\x00\x80\x3f\x00\x00\x00\x40\x00\x00\x40\x40\x00\x00\x80\x40\x00\x00\xa0\x40" +
	"\x00\x00\xc0\x40\x00\x00\xe0\x40"

func TestCheckpoint(t *testing.T) {
	w, err := DecodeCheckpoint("x", archive(t, zip.Store, "m/data.pkl", checkpoint, "m/byteorder", "little",
		"m/data/0", numbers8), nil)
	if err != nil {
		t.Fatal(err)
	}
	shape, numbers, err := w.Read("model.w")
	if err != nil || !slices.Equal(shape, []int{2, 3}) || !slices.Equal(numbers, []float32{2, 3, 4, 5, 6, 7}) {
		t.Errorf("%v %v %v", shape, numbers, err)
	}
	if shape, _, err := w.Read("model.v"); shape != nil || err != nil || !slices.Equal(w.Names, []string{"model.w"}) {
		t.Errorf("%v %v %v", shape, err, w.Names)
	}
}

func TestBadCheckpoints(t *testing.T) {
	replaced := func(old, by string) []byte {
		if !strings.Contains(checkpoint, old) {
			t.Fatalf("no %q", old)
		}
		return archive(t, zip.Store, "m/data.pkl", strings.Replace(checkpoint, old, by, 1), "m/data/0", numbers8)
	}
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"no archive", []byte("PK"), "not a checkpoint of PyTorch"},
		{"no pickle", archive(t, zip.Store, "m/data/0", numbers8), "without data.pkl"},
		{"big endian", archive(t, zip.Store, "m/data.pkl", checkpoint, "m/byteorder", "big"), `byte order "big"`},
		{"compressed", archive(t, zip.Deflate, "m/data.pkl", checkpoint), "is compressed"},
		{"no storage", archive(t, zip.Store, "m/data.pkl", checkpoint), `there is no storage "0"`},
		{"short storage", archive(t, zip.Store, "m/data.pkl", checkpoint, "m/data/0", numbers8[1:]), "has 31 bytes"},
		{"half", replaced("torch\nFloatStorage", "torch\nHalfStorage"), `global "torch HalfStorage"`},
		{"a call", replaced(rebuild, "cos\nsystem\n"), `global "os system"`},
		{"type", replaced("ctorch\nFloatStorage\n", "N"), "a storage of type None"},
		{"reference", replaced("tQ", "t\x85Q"), "a reference to something else"},
		{"strides", replaced("K\x03K\x01\x86", "K\x01K\x03\x86"), "with strides [1 3]"},
		{"beyond", replaced("K\x02K\x02K\x03\x86", "K\x03K\x02K\x03\x86"), "at 3 in a storage of 8"},
		{"shape", replaced("K\x02K\x03\x86", "J\xff\xff\xff\x7fK\x03\x86"), "in a storage of 8 numbers"},
		{"twice", replaced("ss.", "sX\x01\x00\x00\x00w"+tensor2x3+"ss."), "model.w is there twice"},
		{"arguments", replaced("\x89"+ordered, "\x89"), "not made of six values"},
	} {
		w, err := DecodeCheckpoint("x", c.data, nil)
		if err == nil {
			_, _, err = w.Read("model.w")
		}
		var e *files.Error
		if !errors.As(err, &e) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// TestPublishedCheckpoint reads weights as they are published.
func TestPublishedCheckpoint(t *testing.T) {
	file := filepath.Join(os.Getenv("BLOOM_DATA"), "weights", "ultra_3g.pth")
	if _, err := os.Stat(file); err != nil {
		t.Skip("BLOOM_DATA has no weights/ultra_3g.pth")
	}
	w, err := ReadCheckpoint(file, files.NewBudget())
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, name := range w.Names {
		shape, numbers, err := w.Read(name)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(name, "model.") {
			count += len(numbers)
		}
		if name == "model.entity_model.mlp.2.weight" && !slices.Equal(shape, []int{1, 128}) {
			t.Errorf("%s is %v", name, shape)
		}
	}
	if count != 168705 {
		t.Errorf("%d weights, want 168705", count)
	}
}

// FuzzCheckpoint reads anything: tensors whose numbers are there, or an error.
func FuzzCheckpoint(f *testing.F) {
	f.Add(archive(f, zip.Store, "m/data.pkl", checkpoint, "m/byteorder", "little", "m/data/0", numbers8))
	f.Add(archive(f, zip.Store, "m/data.pkl", checkpoint))
	f.Fuzz(func(t *testing.T, data []byte) {
		w, err := DecodeCheckpoint("x", data, files.NewBudget())
		if err != nil {
			return
		}
		for _, name := range w.Names {
			shape, numbers, err := w.Read(name)
			count := 1
			for _, s := range shape {
				count *= s
			}
			if err == nil && len(numbers) != count {
				t.Fatalf("%s: %d numbers of shape %v", name, len(numbers), shape)
			}
		}
	})
}
