package ondisk

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Overview: files that are in a folder while it is built. One that was killed leaves them behind, and the next build
// removes them.
//
//	building.tmp    empty; gone when the folder is complete
//	run-K.tmp       numbers, sorted, u64
//	plain.tmp       adjacency.bin in the numbers of the source, where nodes get others
//	codes.tmp       relations.bin, the same
const (
	begunName = "building.tmp"
	plainName = "plain.tmp"
	codesName = "codes.tmp"
)

// begun reports whether a build of the folder has begun and not ended.
func begun(dir string) bool {
	info, err := os.Lstat(filepath.Join(dir, begunName))
	return err == nil && info.Mode().IsRegular()
}

// ours reports whether building creates a file of that name; locks and incomplete files of package files begin with a
// dot.
func ours(name string) bool {
	known := append([]string{begunName, plainName, codesName, manifestName}, sectionNames[:]...)
	return slices.Contains(known, name) || strings.HasPrefix(name, "run-") && strings.HasSuffix(name, ".tmp") ||
		strings.HasPrefix(name, ".")
}

// remove removes files of the folder, except those that begin with a dot.
func (b *builder) remove(which func(name string) bool) error {
	names, err := os.ReadDir(b.dir)
	for _, n := range names {
		if name := n.Name(); which(name) && !strings.HasPrefix(name, ".") {
			err = errors.Join(err, os.Remove(filepath.Join(b.dir, name)))
		}
	}
	return err
}
