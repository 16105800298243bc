package files

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// sealed is a folder with checksums.
func sealed(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o777); err != nil {
		t.Fatal(err)
	}
	odd := "back\\slash\n"
	if runtime.GOOS == "windows" {
		odd = "no such name there"
	}
	for _, name := range []string{"model", "a  name", odd, "sub/x", ".hidden"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("bytes of "+name), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := Seal(dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestSumsAsSha256sum: its own program accepts the file.
func TestSumsAsSha256sum(t *testing.T) {
	program, err := exec.LookPath("sha256sum")
	if err != nil {
		t.Skip("there is no sha256sum")
	}
	dir := sealed(t)
	if err := Write(filepath.Join(dir, "later"), WriteOptions{}, text("x")); err != nil {
		t.Fatal(err)
	}
	c := exec.Command(program, "-c", "--strict", SumsFile)
	c.Dir = dir
	if out, err := c.CombinedOutput(); err != nil || strings.Count(string(out), ": OK") != 5 {
		t.Errorf("%v: %s", err, out)
	}
}

// TestBitFlips: any bit of a file, or of its line in SHA256SUMS, that changes is noticed; of other lines it may be.
func TestBitFlips(t *testing.T) {
	const seed = 5
	rng := rand.New(rand.NewPCG(seed, 0))
	dir := sealed(t)
	path := filepath.Join(dir, "model")
	for _, victim := range []string{"model", SumsFile} {
		whole := contents(t, filepath.Join(dir, victim))
		for range 200 {
			b := []byte(whole)
			b[rng.IntN(len(b))] ^= 1 << rng.IntN(8)
			if err := os.WriteFile(filepath.Join(dir, victim), b, 0o666); err != nil {
				t.Fatal(err)
			}
			got, err := Read(path)
			if err == nil && string(got) != "bytes of model" {
				t.Fatalf("seed %d: read %q", seed, got)
			}
			if err != nil && !strings.Contains(err.Error(), dir) {
				t.Errorf("seed %d: the error %v names no file", seed, err)
			}
		}
		if err := os.WriteFile(filepath.Join(dir, victim), []byte(whole), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Read(path); err != nil {
		t.Error(err)
	}
}

// TestWrite: a new file is listed, what others are stays as it was sealed, and a folder without sums gets none.
func TestWrite(t *testing.T) {
	dir := sealed(t)
	if err := os.WriteFile(filepath.Join(dir, "model"), []byte("other"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{"first", "second"} {
		if err := Write(filepath.Join(dir, "report"), WriteOptions{}, text(s)); err != nil {
			t.Fatal(err)
		}
		if b, err := Read(filepath.Join(dir, "report")); err != nil || string(b) != s {
			t.Errorf("read %q, %v", b, err)
		}
	}
	_, err := Read(filepath.Join(dir, "model"))
	if err == nil || !strings.Contains(err.Error(), "has changed since it was written") {
		t.Errorf("adding a report made a changed model right: %v", err)
	}
	if err := Unseal(dir); err != nil || Sealed(dir) {
		t.Error(err)
	}
	if err := errors.Join(Seal(dir, "model", "sub/x"), Unseal(dir), Unseal(dir)); err != nil {
		t.Error(err)
	}
	if err := Write(filepath.Join(dir, "report"), WriteOptions{}, text("third")); err != nil || Sealed(dir) {
		t.Errorf("%v, sealed: %v", err, Sealed(dir))
	}
	if b, err := Read(filepath.Join(dir, "model")); err != nil || string(b) != "other" {
		t.Errorf("without sums: %q, %v", b, err)
	}
}

// TestUnlisted: files that came after the checksums, or lost their line, are told; hidden ones are not.
func TestUnlisted(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a", "b", ".c", "sub/d"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(name), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, x := range []struct {
		seal []string
		want string
	}{{[]string{"b"}, "[a sub/d]"}, {[]string{"sub/d"}, "[a]"}, {nil, "[]"}} {
		if err := Seal(dir, x.seal...); err != nil {
			t.Fatal(err)
		}
		if got, err := Unlisted(dir); err != nil || fmt.Sprint(got) != x.want {
			t.Errorf("after %q: %v, %v; want %s", x.seal, got, err, x.want)
		}
	}
}

// FuzzSums: whatever is read as checksums is written and read again as the same.
func FuzzSums(f *testing.F) {
	sum := strings.Repeat("0123456789abcdef", 4)
	f.Add([]byte(sum + "  a\n" + `\` + sum + `  b\\c\nd` + "\n"))
	f.Add([]byte(""))
	f.Fuzz(func(t *testing.T, b []byte) {
		sums, err := parseSums("SHA256SUMS", b)
		if err != nil {
			return
		}
		again, err := parseSums("SHA256SUMS", formatSums(sums))
		if err != nil || !maps.Equal(sums, again) {
			t.Fatalf("%q became %q, %v", sums, again, err)
		}
	})
}
