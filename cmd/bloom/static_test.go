package main

import (
	"bytes"
	"debug/elf"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestStaticBinary builds the binary as users get it, without cgo, and checks that it needs nothing
// else to run and passes exit codes on.
func TestStaticBinary(t *testing.T) {
	if testing.Short() || os.Getenv("CGO_ENABLED") != "0" {
		t.Skip("compiles everything once more, unless tests are without cgo too, as in .ci/run")
	}
	name := filepath.Join(t.TempDir(), "bloom.exe")
	build := exec.Command("go", "build", "-buildvcs=false", "-o", name, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command("go", "version", "-m", name).Output()
	if err != nil || !bytes.Contains(out, []byte("CGO_ENABLED=0")) {
		t.Errorf("not built without cgo: %v\n%s", err, out)
	}
	if runtime.GOOS == "linux" {
		needsNothing(t, name)
	}
	if info, err := os.Stat(name); err != nil || info.Size() > 46e6 {
		t.Errorf("the binary has %d bytes, more than 46 MB: %v", info.Size(), err)
	}
	if out, err := exec.Command(name, "--version").Output(); err != nil || !strings.HasPrefix(string(out), "bloom ") {
		t.Errorf("--version: %v, %q", err, out)
	}
	var exit *exec.ExitError
	if err := exec.Command(name, "no-such-command").Run(); !errors.As(err, &exit) || exit.ExitCode() != exitUsage {
		t.Errorf("a usage error ends with %v, want exit status %d", err, exitUsage)
	}
}

// needsNothing fails if an ELF binary asks for a loader or a shared library.
func needsNothing(t *testing.T, name string) {
	t.Helper()
	f, err := elf.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP || p.Type == elf.PT_DYNAMIC {
			t.Errorf("the binary has a %v segment: it is not static", p.Type)
		}
	}
}
