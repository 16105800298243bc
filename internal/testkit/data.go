package testkit

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/klauspost/compress/gzip"

	"github.com/bloomgml/bloom/dataset"
)

// Folder writes files, given by name and content, and returns their folder.
func Folder(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Sample reads the sample of a reader of data sets, files by name, below a folder that has one for every type of
// reader: the path to read is the only file, X of a set with its twin X_ind, or the folder itself.
func Sample(t testing.TB, samples string, reader any) (path string, files map[string]string) {
	t.Helper()
	dir := filepath.Join(samples, reflect.TypeOf(reader).Name())
	files = map[string]string{}
	err := filepath.WalkDir(dir, func(file string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := os.ReadFile(file)
		path, _ = filepath.Rel(dir, file)
		path = filepath.ToSlash(path)
		files[path] = string(b)
		return err
	})
	if err != nil {
		t.Fatalf("there is no sample: %v", err)
	}
	if _, twin := files["X/train.txt"]; twin {
		return "X", files
	}
	if len(files) > 1 {
		path = "."
	}
	return path, files
}

// Packed is text as a gzip file.
func Packed(t testing.TB, text string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Same compares all exported fields, and graphs by their parts.
func Same(t *testing.T, got, want *dataset.Dataset) {
	t.Helper()
	if !reflect.DeepEqual(got.Graph.Parts(), want.Graph.Parts()) {
		t.Errorf("graph %+v, want %+v", got.Graph.Parts(), want.Graph.Parts())
	}
	a, b := reflect.ValueOf(*got), reflect.ValueOf(*want)
	for i := range a.NumField() {
		switch name := a.Type().Field(i).Name; name {
		case "Graph", "File":
		case "Twin":
			if (got.Twin == nil) != (want.Twin == nil) {
				t.Errorf("twin %v, want %v", got.Twin, want.Twin)
			} else if got.Twin != nil {
				Same(t, got.Twin, want.Twin)
			}
		case "IDs":
			if !reflect.DeepEqual(got.IDs.Ends, want.IDs.Ends) || !reflect.DeepEqual(got.IDs.Bytes, want.IDs.Bytes) {
				t.Errorf("ids %v, want %v", got.IDs, want.IDs)
			}
		default:
			if x, y := a.Field(i).Interface(), b.Field(i).Interface(); !reflect.DeepEqual(x, y) {
				t.Errorf("%s: %#v, want %#v", name, x, y)
			}
		}
	}
}

// Benchmark is a path inside $BLOOM_DATA, where the public benchmark files are. Without them the
// test is skipped.
func Benchmark(t testing.TB, path string) string {
	t.Helper()
	root := os.Getenv("BLOOM_DATA")
	if root == "" {
		t.Skip("BLOOM_DATA is not set: it names the folder of benchmark files")
	}
	return filepath.Join(root, filepath.FromSlash(path))
}
