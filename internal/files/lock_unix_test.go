//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package files

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestNoLocks: on a file system without locks, that is said, and files are written all the same.
func TestNoLocks(t *testing.T) {
	t.Cleanup(func() { flock = unix.Flock })
	for _, missing := range []error{unix.ENOTSUP, unix.ENOSYS} {
		flock = func(int, int) error { return missing }
		dir, said := t.TempDir(), ""
		release, err := Lock(dir, func(text string) { said = text })
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(said, dir) || !strings.Contains(said, "without locks") {
			t.Errorf("%v: %q is said", missing, said)
		}
		path := filepath.Join(dir, "x")
		err = Replace(path, WriteOptions{}, func(w io.Writer) error { _, err := io.WriteString(w, "text"); return err })
		if b, err2 := os.ReadFile(path); err != nil || err2 != nil || string(b) != "text" {
			t.Errorf("%v: %q, %v, %v", missing, b, err, err2)
		}
		release()
		if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
			t.Errorf("%v: there are %v, %v", missing, left, err)
		}
	}
}
