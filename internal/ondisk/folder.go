package ondisk

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/bloomgml/bloom/internal/files"
)

// prefix begins the names of folders in the temporary folder; inside is the subfolder that is written to.
const (
	prefix = "bloom-scratch-"
	inside = "files"
)

// Folder creates a temporary folder, which remove removes. If the process is killed first, Sweep of a later process
// removes it.
func Folder() (dir string, remove func(), err error) {
	for range 100 {
		outer, err := os.MkdirTemp("", prefix)
		if err != nil {
			return "", nil, err
		}
		release, err := files.Lock(outer, nil)
		if held := (*files.Held)(nil); errors.As(err, &held) { // Sweep was faster
			continue
		}
		if err != nil {
			_ = os.Remove(outer)
			return "", nil, err
		}
		dir := filepath.Join(outer, inside)
		remove := func() { clean(outer, release) }
		if err := os.Mkdir(dir, 0o700); err != nil {
			remove()
			return "", nil, err
		}
		return dir, remove, nil
	}
	return "", nil, errors.New("folders for temporary files are removed as soon as they are made")
}

// clean removes a folder that this process has locked; what cannot be removed is left to Sweep.
func clean(outer string, release func()) {
	_ = os.RemoveAll(filepath.Join(outer, inside))
	release()
	_ = os.Remove(outer)
}

// Sweep removes the folders of killed processes. On a file system without locks they stay.
func Sweep() {
	entries, _ := os.ReadDir(os.TempDir())
	for _, e := range entries {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), prefix) {
			continue
		}
		outer, locked := filepath.Join(os.TempDir(), e.Name()), true
		release, err := files.Lock(outer, func(string) { locked = false })
		switch {
		case err != nil: // a process works there, or it belongs to another user
		case locked:
			clean(outer, release)
		default:
			release()
		}
	}
}
