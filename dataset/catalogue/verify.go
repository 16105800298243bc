package catalogue

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/bloomgml/bloom/internal/files"
)

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
	sum, size, err := sumFile(path)
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

// sumFile returns the sha256 of a file and its size.
func sumFile(path string) (sum string, size int64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", 0, err
	}
	defer f.Close()
	h := sha256.New()
	size, err = io.Copy(h, f)
	return hex.EncodeToString(h.Sum(nil)), size, err
}
