// Package catalogue knows the benchmark sets by name, downloads them, and opens whatever a user may name.
//
//	path, err := catalogue.Get(ctx, "cora", catalogue.Options{})
//	d, err := catalogue.Open("cora")
package catalogue

import (
	"bytes"
	"cmp"
	_ "embed" // the catalogue
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
)

// Entry is a benchmark set of the catalogue: what was published about it and where its files are.
type Entry struct {
	Name    string   `yaml:"name"`
	Aliases []string `yaml:"aliases"`
	Title   string   `yaml:"title"`
	Task    string   `yaml:"task"` // nodes, links or inductive
	Metric  string   `yaml:"metric"`

	// As published. Edges are counted as Describe does.
	Nodes     int    `yaml:"nodes"`
	Edges     int    `yaml:"edges"`
	Features  int    `yaml:"features"`
	Classes   int    `yaml:"classes"`
	Relations int    `yaml:"relations"`
	Splits    int    `yaml:"splits"`
	Split     [3]int `yaml:"split"` // train, valid and test of the first; zeros if not published

	License string   `yaml:"license"`
	Cite    string   `yaml:"cite"`
	Folder  string   `yaml:"folder"` // of its files, under $BLOOM_DATA and in the cache, with slashes
	Open    string   `yaml:"open"`   // what in Folder format.Open is given
	Sources []origin `yaml:"sources"`
}

// origin is where some files of a set come from.
type origin struct {
	At       []string  `yaml:"at"`       // addresses, tried in this order: folders that end in /, or archives
	Archive  bool      `yaml:"archive"`  // the files are members of a .zip, .tar.gz or .tgz
	Optional bool      `yaml:"optional"` // the set can be read without it
	Files    []setFile `yaml:"files"`
}

type setFile struct {
	Path   string `yaml:"file"`   // below Entry.Folder, with slashes
	From   string `yaml:"from"`   // its name at the source; empty if it is Path
	Bytes  int64  `yaml:"bytes"`  // 0 if not pinned
	SHA256 string `yaml:"sha256"` // in hexadecimal; empty if not pinned
}

// source returns the name of the file at its source.
func (f setFile) source() string { return cmp.Or(f.From, f.Path) }

//go:embed catalogue.yaml
var catalogueText []byte

// readCatalogue decodes the embedded file; a test ensures that it is valid.
var readCatalogue = sync.OnceValue(func() []*Entry {
	var list []*Entry
	decoder := yaml.NewDecoder(bytes.NewReader(catalogueText))
	decoder.KnownFields(true)
	if err := decoder.Decode(&list); err != nil {
		panic(fmt.Sprintf("catalogue.yaml: %v", err))
	}
	return list
})

// All returns all entries. The caller must not change them.
func All() []*Entry { return readCatalogue() }

// Find returns the entry of a name or an alias, nil if there is no such entry. It ignores case, and the difference
// between - and _.
func Find(name string) *Entry {
	name = plainName(name)
	for _, e := range readCatalogue() {
		if plainName(e.Name) == name {
			return e
		}
		for _, alias := range e.Aliases {
			if plainName(alias) == name {
				return e
			}
		}
	}
	return nil
}

func plainName(name string) string { return strings.ReplaceAll(strings.ToLower(name), "-", "_") }

// Locate returns the path to open, and the folder where it was found: the value of $BLOOM_DATA or the cache. Both are
// empty if files are missing in both folders.
func (e *Entry) Locate() (path, root string) {
	for _, root := range dataRoots() {
		if len(e.missing(root)) == 0 {
			return filepath.Join(root, filepath.FromSlash(e.Folder), filepath.FromSlash(e.Open)), root
		}
	}
	return "", ""
}

// missing lists the files, without the optional ones, that are not below root.
func (e *Entry) missing(root string) []string {
	var files []string
	for _, s := range e.Sources {
		for _, f := range s.Files {
			if !s.Optional && !isFile(e.path(root, f)) {
				files = append(files, f.Path)
			}
		}
	}
	return files
}

// path returns the path of a file below root.
func (e *Entry) path(root string, f setFile) string {
	return filepath.Join(root, filepath.FromSlash(e.Folder), filepath.FromSlash(f.Path))
}

// cacheDir returns the folder for downloads: $BLOOM_CACHE, or bloom in the user's cache.
func cacheDir() (string, error) {
	if dir := os.Getenv("BLOOM_CACHE"); dir != "" {
		return dir, nil
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("there is no folder for downloads, set BLOOM_CACHE: %w", err)
	}
	return filepath.Join(dir, "bloom"), nil
}

// dataRoots returns the folders in which to look for the sets of the catalogue, in this order.
func dataRoots() []string {
	var roots []string
	if dir := os.Getenv("BLOOM_DATA"); dir != "" {
		roots = append(roots, dir)
	}
	if dir, err := cacheDir(); err == nil {
		roots = append(roots, dir)
	}
	return roots
}
