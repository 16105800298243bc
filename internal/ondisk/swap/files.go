package swap

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"unsafe"

	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/mat"
)

// Overview: a part is a file that is written once, under a temporary name, and never changed.
//
//	part-0003-00000012.bin   part 3, version 12
//
//	8 bytes   magic
//	4 × u32   part, rows, columns, matrices
//	then for every matrix its numbers, row by row, and their CRC-32C
//
// Numbers are little endian. Matrix 0 has embeddings, the others are what the optimiser remembers of them.
const magic = "bloomsw1"

const header = 8 + 4*4

// realBytes is the size of a number.
const realBytes = int64(unsafe.Sizeof(mat.Real(0)))

// partFiles are the parts on the disk. A part of version 0 has no file: it is as training begins.
type partFiles struct {
	dir        string
	rows, cols int
	matrices   int

	now, best []int // versions by part
	next      int
	named     [2]map[[2]int]bool // (part, version) of the last checkpoint, and of the one before
	unsynced  [][2]int

	room          []byte // a piece on its way
	reads, writes int    // of parts
}

func newFiles(dir string, parts, rows, cols int) *partFiles {
	return &partFiles{dir: dir, rows: rows, cols: cols, matrices: 1, now: make([]int, parts), best: make([]int, parts),
		next: 1, room: make([]byte, 1<<18)}
}

func (f *partFiles) path(part, version int) string {
	return filepath.Join(f.dir, fmt.Sprintf("part-%04d-%08d.bin", part, version))
}

// size is how long a file is.
func (f *partFiles) size() int64 {
	return header + int64(f.matrices)*(int64(f.rows)*int64(f.cols)*realBytes+4)
}

func (f *partFiles) head(part int) []byte {
	b := []byte(magic)
	for _, x := range []int{part, f.rows, f.cols, f.matrices} {
		b = binary.LittleEndian.AppendUint32(b, uint32(x))
	}
	return b
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// write makes matrices, rows×cols numbers each, the new version of a part.
func (f *partFiles) write(part int, each func(i int) []mat.Real) error {
	path := f.path(part, f.next)
	out, err := os.Create(path + ".tmp")
	if err != nil {
		return files.Because(path, err)
	}
	err = f.fill(out, part, each)
	if err = errors.Join(err, out.Close()); err == nil {
		err = os.Rename(path+".tmp", path)
	}
	if err != nil {
		_ = os.Remove(path + ".tmp") // the error that matters is err
		return files.Because(path, err)
	}
	old := f.now[part]
	f.now[part] = f.next
	f.unsynced = append(f.unsynced, [2]int{part, f.next})
	f.next++
	f.writes++
	return f.drop(part, old)
}

// fill writes the contents of a file.
func (f *partFiles) fill(out *os.File, part int, each func(i int) []mat.Real) error {
	if _, err := out.Write(f.head(part)); err != nil {
		return err
	}
	for i := range f.matrices {
		sum, values := crc32.New(castagnoli), each(i)
		for len(values) > 0 {
			n := min(len(values), len(f.room)/int(realBytes))
			b := put(f.room, values[:n])
			sum.Write(b) // which never fails
			if _, err := out.Write(b); err != nil {
				return err
			}
			values = values[n:]
		}
		if _, err := out.Write(binary.LittleEndian.AppendUint32(nil, sum.Sum32())); err != nil {
			return err
		}
	}
	return nil
}

// put writes numbers to the beginning of b, little endian, and returns that.
func put(b []byte, values []mat.Real) []byte {
	for i, x := range values {
		if realBytes == 4 {
			binary.LittleEndian.PutUint32(b[4*i:], math.Float32bits(float32(x)))
		} else {
			binary.LittleEndian.PutUint64(b[8*i:], math.Float64bits(float64(x)))
		}
	}
	return b[:int(realBytes)*len(values)]
}

// get is the inverse of put.
func get(values []mat.Real, b []byte) {
	for i := range values {
		if realBytes == 4 {
			values[i] = mat.Real(math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:])))
		} else {
			values[i] = mat.Real(math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:])))
		}
	}
}

// read hands over the first n matrices of a version of a part, one after the other in the same memory.
func (f *partFiles) read(part, version, n int, room []mat.Real, take func(i int)) error {
	path := f.path(part, version)
	in, err := os.Open(path)
	if err != nil {
		return files.Because(path, err)
	}
	defer in.Close()
	if err := f.whole(path, in, part); err != nil {
		return err
	}
	f.reads++
	for i := range n {
		if err := f.matrix(path, in, i, room); err != nil {
			return err
		}
		take(i)
	}
	return nil
}

// whole is the error for a file of another size or shape.
func (f *partFiles) whole(path string, in *os.File, part int) error {
	info, err := in.Stat()
	if err != nil {
		return files.Because(path, err)
	}
	if info.Size() != f.size() {
		return files.Errorf(path, "%d bytes, and a part has %d: the file was cut or is of another run", info.Size(),
			f.size())
	}
	got := make([]byte, header)
	if _, err := io.ReadFull(in, got); err != nil {
		return files.Because(path, err)
	}
	if !slices.Equal(got, f.head(part)) {
		return files.Errorf(path, "is not part %d of %d×%d numbers and %d matrices", part, f.rows, f.cols, f.matrices)
	}
	return nil
}

// matrix reads matrix i and compares it with its checksum.
func (f *partFiles) matrix(path string, in *os.File, i int, room []mat.Real) error {
	sum := crc32.New(castagnoli)
	for at := 0; at < len(room); {
		n := min(len(room)-at, len(f.room)/int(realBytes))
		b := f.room[:n*int(realBytes)]
		if _, err := io.ReadFull(in, b); err != nil {
			return files.Because(path, err)
		}
		sum.Write(b)
		get(room[at:at+n], b)
		at += n
	}
	var want [4]byte
	if _, err := io.ReadFull(in, want[:]); err != nil {
		return files.Because(path, err)
	}
	if got := sum.Sum32(); got != binary.LittleEndian.Uint32(want[:]) {
		return files.Errorf(path, "the checksum of matrix %d is %08x, not %08x: the file has changed", i, got,
			binary.LittleEndian.Uint32(want[:]))
	}
	return nil
}
