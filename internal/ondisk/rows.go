package ondisk

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/bloomgml/bloom/mat"
)

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
	return first(err, f.close())
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
