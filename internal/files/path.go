package files

import (
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
