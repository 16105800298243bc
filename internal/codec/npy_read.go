package codec

import (
	"archive/zip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"strconv"
	"strings"

	"github.com/bloomgml/bloom/internal/files"
)

// magic begins every .npy file.
const magic = "\x93NUMPY"

// maxHeader bounds the length of a header, which versions 2.0 and 3.0 give in 4 bytes. NumPy itself
// reads no more than 10000 bytes unless it is told to.
const maxHeader = 1 << 20

// header is what a .npy file says about its array.
type header struct {
	dtype   DType
	fortran bool
	shape   []int
	size    int64 // of the elements, in bytes
	end     int64 // where they begin
}

// readHeader reads the header of a file of the given size: magic, version, the length of a Python dict literal, and the
// literal.
func readHeader(file string, r io.Reader, bytes int64) (*header, error) {
	var b [12]byte
	if _, err := io.ReadFull(r, b[:10]); err != nil {
		return nil, short(file, 0, err, "the file ends inside the header")
	}
	if string(b[:6]) != magic {
		return nil, files.ErrorAtByte(file, 0, "not a .npy file: it begins with % x", b[:6])
	}
	start, length := int64(10), int64(binary.LittleEndian.Uint16(b[8:]))
	switch version := b[6]; {
	case version == 0 || version > 3:
		return nil, files.ErrorAtByte(file, 6, "version %d.%d of the .npy format; 1.0, 2.0 and 3.0 are read", b[6],
			b[7])
	case version > 1:
		if _, err := io.ReadFull(r, b[10:]); err != nil {
			return nil, short(file, 10, err, "the file ends inside the header")
		}
		start, length = 12, int64(binary.LittleEndian.Uint32(b[8:]))
	}
	if length > maxHeader || length > bytes-start {
		return nil, files.ErrorAtByte(file, 8, "a header of %d bytes, in a file of %d", length, bytes)
	}
	literal := make([]byte, length)
	if n, err := io.ReadFull(r, literal); err != nil {
		return nil, short(file, start+int64(n), err, "the file ends inside the header")
	}
	h := &header{end: start + length}
	if err := h.parse(string(literal)); err != nil {
		return nil, files.ErrorAtByte(file, start, "%v", err)
	}
	return h, nil
}

// short returns the error for a read that returned too little: the end of the file, or its cause.
func short(file string, at int64, err error, text string) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return files.ErrorAtByte(file, at, "%s", text)
	}
	return &files.Error{File: file, Offset: at, Text: err.Error(), Err: err}
}

// The literal is {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }, with its keys in any order. A record type
// is a list. Python 2 writes 3L for large numbers.
var (
	npyLiteral = regexp.MustCompile(`^\s*\{\s*(?:["'](?:descr|fortran_order|shape)["']\s*:\s*` +
		`(?:"[^"]*"|'[^']*'|\w+|\[.*\]|\([^)]*\))\s*,?\s*){3}\}\s*$`)
	npyDescr   = regexp.MustCompile(`descr["']\s*:\s*(?:"([^"]*)"|'([^']*)'|(\[))`)
	npyFortran = regexp.MustCompile(`fortran_order["']\s*:\s*(True|False)\b`)
	npyShape   = regexp.MustCompile(`shape["']\s*:\s*\(([^)]*)\)`)
)

func (h *header) parse(literal string) (err error) {
	descr, fortran, shape := npyDescr.FindStringSubmatch(literal), npyFortran.FindStringSubmatch(literal),
		npyShape.FindStringSubmatch(literal)
	if !npyLiteral.MatchString(literal) || descr == nil || fortran == nil || shape == nil {
		return fmt.Errorf("the header is not descr, fortran_order and shape, each once: %.80q", literal)
	}
	if descr[3] != "" {
		return errors.New("elements that are records are not read")
	}
	if h.dtype, err = ParseDType(descr[1] + descr[2]); err != nil {
		return err
	}
	h.fortran, h.shape = fortran[1] == "True", []int{}
	for text := range strings.SplitSeq(strings.TrimSuffix(strings.TrimSpace(shape[1]), ","), ",") {
		text = strings.TrimSuffix(strings.TrimSpace(text), "L")
		if text == "" && len(h.shape) == 0 {
			break // of a single number
		}
		n, err := strconv.ParseInt(text, 10, strconv.IntSize)
		if err != nil || n < 0 {
			return fmt.Errorf("a dimension %.30q, which is not a number from 0 to 2⁶³−1", text)
		}
		h.shape = append(h.shape, int(n))
	}
	h.size, err = byteSize(h.dtype, h.shape)
	return err
}

// ReadNPY reads a .npy file. The budget pays for elements, as stored in the file and as converted; nil has no limit.
// Compressed zeros shrink to a thousandth: this stops a small archive from filling the memory.
func ReadNPY(path string, b *files.Budget) (*Array, error) {
	f, size, err := openRegular(path, b)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return DecodeNPY(path, f, size, b)
}

// openRegular opens a file, which must not be a folder, a pipe or a device, and admits its size to the budget.
func openRegular(path string, b *files.Budget) (f *os.File, size int64, err error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() { // opening a pipe waits for a writer
		return nil, 0, files.Errorf(path, "not a regular file")
	}
	if f, err = os.Open(path); err != nil {
		return nil, 0, files.Because(path, err)
	}
	info, err := f.Stat()
	switch {
	case err != nil:
		err = files.Because(path, err)
	case !info.Mode().IsRegular():
		err = files.Errorf(path, "not a regular file")
	default:
		b.Admit(path, info.Size())
		return f, info.Size(), nil
	}
	f.Close()
	return nil, 0, err
}

// DecodeNPY reads an array from r, which holds the given number of bytes; file names it in errors. Memory grows with
// what r actually delivers, whatever it claims.
func DecodeNPY(file string, r io.Reader, bytes int64, b *files.Budget) (*Array, error) {
	h, err := readHeader(file, r, bytes)
	if err != nil {
		return nil, err
	}
	if have := bytes - h.end; h.size != have {
		return nil, files.ErrorAtByte(file, h.end, "shape %v of type %s takes %d bytes, the file has %d", h.shape,
			h.dtype, h.size, have)
	}
	what := fmt.Sprintf("%s: an array of shape %v and type %s", file, h.shape, h.dtype)
	if err := b.Take(h.size, what); err != nil {
		return nil, err
	}
	data, err := readGrowing(r, h.size)
	if err != nil {
		return nil, short(file, h.end+int64(len(data)), err, "the file ends inside the elements")
	}
	var more [1]byte
	if n, err := r.Read(more[:]); n > 0 || err != nil && err != io.EOF { // the end of a zip member checks its sum
		if n > 0 {
			return nil, files.ErrorAtByte(file, h.end+h.size, "more bytes than the shape %v asks for", h.shape)
		}
		return nil, short(file, h.end+h.size, err, "the file ends early")
	}
	return NewArray(file, h.end, h.dtype, h.shape, h.fortran, data, b)
}

// firstBlock is the most memory that is allocated before a byte has been read.
const firstBlock = 64 << 20

// readGrowing reads n bytes. Beyond firstBlock the memory doubles as bytes arrive.
func readGrowing(r io.Reader, n int64) ([]byte, error) {
	data := make([]byte, min(n, firstBlock))
	have := 0
	for {
		got, err := io.ReadFull(r, data[have:])
		have += got
		if err != nil || int64(have) == n {
			return data[:have], err
		}
		data = append(make([]byte, 0, min(n, 2*int64(have))), data...)
		data = data[:cap(data)]
	}
}

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
