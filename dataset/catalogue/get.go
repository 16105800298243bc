package catalogue

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/bloomgml/bloom/internal/files"
)

// Options say how Get downloads. The zero value downloads from the addresses of the catalogue.
type Options struct {
	// From is a folder or an address (http:// or https://) with the files of the set, used instead of the catalogue's
	// addresses. It has the layout of the cache; a folder may also hold the files of the set, or their archive,
	// directly.
	From string
	// Progress is told, from time to time, how many bytes of a file or archive have arrived. Total is 0 if unknown. May
	// be nil.
	Progress func(file string, done, total int64)
	Client   *http.Client // nil means http.DefaultClient
}

// Get downloads a set of the catalogue into the cache and returns the path to open. It keeps files that are there and
// correct; an interrupted download is resumed. It compares every file with its pinned size and sha256, or with the size
// and sha256 of its first download, and moves the files into the cache only when all are correct: after an error the
// cache is unchanged.
func Get(ctx context.Context, name string, o Options) (path string, err error) {
	e := Find(name)
	if e == nil {
		return "", noSuchRef(name)
	}
	return e.get(ctx, o)
}

func (e *Entry) get(ctx context.Context, o Options) (path string, err error) {
	cache, err := cacheDir()
	if err != nil {
		return "", err
	}
	record, err := readRecord(filepath.Join(cache, "checksums.json"))
	if err != nil {
		return "", err
	}
	g := &getter{
		Options: o, entry: e, cache: cache, record: record,
		stage: filepath.Join(cache, ".staging", plainName(e.Name)),
	}
	g.Client = cmp.Or(g.Client, http.DefaultClient)
	for _, s := range e.Sources {
		if err := g.source(ctx, s); err != nil {
			return "", fmt.Errorf("getting %s: %w", e.Name, err)
		}
	}
	if err := g.commit(); err != nil {
		return "", fmt.Errorf("getting %s: %w", e.Name, err)
	}
	path, _ = e.Locate()
	return path, nil
}

// getter brings the files of one set to its stage, a folder in the cache that nothing reads.
type getter struct {
	Options
	entry  *Entry
	cache  string
	stage  string
	record *record
	ready  []setFile // files on the stage, verified
}

// staged returns the path of a file on the stage.
func (g *getter) staged(f setFile) string { return filepath.Join(g.stage, filepath.FromSlash(f.Path)) }

// key returns the name of a file in the record of checksums.
func (g *getter) key(f setFile) string { return g.entry.Folder + "/" + f.Path }

// verify compares a file with what is pinned or recorded.
func (g *getter) verify(path string, f setFile) error {
	return verifyFile(path, g.record.pinned(g.key(f), f))
}

// source downloads the files of s that the cache does not have to the stage.
func (g *getter) source(ctx context.Context, s origin) error {
	var want []setFile
	for _, f := range s.Files {
		if g.verify(g.entry.path(g.cache, f), f) != nil {
			want = append(want, f)
		}
	}
	if len(want) == 0 {
		return nil
	}
	address := strings.HasPrefix(g.From, "http://") || strings.HasPrefix(g.From, "https://")
	switch {
	case g.From != "" && !address:
		return g.fromFolder(s, want)
	case s.Archive && !address:
		return g.fromArchive(ctx, s, want)
	}
	for _, f := range want {
		var at []string
		for _, base := range s.At {
			at = append(at, base+f.source())
		}
		if address {
			at = []string{strings.TrimSuffix(g.From, "/") + "/" + g.key(f)}
		}
		if err := g.fetch(ctx, at, f, g.staged(f)); err != nil {
			return err
		}
		g.ready = append(g.ready, f)
	}
	return nil
}

// fromFolder copies files from g.From, or extracts them from the archive there.
func (g *getter) fromFolder(s origin, want []setFile) error {
	if s.Archive {
		if archive := filepath.Join(g.From, archiveName(s)); isFile(archive) {
			return g.extract(archive, want)
		}
	}
	for _, f := range want {
		from := filepath.Join(g.From, filepath.FromSlash(f.Path))
		if inFolder := g.entry.path(g.From, f); isFile(inFolder) || !isFile(from) {
			from = inFolder
		}
		if s.Optional && !isFile(from) {
			continue
		}
		if err := g.verify(from, f); err != nil {
			return err
		}
		if err := copyFile(g.staged(f), from); err != nil {
			return files.Because(from, err)
		}
		if err := g.verify(g.staged(f), f); err != nil {
			return err
		}
		g.ready = append(g.ready, f)
	}
	return nil
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}

func copyFile(to, from string) error {
	r, err := os.Open(from)
	if err != nil {
		return err
	}
	defer r.Close()
	return createFile(to, func(w io.Writer) error {
		_, err := io.Copy(w, r)
		return err
	})
}

// createFile writes a file, with the folders above it.
func createFile(path string, write func(w io.Writer) error) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return files.Replace(path, files.WriteOptions{Passing: true}, write)
}

// commit moves the files of the stage into the cache and records the checksums of files without a pinned one.
func (g *getter) commit() error {
	for _, f := range g.ready {
		if f.SHA256 == "" {
			sum, size, err := files.Sum(g.staged(f))
			if err != nil {
				return err
			}
			g.record.Files[g.key(f)] = recorded{sum, size}
		}
	}
	if err := g.record.write(); err != nil {
		return err
	}
	for _, f := range g.ready {
		to := g.entry.path(g.cache, f)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		if err := os.Rename(g.staged(f), to); err != nil {
			return err
		}
	}
	return os.RemoveAll(g.stage)
}

// record is checksums.json in the cache: the checksums of files without a pinned one, from their first download.
type record struct {
	path  string
	Files map[string]recorded `json:"files"` // by folder and path, with slashes
}

// recorded is the expected size and checksum of a file.
type recorded struct {
	SHA256 string `json:"sha256"`
	Bytes  int64  `json:"bytes"`
}

// readRecord reads the record at path; it returns an empty one if there is no such file.
func readRecord(path string) (*record, error) {
	r := &record{path: path, Files: map[string]recorded{}}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err != nil {
		return nil, files.Because(path, err)
	}
	if err := json.Unmarshal(text, r); err != nil {
		return nil, files.Because(path, err)
	}
	return r, nil
}

// pinned returns f, with the checksum of the record if it has none of its own.
func (r *record) pinned(key string, f setFile) setFile {
	if known, ok := r.Files[key]; ok && f.SHA256 == "" {
		f.SHA256, f.Bytes = known.SHA256, known.Bytes
	}
	return f
}

func (r *record) write() error {
	if len(r.Files) == 0 {
		return nil
	}
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(r.path), 0o755); err != nil {
		return err
	}
	return files.Replace(r.path, files.WriteOptions{}, func(f io.Writer) error {
		_, err := f.Write(append(text, '\n'))
		return err
	})
}

// verifyFile compares the file at path with the size and the checksum of f, as far as it has them.
func verifyFile(path string, f setFile) error {
	sum, size, err := files.Sum(path)
	switch {
	case err != nil:
		return files.Because(path, err)
	case f.SHA256 == "":
		return nil
	case size != f.Bytes:
		return files.Errorf(path, "has %d bytes, want %d", size, f.Bytes)
	case sum != f.SHA256:
		return files.Errorf(path, "has the sha256 %s, want %s", sum, f.SHA256)
	}
	return nil
}
