package files

import (
	"errors"
	"os"
	"path/filepath"
)

// Exists reports whether there is something at path.
func Exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// Undo returns a function that removes what dir has then and does not have now, and the folders of its path that do not
// exist now, if they are empty then.
func Undo(dir string) func() error {
	before, path := map[string]bool{}, []string{}
	for at := filepath.Clean(dir); !Exists(at); at = filepath.Dir(at) {
		path = append(path, at)
	}
	list, _ := os.ReadDir(dir) // none if it does not exist
	for _, e := range list {
		before[e.Name()] = true
	}
	return func() (err error) {
		list, _ := os.ReadDir(dir)
		for _, e := range list {
			if !before[e.Name()] {
				err = errors.Join(err, os.RemoveAll(filepath.Join(dir, e.Name())))
			}
		}
		for _, at := range path {
			_ = os.Remove(at) // stays if others have written there
		}
		return err
	}
}
