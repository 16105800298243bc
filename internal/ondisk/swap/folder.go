package swap

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"

	"github.com/bloomgml/bloom/internal/files"
)

// Folder is what a training in parts has on the disk, open: the facts in buckets, and the parts of the entities.
//
//	parts.json      a line "bloom parts 1 CRC", the CRC-32C of the rest in hexadecimal, and JSON: Plan and buckets
//	buckets.bin     facts, bucket by bucket: head, relation and tail, i32 each, little endian
//	part-*.bin      entities, as files.go describes
//
// parts.json is written last: a folder without it is none.
type Folder struct {
	Plan
	dir   string
	facts *buckets
}

const (
	manifestName  = "parts.json"
	manifestMagic = "bloom parts 1 "
)

// manifest is parts.json.
type manifest struct {
	Plan Plan     `json:"plan"`
	At   []int64  `json:"at"`
	Sums []uint32 `json:"crc32c"`
}

// Create writes the facts of src in buckets to a folder, which is made, and opens it.
func Create(dir string, plan Plan, src Source) (*Folder, error) {
	if err := plan.check(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, files.Because(dir, err)
	}
	b, err := createBuckets(dir, src, plan)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(manifest{plan, b.at, b.sums})
	if err != nil {
		return nil, err
	}
	err = files.Replace(filepath.Join(dir, manifestName), files.WriteOptions{}, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%s%08x\n%s", manifestMagic, crc32.Checksum(text, castagnoli), text)
		return err
	})
	if err != nil {
		return nil, err
	}
	return Open(dir)
}

// Is reports whether a folder is one of Create.
func Is(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, manifestName))
	return err == nil
}

// Open opens a folder. The error is a *files.Error.
func Open(dir string) (*Folder, error) {
	path := filepath.Join(dir, manifestName)
	all, err := os.ReadFile(path)
	if err != nil {
		return nil, files.Because(path, err)
	}
	head, text, found := bytes.Cut(all, []byte("\n"))
	if !found || string(head) != fmt.Sprintf("%s%08x", manifestMagic, crc32.Checksum(text, castagnoli)) {
		return nil, files.Errorf(path, "does not begin with %q and the checksum of what follows: the file is damaged",
			manifestMagic)
	}
	var m manifest
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, files.Because(path, err)
	}
	if err := m.Plan.check(); err != nil {
		return nil, files.Because(path, err)
	}
	if n := m.Plan.Parts * m.Plan.Parts; len(m.At) != n+1 || len(m.Sums) != n {
		return nil, files.Errorf(path, "%d buckets of %d parts", len(m.Sums), m.Plan.Parts)
	}
	f := &Folder{Plan: m.Plan, dir: dir, facts: &buckets{path: filepath.Join(dir, bucketsName), at: m.At, sums: m.Sums,
		p: m.Plan.Parts, rows: m.Plan.Rows()}}
	return f, f.facts.open()
}

// Close closes the folder.
func (f *Folder) Close() error { return f.facts.file.Close() }
