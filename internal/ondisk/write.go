package ondisk

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/mat"
)

// file is a section being written.
type file struct {
	*bufio.Writer
	f    *os.File
	path string
	sum  hash.Hash32 // of the current block
}

// createFile begins a file of the folder.
func createFile(path string) (*file, error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, files.Because(path, err)
	}
	return &file{Writer: bufio.NewWriterSize(f, 1<<20), f: f, path: path, sum: crc32.New(castagnoli)}, nil
}

// writeBytes writes bytes of the current block.
func (f *file) writeBytes(b []byte) error {
	f.sum.Write(b) // never fails
	if _, err := f.Write(b); err != nil {
		return files.Because(f.path, err)
	}
	return nil
}

// cut ends the current block and returns its checksum.
func (f *file) cut() uint32 {
	sum := f.sum.Sum32()
	f.sum.Reset()
	return sum
}

// close syncs the file to disk and closes it.
func (f *file) close() error {
	if err := errors.Join(f.Flush(), f.f.Sync(), f.f.Close()); err != nil {
		return files.Because(f.path, err)
	}
	return nil
}

// A block ends after this many rows, or after the row with which it reaches this many neighbours.
const (
	blockRows    = 1 << 16
	blockEntries = 1 << 22
)

// adjacencyWriter writes the neighbours of rows that come in order, and decides where blocks end.
type adjacencyWriter struct {
	*file
	packing
	codesPath string // path of the file of relations; empty if there is only one relation
	codes     *file  // nil if there is no such file
	most      int    // maximum rows of a block

	row    int     // the current row
	degree []int32 // of the rows of the present block
	idx    []int32
	code   []int32 // of idx, if there are relations
	blocks []span
	wrote  func(row int) error // is called after every block
}

// add adds neighbour v of row u; pairs must ascend.
func (w *adjacencyWriter) add(u, v, code int32) error {
	if err := w.upTo(int(u)); err != nil {
		return err
	}
	w.idx = append(w.idx, v)
	if w.codes != nil {
		w.code = append(w.code, code)
	}
	w.degree[len(w.degree)-1]++
	return nil
}

// upTo ends the rows before u.
func (w *adjacencyWriter) upTo(u int) error {
	for w.row < u {
		if len(w.degree) == w.most || len(w.idx) >= blockEntries {
			if err := w.end(); err != nil {
				return err
			}
		}
		w.row++
		w.degree = append(w.degree, 0)
	}
	return nil
}

// end writes the current block.
func (w *adjacencyWriter) end() error {
	if len(w.degree) == 0 {
		return nil
	}
	b := span{Rows: len(w.degree), Entries: int64(len(w.idx))}
	for _, x := range [][]int32{w.degree, w.idx} {
		fromFile(x)
		if err := w.writeBytes(bytesOf(x)); err != nil {
			return err
		}
	}
	b.Sums[adjacency] = w.cut()
	if w.codes != nil {
		fromFile(w.code)
		if err := w.codes.writeBytes(bytesOf(w.code)); err != nil {
			return err
		}
		b.Sums[relations] = w.codes.cut()
		w.code = w.code[:0]
	}
	w.blocks = append(w.blocks, b)
	w.degree, w.idx = w.degree[:0], w.idx[:0]
	return w.wrote(w.row + 1)
}

// write writes the packed pairs that each yields, in ascending order, to a file.
func (w *adjacencyWriter) write(path string, nodes int, each func(func(uint64) error) error) (err error) {
	if w.file, err = createFile(path); err != nil {
		return err
	}
	if w.codesPath != "" {
		if w.codes, err = createFile(w.codesPath); err != nil {
			return cmp.Or(err, w.close())
		}
	}
	err = each(func(key uint64) error { return w.add(w.unpack(key)) })
	if err == nil {
		err = w.upTo(nodes - 1)
	}
	if err == nil {
		err = w.end()
	}
	if w.codes != nil {
		err = cmp.Or(err, w.codes.close())
	}
	return cmp.Or(err, w.close())
}

// writeManifest completes a folder.
func writeManifest(dir string, m *manifest) error {
	text, err := m.encode()
	if err != nil {
		return err
	}
	f, err := files.Create(filepath.Join(dir, manifestName), files.WriteOptions{})
	if err != nil {
		return err
	}
	defer f.Discard()
	if _, err := f.Write(text); err != nil {
		return err
	}
	return f.Commit()
}

// old returns the number of node i in the source.
func (b *builder) old(i int) int32 {
	if b.order == nil {
		return int32(i)
	}
	return b.order[i]
}

// writeRows writes a file block by block: put writes the rows from first to before end, and records in the block what
// it needs to.
func (b *builder) writeRows(k section, put func(f *file, at *span, first, end int) error) error {
	f, err := createFile(filepath.Join(b.dir, sectionNames[k]))
	if err != nil {
		return err
	}
	row := 0
	for i := range b.Set.Blocks {
		at := &b.Set.Blocks[i]
		if err = put(f, at, row, row+at.Rows); err != nil {
			break
		}
		at.Sums[k] = f.cut()
		row += at.Rows
		if err = b.progress(strings.TrimSuffix(sectionNames[k], ".bin"), int64(row), int64(b.Set.Nodes)); err != nil {
			break
		}
	}
	return cmp.Or(err, f.close())
}

func (b *builder) writeFeatures() error {
	room := make([]mat.Real, b.Set.Columns)
	single := make([]float32, b.Set.Columns)
	typed, _ := b.src.(TypedSource)
	return b.writeRows(features, func(f *file, at *span, first, end int) error {
		at.Values = 0
		for i := first; i < end; i++ {
			row := room
			if typed != nil {
				row = room[:b.Set.Typed.Types[typed.Type(b.old(i))].Columns]
				at.Values += int64(len(row))
			}
			if err := b.src.Row(b.old(i), row); err != nil {
				return err
			}
			if j := unreal(row); j >= 0 {
				return fmt.Errorf("feature %d of node %d is %v", j, b.old(i), row[j])
			}
			single = single[:len(row)]
			for j, x := range row {
				single[j] = float32(x)
			}
			fromFile(single)
			if err := f.writeBytes(bytesOf(single)); err != nil {
				return err
			}
		}
		return nil
	})
}

func (b *builder) writeLabels() error {
	return b.writeRows(labels, func(f *file, _ *span, first, end int) error {
		n := end - first
		class, all, parts := make([]int32, n), make([]byte, n*b.Set.Splits), make([]Part, b.Set.Splits)
		for r := range n {
			c := b.src.Label(b.old(first+r), parts)
			if c < -1 || int(c) >= len(b.Set.Classes) {
				return fmt.Errorf("node %d has class %d of %d", b.old(first+r), c, len(b.Set.Classes))
			}
			class[r] = c
			for k, p := range parts {
				if p != None && c < 0 {
					return fmt.Errorf("node %d is in split %d and has no class", b.old(first+r), k)
				}
				all[k*n+r] = byte(p)
			}
		}
		fromFile(class)
		return errors.Join(f.writeBytes(bytesOf(class)), f.writeBytes(all))
	})
}

func (b *builder) writeIDs() error {
	named := b.Set.Named
	if b.Set.Named = named || b.order != nil; !b.Set.Named {
		return nil
	}
	return b.writeRows(ids, func(f *file, at *span, first, end int) error {
		ends, text := make([]uint32, 0, end-first), []byte(nil)
		for i := first; i < end; i++ {
			if named {
				text = append(text, b.src.ID(b.old(i))...)
			} else {
				text = strconv.AppendInt(text, int64(b.old(i)), 10)
			}
			ends = append(ends, uint32(len(text)))
		}
		at.IDBytes = int64(len(text))
		fromFile(ends)
		return errors.Join(f.writeBytes(bytesOf(ends)), f.writeBytes(text))
	})
}
