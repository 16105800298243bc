package format

import (
	"encoding/binary"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/testkit"
	"github.com/bloomgml/bloom/mat"
)

// pickledInt is a number as Python writes it.
func pickledInt(n int) string {
	return string(binary.LittleEndian.AppendUint32([]byte("J"), uint32(n)))
}

// pickledArray is a numpy.ndarray of shape dims with elements "i4" or "f4".
func pickledArray(code string, dims []int, elements ...float32) string {
	var b strings.Builder
	b.WriteString("cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\x00\x85U\x01b\x87R(K\x01(")
	for _, n := range dims {
		b.WriteString(pickledInt(n))
	}
	b.WriteString("tcnumpy\ndtype\nU\x02" + code +
		"K\x00K\x01\x87R(K\x03U\x01<NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb\x89T")
	var data []byte
	for _, x := range elements {
		if code == "f4" {
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(x))
		} else {
			data = binary.LittleEndian.AppendUint32(data, uint32(int32(x)))
		}
	}
	b.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(data))))
	b.Write(data)
	return b.String() + "tb"
}

// pickledCSR is a scipy.sparse.csr_matrix.
func pickledCSR(rows, cols int, ptr, idx, values []float32) string {
	return "\x80\x02cscipy.sparse.csr\ncsr_matrix\n)\x81}(U\x06formatU\x03csrU\x06_shape" + pickledInt(rows) +
		pickledInt(cols) + "\x86" +
		"U\x06indptr" + pickledArray("i4", []int{len(ptr)}, ptr...) + "U\x07indices" +
		pickledArray("i4", []int{len(idx)}, idx...) +
		"U\x04data" + pickledArray("f4", []int{len(values)}, values...) + "ub."
}

// pickledGraph is a defaultdict(list).
func pickledGraph(lists ...[]int) string {
	var b strings.Builder
	b.WriteString("\x80\x02ccollections\ndefaultdict\nc__builtin__\nlist\n\x85R(")
	for u, list := range lists {
		b.WriteString(pickledInt(u) + "](")
		for _, v := range list {
			b.WriteString(pickledInt(v))
		}
		b.WriteString("e")
	}
	return b.String() + "u."
}

// planetoidToy is a set of seven nodes: 0 to 3 in allx, 0 and 1 of them in x, 5 and 4 in tx, 6 in neither.
func planetoidToy() map[string]string {
	return map[string]string{
		"ind.toy.graph":      pickledGraph([]int{1, 1, 0}, []int{0, 2}, []int{1}, nil, []int{5}, []int{4, 3}, nil),
		"ind.toy.test.index": "5\n4\n",
		"ind.toy.x":          pickledCSR(2, 3, []float32{0, 1, 2}, []float32{0, 1}, []float32{1, 1}),
		"ind.toy.allx": pickledCSR(4, 3, []float32{0, 1, 2, 2, 4}, []float32{0, 1, 2, 0},
			[]float32{1, 1, 0.5, 2}),
		"ind.toy.tx":   pickledCSR(2, 3, []float32{0, 1, 2}, []float32{1, 2}, []float32{3, 4}),
		"ind.toy.y":    "\x80\x02" + pickledArray("i4", []int{2, 2}, 1, 0, 0, 1) + ".",
		"ind.toy.ally": "\x80\x02" + pickledArray("i4", []int{4, 2}, 1, 0, 0, 1, 0, 0, 1, 0) + ".",
		"ind.toy.ty":   "\x80\x02" + pickledArray("i4", []int{2, 2}, 0, 1, 1, 0) + ".",
	}
}

// dense are the rows of a matrix.
func dense(m dataset.Matrix) [][]mat.Real {
	rows := make([][]mat.Real, m.Rows)
	for i := range rows {
		rows[i] = make([]mat.Real, m.Cols)
		m.Row(rows[i], i)
	}
	return rows
}

// TestPlanetoid: the folder and any of its files name the set.
func TestPlanetoid(t *testing.T) {
	dir := testkit.Folder(t, planetoidToy())
	for _, path := range []string{dir, filepath.Join(dir, "ind.toy.x"), filepath.Join(dir, "ind.toy.test.index")} {
		saysWhat(t, path, known["Planetoid pickles"][0])
	}
}

func TestPlanetoidErrors(t *testing.T) {
	for _, c := range []struct{ name, file, content, want string }{
		{"missing file", "tx", "", "ind.toy.tx: "},
		{"code", "graph", "\x80\x02cos\nsystem\nU\x02ls\x85R.", `ind.toy.graph: byte 2: global "os system"`},
		{"no dict", "graph", "\x80\x02N.", "does not hold a dict"},
		{"no list", "graph", "\x80\x02}K\x00Ns.", "node 0 has no list"},
		{"key", "graph", "\x80\x02}K\x05]s.", "entry 0 has the key 5"},
		{"key twice", "graph", "\x80\x02}(K\x00]K\x00]u.", "entry 1 has the key 0"},
		{"neighbour", "graph", pickledGraph([]int{1}), "node 0 has the neighbour 1; there are 1 nodes"},
		{"few nodes", "graph", pickledGraph(nil, nil),
			"ind.toy.test.index:1: node 5 is listed twice, or is not one of 2"},
		{"test twice", "test.index", "5\n5\n", "ind.toy.test.index:2: node 5 is listed twice"},
		{"test word", "test.index", "5\nfour\n", `ind.toy.test.index:2: "four" is not a number`},
		{"test in allx", "test.index", "5\n3\n", "node 3 has a row in allx, too"},
		{"test too short", "test.index", "5\n", "do not fit 7 nodes, 1 of them in test.index"},
		{"no matrix", "allx", "\x80\x02N.", "does not hold a csr_matrix"},
		{"empty matrix", "allx", "\x80\x02cscipy.sparse.csr\ncsr_matrix\n)\x81.", "does not hold a csr_matrix"},
		{"columns", "tx", pickledCSR(2, 4, []float32{0, 0, 0}, nil, nil), "has 4 columns, allx has 3"},
		{"rows", "allx", pickledCSR(5, 3, []float32{0, 0}, nil, nil), "shape 5×3 with 2 row ends"},
		{"row ends", "allx", pickledCSR(2, 3, []float32{0, 2, 1}, []float32{0}, []float32{1}),
			"row 1 of a sparse matrix ends at 1, before its start at 2"},
		{"row total", "allx", pickledCSR(1, 3, []float32{0, 2}, []float32{0}, []float32{1}),
			"go from 0 to 2, want 0 to 1"},
		{"column", "allx", pickledCSR(1, 3, []float32{0, 1}, []float32{3}, []float32{1}), "in column 3 of 3"},
		{"negative column", "allx", pickledCSR(1, 3, []float32{0, 1}, []float32{-1}, []float32{1}),
			"in column -1 of 3"},
		{"same column", "allx", pickledCSR(1, 3, []float32{0, 2}, []float32{1, 1}, []float32{1, 1}),
			"two entries in the same column"},
		{"not finite", "allx", pickledCSR(1, 3, []float32{0, 1}, []float32{1}, []float32{float32(math.NaN())}),
			"which is not finite"},
		{"two classes", "ally", "\x80\x02" + pickledArray("i4", []int{4, 2}, 1, 0, 1, 1, 0, 0, 1, 0) + ".",
			"row 1 has the classes 0 and 1"},
		{"class of 2", "ally", "\x80\x02" + pickledArray("i4", []int{4, 2}, 2, 0, 1, 1, 0, 0, 1, 0) + ".",
			"a flag is 2"},
		{"class rows", "ty", "\x80\x02" + pickledArray("i4", []int{1, 2}, 1, 0) + ".",
			"does not hold an array with 2 rows"},
		{"class columns", "ty", "\x80\x02" + pickledArray("i4", []int{2, 1}, 1, 0) + ".",
			"has 2 classes, y 2 and ty 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := planetoidToy()
			if files["ind.toy."+c.file] = c.content; c.content == "" {
				delete(files, "ind.toy."+c.file)
			}
			wantError(t, filepath.Join(testkit.Folder(t, files), "ind.toy.x"), c.want)
		})
	}
	files := planetoidToy()
	files["ind.other.graph"] = ""
	wantError(t, testkit.Folder(t, files), "holds 2 sets (other, toy)")
}

// TestSortRows gives the entries of a row in the wrong order.
func TestSortRows(t *testing.T) {
	files := planetoidToy()
	files["ind.toy.tx"] = pickledCSR(2, 3, []float32{0, 3, 3}, []float32{2, 0, 1}, []float32{5, 6, 7})
	d, err := Open(filepath.Join(testkit.Folder(t, files), "ind.toy.x"))
	if err != nil {
		t.Fatal(err)
	}
	x := d.Features[0]
	if row := dense(x)[5]; !slices.Equal(row, []mat.Real{6, 7, 5}) ||
		!slices.Equal(x.Idx[x.Ptr[5]:x.Ptr[6]], []int32{0, 1, 2}) {
		t.Errorf("row %v, columns %v", row, x.Idx[x.Ptr[5]:x.Ptr[6]])
	}
}
