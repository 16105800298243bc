package format

import (
	"archive/zip"
	"bytes"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/internal/codec"
	"github.com/bloomgml/bloom/internal/testkit"
	"github.com/bloomgml/bloom/mat"
)

// numpyFile is a .npy file of small numbers.
func numpyFile(shape []int, elements ...int64) string {
	var b bytes.Buffer
	if err := codec.WriteNPY(&b, shape, elements); err != nil {
		panic(err)
	}
	return b.String()
}

// flagFile is a .npy file of flags in Fortran order.
func flagFile(shape string, flags ...byte) string {
	literal := fmt.Sprintf("{'descr': '|b1', 'fortran_order': True, 'shape': %s, }\n", shape)
	return "\x93NUMPY\x01\x00" + string(rune(len(literal))) + "\x00" + literal + string(flags)
}

// textFile is a .npy file of one string.
func textFile(text string) string {
	literal := fmt.Sprintf("{'descr': '|S%d', 'fortran_order': False, 'shape': (), }\n", len(text))
	return "\x93NUMPY\x01\x00" + string(rune(len(literal))) + "\x00" + literal + text
}

// npz is an archive of .npy files.
func npz(t testing.TB, arrays map[string]string) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(arrays)) {
		f, err := w.CreateHeader(&zip.FileHeader{Name: name + ".npy", Method: zip.Store})
		if err == nil {
			_, err = f.Write([]byte(arrays[name]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// heterophilousToy is a path of three nodes with two splits, its masks in Fortran order.
func heterophilousToy() map[string]string {
	return map[string]string{
		"node_features": numpyFile([]int{3, 2}, 1, 2, 3, 4, 5, 6),
		"node_labels":   numpyFile([]int{3}, 0, 1, 0),
		"edges":         numpyFile([]int{4, 2}, 0, 1, 1, 2, 1, 0, 2, 2),
		"train_masks":   flagFile("(2, 3)", 1, 0, 0, 1, 0, 0), // split 0: node 0; split 1: node 1
		"val_masks":     flagFile("(2, 3)", 0, 0, 1, 0, 0, 1), // node 1; node 2
		"test_masks":    flagFile("(2, 3)", 0, 1, 0, 0, 1, 0), // node 2; node 0
	}
}

// TestFewNonzeros keeps features sparse below a tenth, with values where they are not all 1.
func TestFewNonzeros(t *testing.T) {
	for _, c := range []struct {
		set            int // how many of 20 entries are not 0
		value          mat.Real
		sparse, values bool
	}{{0, 1, true, false}, {1, 1, true, false}, {1, 3, true, true}, {2, 1, false, true}} {
		x := make([]mat.Real, 20)
		for i := range c.set {
			x[7*i+3] = c.value
		}
		m := newMatrix(4, 5, slices.Clone(x))
		if m.IsSparse() != c.sparse || (m.Values != nil) != c.values || !slices.Equal(slices.Concat(dense(m)...), x) {
			t.Errorf("%d of %v: sparse %v, values %v", c.set, c.value, m.IsSparse(), m.Values)
		}
	}
}

func TestHeterophilousErrors(t *testing.T) {
	for _, c := range []struct{ name, array, content, want string }{
		{"label", "node_labels", numpyFile([]int{3}, 0, 5, 0), "toy.npz:node_labels.npy: byte 136: node 1 has class 5"},
		{"label shape", "node_labels", numpyFile([]int{3, 1}, 0, 1, 0), "are not a vector"},
		{"features", "node_features", numpyFile([]int{2, 2}, 1, 2, 3, 4), "features of shape [2 2] for 3 nodes"},
		{"edge", "edges", numpyFile([]int{1, 2}, 0, 3),
			"toy.npz:edges.npy: byte 136: edge 0 has an end 3, there are 3 nodes"},
		{"negative edge", "edges", numpyFile([]int{1, 2}, -1, 0), "edge 0 has an end -1"},
		{"edge shape", "edges", numpyFile([]int{2}, 0, 1), "are not pairs"},
		{"mask shape", "val_masks", flagFile("(2, 2)", 0, 0, 0, 0), "flags of shape [2 2] for 3 nodes"},
		{"mask count", "val_masks", flagFile("(1, 3)", 0, 0, 0), "masks for 2, 1 and 2 splits"},
		{"mask value", "val_masks", flagFile("(2, 3)", 0, 0, 7, 0, 0, 1), "a flag is 7"},
		{"overlap", "val_masks", flagFile("(2, 3)", 1, 0, 0, 0, 0, 0), "node 0 is in the parts train and valid"},
		{"missing", "val_masks", "", `no array "val_masks"`},
		{"no array", "edges", "hello", "not a .npy file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			arrays := heterophilousToy()
			if arrays[c.array] = c.content; c.content == "" {
				delete(arrays, c.array)
			} else if c.content == "hello" {
				arrays[c.array] = strings.Repeat("hello ", 5)
			}
			wantError(t, filepath.Join(testkit.Folder(t, map[string]string{"toy.npz": npz(t, arrays)}), "toy.npz"),
				c.want)
		})
	}
	wantError(t, filepath.Join(testkit.Folder(t, map[string]string{"toy.npz": "PK"}), "toy.npz"),
		"not a readable zip archive")
}

// hecoToy has two papers, the target, three authors and one subject.
func hecoToy(t testing.TB) map[string]string {
	return map[string]string{
		"p_feat.npz": npz(t, map[string]string{
			"format": textFile("csr"), "shape": numpyFile([]int{2}, 2, 3),
			"indptr": numpyFile([]int{3}, 0, 1, 2), "indices": numpyFile([]int{2}, 2, 0),
			"data": numpyFile([]int{2}, 5, 6),
		}),
		"labels.npy":   numpyFile([]int{2}, 1, 0),
		"ap.txt":       "0\t1\n2\t0\r\n2\t0\n",
		"ps.txt":       "0\t0\n1\t0\n",
		"train_5.npy":  numpyFile([]int{1}, 1),
		"val_5.npy":    numpyFile([]int{1}, 0),
		"test_5.npy":   numpyFile([]int{0}),
		"train_10.npy": numpyFile([]int{2}, 1, 0),
		"val_10.npy":   numpyFile([]int{0}),
		"test_10.npy":  numpyFile([]int{0}),
	}
}

func TestHecoErrors(t *testing.T) {
	for _, c := range []struct{ name, file, content, want string }{
		{"columns", "ap.txt", "0\t1\n2\n", "ap.txt:2: 1 columns, want 2"},
		{"number", "ap.txt", "0\tx\n", `ap.txt:1: "x" is not a number`},
		{"negative", "ap.txt", "0\t-1\n", `ap.txt:1: "-1" is not a number`},
		{"beyond 2³¹", "ap.txt", "2147483648\t1\n", `"2147483648" is not a number from 0 to 2³¹−1`},
		{"wild id", "ap.txt", "2147483647\t1\n", "has an id 2147483647 in 1 pairs"},
		{"id beyond the features", "ap.txt", "0\t2\n", "names the p 2, there are 2 rows of features"},
		{"labels", "labels.npy", numpyFile([]int{3}, 0, 1, 0), "0 types have 3 rows of features"},
		{"split", "val_5.npy", numpyFile([]int{1}, 2), "val_5.npy: byte 128: node 2 of a split is not one of 2"},
		{"overlap", "val_5.npy", numpyFile([]int{1}, 1), "node 1 is in the parts train and valid"},
		{"split name", "train_x.npy", numpyFile([]int{1}, 1), `"x" in its name`},
		{"missing split", "test_5.npy", "", "test_5.npy: "},
		{"feature format", "p_feat.npz", npz(t, map[string]string{"format": textFile("csc"),
			"shape":  numpyFile([]int{2}, 2, 3),
			"indptr": numpyFile([]int{0}), "indices": numpyFile([]int{0}), "data": numpyFile([]int{0})}),
			`in format ["csc"]; csr is read`},
		{"feature keys", "p_feat.npz", npz(t, map[string]string{"format": textFile("csr")}), `no array "shape"`},
		{"features of another type", "x_feat.npz",
			npz(t, map[string]string{"format": textFile("csr"), "shape": numpyFile([]int{2}, 1, 3),
				"indptr": numpyFile([]int{2}, 0, 0), "indices": numpyFile([]int{0}), "data": numpyFile([]int{0})}),
			"type x has features but is in no relation"},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := hecoToy(t)
			if files[c.file] = c.content; c.content == "" {
				delete(files, c.file)
			}
			wantError(t, testkit.Folder(t, files), c.want)
		})
	}
}
