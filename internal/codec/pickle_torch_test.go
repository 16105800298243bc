package codec

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/internal/files"
)

// archive packs a pickle and the numbers 0 to 5 as torch.save does.
func archive(t testing.TB, pickle string) string {
	t.Helper()
	var buf bytes.Buffer
	z := zip.NewWriter(&buf)
	for _, m := range [][2]string{{"data.pkl", pickle}, {"data/0", "\x00\x01\x02\x03\x04\x05"}} {
		err := pickleMember(z, m[0], func(w io.Writer) error { _, err := io.WriteString(w, m[1]); return err })
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "x.pt")
	if err := os.WriteFile(path, buf.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// strided is a tensor of bytes at an offset, with sizes and strides of two dimensions.
func strided(offset, rows, cols, down, right int) string {
	text := func(s string) string { return fmt.Sprintf("X%c\x00\x00\x00%s", len(s), s) }
	return "ctorch._utils\n_rebuild_tensor_v2\n((" + text("storage") + "ctorch\nByteStorage\n" + text("0") +
		text("cpu") +
		fmt.Sprintf("K\x06tQK%cK%cK%c\x86K%cK%c\x86\x89ccollections\nOrderedDict\n)RtR", offset, rows, cols,
			down, right)
}

// TestStrides: a tensor is read row by row, whatever its strides are.
func TestStrides(t *testing.T) {
	for _, c := range []struct {
		tensor string
		want   []int64
	}{
		{strided(0, 2, 3, 3, 1), []int64{0, 1, 2, 3, 4, 5}},
		{strided(0, 3, 2, 1, 3), []int64{0, 3, 1, 4, 2, 5}}, // transposed
		{strided(2, 2, 2, 2, 1), []int64{2, 3, 4, 5}},
		{strided(1, 2, 2, 3, 2), []int64{1, 3, 4, 6}},       // one beyond the end
		{strided(4, 3, 2, 0, 1), []int64{4, 5, 4, 5, 4, 5}}, // a row three times
		{strided(0, 1, 6, 9, 1), []int64{0, 1, 2, 3, 4, 5}},
		{strided(0, 0, 6, 6, 1), nil},
	} {
		v, err := ReadTorch(archive(t, proto+c.tensor+"."), nil)
		if slices.Contains(c.want, 6) {
			if err == nil || !strings.Contains(err.Error(), "ends beyond its 6 numbers") {
				t.Errorf("%v, %v", v, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if got, err := v.(*Array).Ints(); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%v, want %v, %v", got, c.want, err)
		}
	}
}

// TestTorchValues: what is kept of classes of PyTorch Geometric, and what is refused.
func TestTorchValues(t *testing.T) {
	for text, want := range map[string]any{
		"X\x02\x00\x00\x00\xc3\xa9.":         "é",
		"G\xbf\xe0\x00\x00\x00\x00\x00\x00.": -0.5,
		"\x8a\x05\x00\x00\x00\x00\xff.":      int64(-1) << 32,
		"\x8a\x00.":                          int64(0),
		"ctorch_geometric.data.data\nData\n)\x81}X\x01\x00\x00\x00xK\x01sb.": &Object{
			Class: "torch_geometric.data.data Data", State: &Dict{Keys: []any{"x"}, Values: []any{int64(1)}},
			built: true},
	} {
		got, err := ReadTorch(archive(t, proto+text), nil)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q is %v, want %v, %v", text, got, want, err)
		}
	}
	for text, want := range map[string]string{
		"cposix\nsystem\nX\x02\x00\x00\x00ls\x85R.": `global "posix system" is not supported; nothing was run`,

		"ctorch_geometric.data\nrun\nX\x02\x00\x00\x00ls\x85R.": "a call of torch_geometric.data run",
		"K\x01Q.": "something outside of the pickle",
		"\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x00\x01.": "a whole number of 9 bytes",
	} {
		if _, err := ReadTorch(archive(t, proto+text), nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// FuzzTorch reads any pickle in an archive: a value, or an error with a file.
func FuzzTorch(f *testing.F) {
	f.Add([]byte(proto + strided(0, 3, 2, 1, 3) + "."))
	f.Add([]byte(proto + "ctorch_geometric.data.data\nData\n)\x81}X\x01\x00\x00\x00xK\x01sb."))
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := ReadTorch(archive(t, string(data)), files.NewBudget())
		var e *files.Error
		if err != nil && !errors.As(err, &e) {
			t.Fatalf("an error without a place: %v", err)
		}
		if a, ok := v.(*Array); ok && err == nil {
			a.Ints()
		}
	})
}
