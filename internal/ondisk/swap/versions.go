package swap

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bloomgml/bloom/internal/files"
)

// sync forces new files to the disk.
func (f *partFiles) sync() error {
	for _, x := range f.unsynced {
		path := f.path(x[0], x[1])
		file, err := os.OpenFile(path, os.O_RDWR, 0)
		if errors.Is(err, os.ErrNotExist) {
			continue // a newer one has taken its place
		}
		if err == nil {
			err = errors.Join(file.Sync(), file.Close())
		}
		if err != nil {
			return files.Because(path, err)
		}
	}
	f.unsynced = f.unsynced[:0]
	return nil
}

// drop removes a version that nothing names.
func (f *partFiles) drop(part, version int) error {
	x := [2]int{part, version}
	if version == 0 || f.now[part] == version || f.best[part] == version || f.named[0][x] || f.named[1][x] {
		return nil
	}
	if err := os.Remove(f.path(part, version)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return files.Because(f.path(part, version), err)
	}
	return nil
}

// keep makes the present versions the best.
func (f *partFiles) keep() error {
	old := slices.Clone(f.best)
	copy(f.best, f.now)
	for part, version := range old {
		if err := f.drop(part, version); err != nil {
			return err
		}
	}
	return nil
}

// restore makes the best versions the present ones.
func (f *partFiles) restore() error {
	old := slices.Clone(f.now)
	copy(f.now, f.best)
	for part, version := range old {
		if err := f.drop(part, version); err != nil {
			return err
		}
	}
	return nil
}

// sealed notes that a checkpoint names the present and the best versions.
func (f *partFiles) sealed() error {
	old := f.named[1]
	f.named[1], f.named[0] = f.named[0], map[[2]int]bool{}
	for part := range f.now {
		f.named[0][[2]int{part, f.now[part]}], f.named[0][[2]int{part, f.best[part]}] = true, true
	}
	for x := range old {
		if err := f.drop(x[0], x[1]); err != nil {
			return err
		}
	}
	return nil
}

// versions are the numbers of a checkpoint.
func (f *partFiles) versions() map[string]*int {
	all := map[string]*int{}
	for part := range f.now {
		all[fmt.Sprintf("part/%d/now", part)], all[fmt.Sprintf("part/%d/best", part)] = &f.now[part], &f.best[part]
	}
	return all
}

// reopen looks for the files of the versions that were set. Others may belong to the checkpoint before.
func (f *partFiles) reopen() error {
	names, err := os.ReadDir(f.dir)
	if err != nil {
		return files.Because(f.dir, err)
	}
	f.named[1] = map[[2]int]bool{}
	for _, entry := range names {
		var x [2]int
		if strings.HasSuffix(entry.Name(), ".tmp") {
			err = errors.Join(err, os.Remove(filepath.Join(f.dir, entry.Name())))
		} else if _, e := fmt.Sscanf(entry.Name(), "part-%d-%d.bin", &x[0], &x[1]); e == nil && x[0] < len(f.now) {
			f.named[1][x] = true
			f.next = max(f.next, x[1]+1)
		}
	}
	for _, list := range [][]int{f.now, f.best} {
		for part, version := range list {
			if version > 0 && !f.named[1][[2]int{part, version}] {
				err = errors.Join(err, files.Errorf(f.path(part, version), "is missing, and the checkpoint names it"))
			}
		}
	}
	return err
}
