package codec

import (
	"archive/zip"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/bloomgml/bloom/internal/files"
)

// Archive is an open .npz file: a zip archive of .npy files, stored or deflated.
type Archive struct {
	path    string
	file    *os.File // nil if the archive is in memory
	names   []string
	members map[string]*zip.File
	budget  *files.Budget
}

// OpenNPZ opens an archive and checks its directory.
func OpenNPZ(path string, b *files.Budget) (*Archive, error) {
	f, size, err := openRegular(path, b)
	if err != nil {
		return nil, err
	}
	a, err := NewArchive(path, f, size, b)
	if err != nil {
		f.Close()
		return nil, err
	}
	a.file = f
	return a, nil
}

// NewArchive returns the archive in the given number of first bytes of r; path names it in errors. It refuses names
// that lead out of the archive, duplicate names, and members that overlap or whose compression ratio is impossible.
func NewArchive(path string, r io.ReaderAt, bytes int64, b *files.Budget) (*Archive, error) {
	z, err := zip.NewReader(r, bytes)
	if err != nil {
		return nil, &files.Error{File: path, Offset: -1, Text: "not a readable zip archive: " + err.Error(), Err: err}
	}
	a := &Archive{path: path, members: map[string]*zip.File{}, budget: b}
	room := uint64(bytes)
	for _, m := range z.File {
		if err := a.admit(m); err != nil {
			return nil, err
		}
		if m.CompressedSize64 > room {
			return nil, files.Errorf(path, "member %q: all members together have more than the %d bytes of the file",
				m.Name, bytes)
		}
		room -= m.CompressedSize64
	}
	return a, nil
}

// mostExpansion is the maximum number of bytes that a byte of a deflated stream can become: a pair of one-bit codes
// stands for 258 bytes.
const mostExpansion = 1032

// admit adds a member to a if its directory entry is valid.
func (a *Archive) admit(m *zip.File) error {
	name, isArray := strings.CutSuffix(m.Name, ".npy")
	switch {
	case !fs.ValidPath(m.Name) || strings.ContainsAny(m.Name, `\:`):
		return files.Errorf(a.path, "member %q: its name leads out of the archive", m.Name)
	case !isArray: // NumPy ignores other files, too
		return nil
	case a.members[name] != nil:
		return files.Errorf(a.path, "member %q is there twice", m.Name)
	case m.Method != zip.Store && m.Method != zip.Deflate:
		return files.Errorf(a.path, "member %q: compression method %d; stored and deflated are read", m.Name, m.Method)
	case m.Flags&1 != 0:
		return files.Errorf(a.path, "member %q is encrypted", m.Name)
	case m.UncompressedSize64/mostExpansion > m.CompressedSize64:
		return files.Errorf(a.path, "member %q: %d bytes cannot be the content of %d compressed ones", m.Name,
			m.UncompressedSize64, m.CompressedSize64)
	case m.Method == zip.Store && m.UncompressedSize64 != m.CompressedSize64:
		return files.Errorf(a.path, "member %q: %d bytes are stored as %d", m.Name, m.UncompressedSize64,
			m.CompressedSize64)
	}
	a.names = append(a.names, name)
	a.members[name] = m
	return nil
}

// Names returns the arrays of the archive in its order, without ".npy".
func (a *Archive) Names() []string { return a.names }

// Has reports whether the archive holds all of these arrays.
func (a *Archive) Has(names ...string) bool {
	for _, name := range names {
		if a.members[name] == nil {
			return false
		}
	}
	return true
}

// Read reads one array.
func (a *Archive) Read(name string) (*Array, error) {
	m := a.members[name]
	if m == nil {
		return nil, files.Errorf(a.path, "no array %q; there are %s", name, strings.Join(a.names, ", "))
	}
	file := a.path + ":" + m.Name
	r, err := m.Open()
	if err != nil {
		return nil, files.Because(file, err)
	}
	defer r.Close()
	return DecodeNPY(file, r, int64(m.UncompressedSize64), a.budget)
}

// Close closes the file.
func (a *Archive) Close() error {
	if a.file == nil {
		return nil
	}
	return a.file.Close()
}
