package codec

import (
	"fmt"
	"io"
	"os"

	"github.com/bloomgml/bloom/internal/files"
)

// NPYOptions bound what is read.
type NPYOptions struct {
	// Budget pays for elements, as stored in the file and as converted; nil has no limit. Compressed zeros shrink to a
	// thousandth: this stops a small archive from filling the memory.
	Budget *files.Budget
}

// ReadNPY reads a .npy file.
func ReadNPY(path string, opt NPYOptions) (*Array, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, files.Because(path, err)
	}
	defer f.Close()
	size, err := regular(path, f)
	if err != nil {
		return nil, err
	}
	opt.Budget.Admit(path, size)
	return DecodeNPY(path, f, size, opt)
}

// regular returns the size of an open file, which must not be a folder, a pipe or a device.
func regular(path string, f *os.File) (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, files.Because(path, err)
	}
	if !info.Mode().IsRegular() {
		return 0, files.Errorf(path, "not a regular file")
	}
	return info.Size(), nil
}

// DecodeNPY reads an array from r, which holds the given number of bytes; file names it in errors. Memory grows with
// what
// r actually delivers, whatever it claims.
func DecodeNPY(file string, r io.Reader, bytes int64, opt NPYOptions) (*Array, error) {
	h, err := readHeader(file, r, bytes)
	if err != nil {
		return nil, err
	}
	if have := bytes - h.end; h.size != have {
		return nil, files.ErrorAtByte(file, h.end, "shape %v of type %s takes %d bytes, the file has %d", h.shape,
			h.dtype,
			h.size, have)
	}
	what := fmt.Sprintf("%s: an array of shape %v and type %s", file, h.shape, h.dtype)
	if err := opt.Budget.Take(h.size, what); err != nil {
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
	return NewArray(file, h.end, h.dtype, h.shape, h.fortran, data, opt)
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
