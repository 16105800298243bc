package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestWheel: the wheel holds the program as it was, executable, RECORD is right about every file, and a second wheel
// has the same bytes.
func TestWheel(t *testing.T) {
	program := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(program, []byte("the program"), 0o600); err != nil {
		t.Fatal(err)
	}
	first := wheel(t, program)
	if second := wheel(t, program); !bytes.Equal(first, second) {
		t.Error("two wheels of the same files differ")
	}
	z, err := zip.NewReader(bytes.NewReader(first), int64(len(first)))
	if err != nil {
		t.Fatal(err)
	}
	var names, want []string
	var record string
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, f.Name)
		if record = string(data); f.Name == "bloomgml-1.2.3rc1.dist-info/RECORD" {
			continue
		}
		sum := sha256.Sum256(data)
		code := base64.RawURLEncoding.EncodeToString(sum[:])
		want = append(want, fmt.Sprintf("%s,sha256=%s,%d", f.Name, code, len(data)))
		if f.Name == "bloomgml/bin/bloom.exe" && (string(data) != "the program" || f.Mode().Perm() != 0o755) {
			t.Errorf("the program is %q with mode %v", data, f.Mode())
		}
	}
	want = append(want, "bloomgml-1.2.3rc1.dist-info/RECORD,,")
	if got := strings.TrimSuffix(record, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("RECORD is\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
	for _, name := range []string{"bloomgml/__init__.py", "bloomgml/py.typed", "bloomgml/bin/bloom.exe"} {
		if !slices.Contains(names, name) {
			t.Errorf("%s is not among %q", name, names)
		}
	}
}

// wheel returns the bytes of a wheel for Windows.
func wheel(t *testing.T, path string) []byte {
	t.Chdir("..")
	out := t.TempDir()
	r := release{version: "v1.2.3-rc.1", out: out}
	if err := r.wheel(program{os: "windows", arch: "amd64", path: path}); err != nil {
		t.Fatal(err)
	}
	t.Chdir("release")
	data, err := os.ReadFile(filepath.Join(out, "bloomgml-1.2.3rc1-py3-none-win_amd64.whl"))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestPythonVersions: what pip calls a version.
func TestPythonVersions(t *testing.T) {
	for version, want := range map[string]string{"v1.2.3": "1.2.3", "0.9": "0.9", "v1.0.0-rc.2": "1.0.0rc2",
		"v1.0.0-beta1": "1.0.0b1", "v0.0.0-ci": "0.0.0.dev0+ci", "v1.0.0-pre-2": "1.0.0.dev0+pre.2"} {
		if got, err := pep440(version); got != want || err != nil {
			t.Errorf("%s is %q, %v; want %q", version, got, err, want)
		}
	}
	for _, version := range []string{"", "latest", "v1..2", "v1.2.3 4"} {
		if got, err := pep440(version); err == nil {
			t.Errorf("%q is taken for %s", version, got)
		}
	}
	if err := (release{version: "v1.0.0"}).wheel(program{os: "plan9", arch: "386"}); err == nil {
		t.Error("there is a wheel for Plan 9")
	}
}
