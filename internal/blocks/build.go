package blocks

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/bloomgml/bloom/internal/fileerr"
	"github.com/bloomgml/bloom/internal/host"
	"github.com/bloomgml/bloom/internal/nearest"
	"github.com/bloomgml/bloom/mat"
)

// Options say how a folder is made.
type Options struct {
	// Memory is what building may take, in bytes; 0 means 1 GiB. Every node takes up to 16 of them.
	Memory int64
	// Order is how nodes are numbered: range (as the source does; empty means that), degree (those with the most
	// neighbours first) or ldg (neighbours near one another: each node, in order, joins the part in which most of its
	// neighbours are and which has room, Stanton and Kliot 2012). Ids tell which node is which.
	Order string
	// Rows is how many a block has at most; 0 means 65,536. Blocks of 4,194,304 neighbours or more end sooner.
	Rows     int
	Progress func(stage string, done, total int64) // nil for nobody; total is 0 where it is not known
}

// Orders are the names of Options.Order.
var Orders = []string{"range", "degree", "ldg"}

// Report is what building found.
type Report struct {
	Info
	Loops   int64 `json:"loops"`   // pairs of a node with itself, dropped
	Repeats int64 `json:"repeats"` // pairs that were told before, dropped
	Bytes   int64 `json:"bytes"`   // of the folder
}

const defaultMemory = 1 << 30

// Build writes the set of src into the folder dir, which is made and must be empty. The order of edges does not matter.
// After an error the folder is as it was. The error is a *fileerr.Error where it is about a file.
func Build(dir string, src Source, o Options) (*Report, error) {
	b := &builder{Options: o, dir: dir, src: src, m: manifest{Info: src.Info()}}
	if err := b.prepare(); err != nil {
		return nil, err
	}
	if err := b.build(); err != nil {
		return nil, errors.Join(err, b.clear())
	}
	return &b.report, nil
}

// builder is a folder while it is made.
type builder struct {
	Options
	dir    string
	made   bool // the folder was not there
	src    Source
	m      manifest
	order  []int32 // the old number of every node; nil where nodes keep theirs
	report Report
}

// prepare checks what can be checked before the work begins.
func (b *builder) prepare() error {
	if b.Order == "" {
		b.Order = Orders[0]
	}
	if !slices.Contains(Orders, b.Order) {
		return nearest.NewUnknown("order of nodes", b.Order, Orders)
	}
	b.m.Info.Order = b.Order
	if b.Rows == 0 {
		b.Rows = blockRows
	}
	if b.Memory == 0 {
		b.Memory = defaultMemory
	}
	if need := int64(b.m.Nodes)*16 + minimum; need > b.Memory {
		return fileerr.In(b.dir, "%d nodes need %d bytes of memory to be put into order, and there may be %d",
			b.m.Nodes, need, b.Memory)
	}
	if err := b.m.possible(b.dir); err != nil {
		return err
	}
	names, err := os.ReadDir(b.dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		b.made = true
	case err != nil:
		return fileerr.Because(b.dir, err)
	case len(names) > 0:
		return fileerr.In(b.dir, "is not empty: it holds %s", names[0].Name())
	}
	if err := os.MkdirAll(b.dir, 0o777); err != nil {
		return fileerr.Because(b.dir, err)
	}
	return b.room()
}

// minimum is what building takes besides what nodes take: buffers of files and a block.
const minimum = 4 << 20

// room is the error for a disk that is too small. Edges take 8 bytes, and 16 while they are sorted.
func (b *builder) room() error {
	need := uint64(b.m.Nodes)*uint64(4*b.m.Columns+8) + 24*uint64(b.m.Edges)
	if free, ok := host.DiskFree(b.dir); ok && free < need {
		err := fileerr.In(b.dir, "the disk has %d bytes free, and about %d are needed", free, need)
		return errors.Join(err, b.clear())
	}
	return nil
}

// clear removes what building left.
func (b *builder) clear() error {
	names, err := os.ReadDir(b.dir)
	for _, n := range names {
		err = errors.Join(err, os.Remove(filepath.Join(b.dir, n.Name())))
	}
	if b.made {
		err = errors.Join(err, os.Remove(b.dir))
	}
	return err
}

// build goes through the stages.
func (b *builder) build() error {
	if err := b.connect(); err != nil {
		return err
	}
	for _, write := range []func() error{b.writeFeatures, b.writeLabels, b.writeIDs} {
		if err := write(); err != nil {
			return err
		}
	}
	b.report.Info = b.m.Info
	for k := range sections {
		b.report.Bytes += b.m.bytes(k)
	}
	return writeManifest(b.dir, &b.m)
}

// say tells how far a stage has come.
func (b *builder) say(stage string, done, total int64) {
	if b.Progress != nil {
		b.Progress(stage, done, total)
	}
}

// old is the number that node i has in the source.
func (b *builder) old(i int) int32 {
	if b.order == nil {
		return int32(i)
	}
	return b.order[i]
}

// writeRows writes a file block by block: put writes that of the rows first to before end, and notes what is of
// interest in the block.
func (b *builder) writeRows(k section, put func(f *file, at *span, first, end int) error) error {
	f, err := createFile(filepath.Join(b.dir, sectionNames[k]))
	if err != nil {
		return err
	}
	row := 0
	for i := range b.m.Blocks {
		at := &b.m.Blocks[i]
		if err = put(f, at, row, row+at.Rows); err != nil {
			break
		}
		at.Sums[k] = f.cut()
		row += at.Rows
		b.say(sectionNames[k], int64(row), int64(b.m.Nodes))
	}
	return first(err, f.close())
}

func (b *builder) writeFeatures() error {
	row := make([]mat.Real, b.m.Columns)
	single := make([]float32, b.m.Columns)
	return b.writeRows(features, func(f *file, _ *span, first, end int) error {
		for i := first; i < end; i++ {
			if err := b.src.Row(b.old(i), row); err != nil {
				return err
			}
			if j := unreal(row); j >= 0 {
				return fmt.Errorf("feature %d of node %d is %v", j, b.old(i), row[j])
			}
			for j, x := range row {
				single[j] = float32(x)
			}
			fromFile(single)
			if err := f.put(bytesOf(single)); err != nil {
				return err
			}
		}
		return nil
	})
}

func (b *builder) writeLabels() error {
	return b.writeRows(labels, func(f *file, _ *span, first, end int) error {
		n := end - first
		class, all, parts := make([]int32, n), make([]byte, n*b.m.Splits), make([]Part, b.m.Splits)
		for r := range n {
			c := b.src.Label(b.old(first+r), parts)
			if c < -1 || int(c) >= len(b.m.Classes) {
				return fmt.Errorf("node %d has class %d of %d", b.old(first+r), c, len(b.m.Classes))
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
		return errors.Join(f.put(bytesOf(class)), f.put(all))
	})
}

func (b *builder) writeIDs() error {
	named := b.m.Named
	if b.m.Named = named || b.order != nil; !b.m.Named {
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
		return errors.Join(f.put(bytesOf(ends)), f.put(text))
	})
}
