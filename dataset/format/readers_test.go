package format

import (
	"errors"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/dataset/native"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/ondisk"
	"github.com/bloomgml/bloom/internal/testkit"
	"github.com/bloomgml/bloom/mat"
)

var update = flag.Bool("update", false, "write the samples of binary formats")

// TestAnnounced finds readers that are not in the table.
func TestAnnounced(t *testing.T) { testkit.Announced(t, Readers, nil, "Match", "Read") }

// TestReaders runs the conformance suite on every reader of the table.
func TestReaders(t *testing.T) {
	for i, p := range Readers.Parts {
		t.Run(p.Name, func(t *testing.T) {
			t.Run("recognition", func(t *testing.T) { recognition(t, i) })
			t.Run("equal", func(t *testing.T) { readTwice(t, p.New) })
			t.Run("mistakes", func(t *testing.T) { mistakes(t, p.New) })
			t.Run("memory", func(t *testing.T) { memory(t, p.New) })
		})
	}
}

// memory wants a reader to ask before it allocates: a sample that needs more than there may be is an error that says
// what wants it and how to allow it. A .bloom file is mapped, not allocated.
func memory(t *testing.T, r Reader) {
	path := sampleOf(t, r)
	files.SetMemory(1)
	defer files.SetMemory(0)
	_, err := r.Read(path)
	var at *files.Error
	if _, mapped := r.(bloomFile); mapped {
		return
	}
	if !errors.As(err, &at) || !strings.Contains(err.Error(), "the memory for reading it is 1B (--memory") {
		t.Errorf("with one byte: %v", err)
	}
}

// sample writes files into a folder and returns the path to read.
func sample(t testing.TB, path string, files map[string]string) string {
	t.Helper()
	return filepath.Join(testkit.Folder(t, files), filepath.FromSlash(path))
}

// recognition wants the sample of a reader to match it and no other.
func recognition(t *testing.T, which int) {
	path := sampleOf(t, Readers.Parts[which].New)
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range Readers.Parts {
		if got := p.New.Match(path, info.IsDir()); got != (i == which) {
			t.Errorf("%s matches: %v", p.Name, got)
		}
	}
}

// filesOf are the files of the sample of a reader, and which of them is read.
func filesOf(t testing.TB, r Reader) (path string, files map[string]string) {
	t.Helper()
	return testkit.Sample(t, filepath.Join("testdata", "samples"), r)
}

// sampleOf is the path of the sample of a reader.
func sampleOf(t testing.TB, r Reader) string {
	t.Helper()
	path, files := filesOf(t, r)
	return sample(t, path, files)
}

// readTwice wants the same files to give equal sets, and what is written to a .bloom file to be the same again.
func readTwice(t *testing.T, r Reader) {
	path := sampleOf(t, r)
	d, err := r.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	sound(t, d)
	testkit.Same(t, again, d)
	file := filepath.Join(t.TempDir(), "again.bloom")
	if err := native.Write(file, d); err != nil {
		t.Fatal(err)
	}
	stored, err := native.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	defer stored.Close()
	testkit.Same(t, stored, d)
}

// sound checks the laws of a data set.
func sound(t *testing.T, d *dataset.Dataset) {
	t.Helper()
	if err := native.Write(filepath.Join(t.TempDir(), "d.bloom"), d); err != nil {
		t.Fatal(err)
	}
	for _, s := range d.Splits {
		for _, v := range slices.Concat(s.Train, s.Valid, s.Test) {
			if d.Labels.Class[v] < 0 {
				t.Fatalf("node %d is in a split and has no class", v)
			}
		}
	}
	for _, m := range d.Features {
		for i, x := range m.Values {
			if x-x != 0 {
				t.Fatalf("feature value %d is %v", i, x)
			}
		}
	}
	if d.Twin != nil {
		sound(t, d.Twin)
	}
}

// mistakes takes the files of a sample away, empties them, cuts them short and spoils a byte, one after the other.
func mistakes(t *testing.T, r Reader) {
	path, files := filesOf(t, r)
	dir := testkit.Folder(t, files)
	put := func(name, content string) {
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for name, content := range files {
		for _, wrong := range []string{
			"", content[:len(content)/2], content[:max(0, len(content)-2)], content + "\xff\n", spoilt(content, 3),
			spoilt(content, 2*len(content)/3),
		} {
			put(name, wrong)
			soundOrPlace(t, r, filepath.Join(dir, path))
		}
		if err := os.Remove(filepath.Join(dir, filepath.FromSlash(name))); err != nil {
			t.Fatal(err)
		}
		soundOrPlace(t, r, filepath.Join(dir, path))
		put(name, content)
	}
}

// spoilt is text with another byte at i, if it has one.
func spoilt(text string, i int) string {
	if i >= len(text) {
		return text
	}
	return text[:i] + string([]byte{text[i] ^ 0x15}) + text[i+1:]
}

// soundOrPlace reads a path and wants a sound data set, or an error that names a file there.
func soundOrPlace(t *testing.T, r Reader, path string) {
	t.Helper()
	d, err := r.Read(path)
	if err == nil {
		sound(t, d)
		if err := d.Close(); err != nil {
			t.Error(err)
		}
		return
	}
	var e *files.Error
	if !errors.As(err, &e) {
		t.Fatalf("an error without a file: %v", err)
	}
	if !strings.HasPrefix(e.File, filepath.Dir(path)) || e.Text == "" {
		t.Errorf("the error is about %q: %v", e.File, err)
	}
}

// FuzzReaders replaces one file by anything of a sample, for every reader of the table.
func FuzzReaders(f *testing.F) {
	for i, p := range Readers.Parts {
		_, files := filesOf(f, p.New)
		for k, name := range slices.Sorted(maps.Keys(files)) {
			f.Add(uint8(i), uint8(k), []byte(files[name]))
		}
	}
	f.Fuzz(func(t *testing.T, reader, file uint8, data []byte) {
		r := Readers.Parts[int(reader)%len(Readers.Parts)].New
		path, files := filesOf(t, r)
		names := slices.Sorted(maps.Keys(files))
		files[names[int(file)%len(names)]] = string(data)
		soundOrPlace(t, r, sample(t, path, files))
	})
}

// TestSamples compares the samples of binary formats with what they are made of; -update writes them.
func TestSamples(t *testing.T) {
	for _, c := range []struct {
		reader Reader
		files  map[string]string
	}{
		{planetoidFolder{}, planetoidToy()},
		{heterophilousFile{}, map[string]string{"toy.npz": npz(t, heterophilousToy())}},
		{hecoReader{}, hecoToy(t)},
		{bloomFile{}, map[string]string{"toy.bloom": bloomToy(t)}},
		{blockFolder{}, blocksToy(t)},
	} {
		dir := reflect.TypeOf(c.reader).Name()
		for name, content := range c.files {
			if *update {
				path := filepath.Join("testdata", "samples", dir, name)
				if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
					t.Fatal(err)
				}
			}
		}
		if dir == "bloomFile" && unsafe.Sizeof(mat.Real(0)) != 4 {
			continue // numbers of another width are other bytes
		}
		if _, got := filesOf(t, c.reader); !maps.Equal(got, c.files) {
			t.Errorf("%s: another sample; go test ./dataset/format -run TestSamples -update", dir)
		}
	}
}

// bloomToy is the sample of .bloom files as it is written again.
func bloomToy(t *testing.T) string {
	t.Helper()
	d, err := Open(sampleOf(t, bloomFile{}))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "toy.bloom")
	if err := native.Write(path, d); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// blocksToy is the sample of heterophilous files in blocks.
func blocksToy(t *testing.T) map[string]string {
	t.Helper()
	d, err := Open(sampleOf(t, heterophilousFile{}))
	if err != nil {
		t.Fatal(err)
	}
	src, err := ondisk.Of(d)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if _, err := ondisk.Build(dir, src, ondisk.Options{Order: "degree"}); err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	names, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range names {
		b, err := os.ReadFile(filepath.Join(dir, n.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[n.Name()] = string(b)
	}
	return files
}
