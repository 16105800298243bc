package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Find returns the path of a file of a folder, or of the same file compressed.
func Find(dir, name string) (path string, ok bool) {
	for _, name := range []string{name, name + ".gz"} {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path, true
		}
	}
	return "", false
}

// Excerpt quotes the beginning of a text for an error.
func Excerpt(text []byte) string {
	const most = 80
	if len(text) > most {
		return fmt.Sprintf("%q…", text[:most])
	}
	return fmt.Sprintf("%q", text)
}

// Named returns a path that ends in the name of the folder, unlike "." and "..".
func Named(dir string) (string, error) {
	if base := filepath.Base(dir); base != "." && base != ".." {
		return filepath.Clean(dir), nil
	}
	full, err := filepath.Abs(dir)
	if err != nil {
		return "", Because(dir, err)
	}
	return full, nil
}

// Glob returns the paths in dir, sorted by name, that match a pattern of package path.
func Glob(dir, pattern string) []string {
	files, err := fs.Glob(os.DirFS(dir), pattern)
	if err != nil {
		panic(err) // the pattern is malformed
	}
	for i, name := range files {
		files[i] = filepath.Join(dir, filepath.FromSlash(name))
	}
	return files
}

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
