package ondisk

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/host"
	"github.com/bloomgml/bloom/internal/keys"
	"github.com/bloomgml/bloom/mat"
)

// Options say how to build a folder.
type Options struct {
	Context context.Context // cancels the build; nil means never
	// Memory is the most memory that building may use, in bytes; 0 means 1 GiB. Every node takes up to 16 bytes.
	Memory int64
	// Order is how nodes are numbered: range (as the source does; empty means that), degree (those with the most
	// neighbours first) or ldg (neighbours near one another: each node, in order, joins the part in which most of its
	// neighbours are and which has room, Stanton and Kliot 2012). Ids tell which node is which.
	Order string
	// Rows is the maximum number of rows in a block; 0 means 65,536. A block ends sooner at 4,194,304 neighbours.
	Rows     int
	Progress func(stage string, done, total int64) // may be nil; a stage reports done up to total
	Say      func(text string)                     // is told what happens to an unfinished build; may be nil
}

// Orders are the valid values of Options.Order.
var Orders = []string{"range", "degree", "ldg"}

// Report is what building found.
type Report struct {
	Info
	Loops   int64 `json:"loops"`   // self-loops, dropped
	Repeats int64 `json:"repeats"` // duplicate pairs, dropped
	Bytes   int64 `json:"bytes"`   // size of the folder
}

const defaultMemory = 1 << 30

// Build writes the data set of src into the folder dir, which is created and must be empty, or hold what a Build that
// was killed has left, which is removed. After an error nothing is left behind. Errors about files are *files.Error, or
// *files.Held if another process is writing there.
func Build(dir string, src Source, o Options) (*Report, error) {
	b := &builder{Options: o, dir: dir, src: src, Set: manifest{Info: src.Info()}}
	if err := b.prepare(); err != nil {
		return nil, err
	}
	release, err := files.Lock(dir, b.Say)
	var held *files.Held
	if err != nil && !errors.As(err, &held) {
		err = files.Because(dir, err)
	}
	if err != nil {
		return nil, err
	}
	if err = b.start(); err == nil {
		err = b.build()
	}
	if err != nil {
		err = errors.Join(err, b.remove(ours))
	}
	release()
	if err != nil && b.made {
		err = errors.Join(err, os.Remove(dir))
	}
	if err != nil {
		return nil, err
	}
	r := &Report{Info: b.Set.Info, Loops: b.loops, Repeats: b.repeats}
	for k := range sections {
		r.Bytes += b.Set.bytes(k)
	}
	return r, nil
}

// builder is a folder while it is being built.
type builder struct {
	Options
	Set  manifest
	dir  string
	made bool // the build created the folder
	src  Source
	packing
	told, loops, repeats int64   // edges of the source, and self-loops and duplicates among them
	order                []int32 // the old number of every node; nil if nodes keep their numbers
}

// prepare checks what can be checked before the work begins.
func (b *builder) prepare() error {
	if b.Order == "" {
		b.Order = Orders[0]
	}
	if !slices.Contains(Orders, b.Order) {
		return keys.NewUnknown("order of nodes", b.Order, Orders)
	}
	b.Set.Order = b.Order
	if b.Rows == 0 {
		b.Rows = blockRows
	}
	if b.Memory == 0 {
		b.Memory = defaultMemory
	}
	if b.Context == nil {
		b.Context = context.Background()
	}
	if b.Say == nil {
		b.Say = func(string) {}
	}
	if need := int64(b.Set.Nodes)*16 + minimum; need > b.Memory {
		return files.Errorf(b.dir, "sorting %d nodes takes %d bytes of memory, and %d are allowed",
			b.Set.Nodes, need, b.Memory)
	}
	if err := b.Set.possible(b.dir); err != nil {
		return err
	}
	var err error
	if b.packing, err = b.Set.packing(); err != nil {
		return err
	}
	return b.empty()
}

// minimum is the memory that building takes besides the memory per node: file buffers and one block.
const minimum = 4 << 20

// empty returns an error if the folder holds anything other than an incomplete build.
func (b *builder) empty() error {
	names, err := os.ReadDir(b.dir)
	if errors.Is(err, os.ErrNotExist) {
		b.made = true
		return nil
	}
	if err != nil {
		return files.Because(b.dir, err)
	}
	ongoing := begun(b.dir)
	for _, n := range names {
		if name := n.Name(); !ours(name) || !ongoing && name[0] != '.' {
			return files.Errorf(b.dir, "is not empty: it holds %s", name)
		}
	}
	return nil
}

// start removes what a build that was killed has left, and marks the folder.
func (b *builder) start() error {
	if begun(b.dir) {
		b.Say(fmt.Sprintf("the files of an unfinished build in %s are removed", b.dir))
		if err := b.remove(ours); err != nil {
			return err
		}
	}
	if err := errors.Join(files.Sweep(b.dir), b.room()); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(b.dir, begunName), nil, 0o666)
}

// room returns an error if the disk is too small. Edges take 8 bytes, and 16 while they are sorted.
func (b *builder) room() error {
	need := 4*b.Set.values() + 8*int64(b.Set.Nodes) + 24*b.Set.Edges
	if free, ok := host.DiskFree(b.dir); ok && need > 0 && free < uint64(need) {
		return files.Errorf(b.dir, "the disk has %d bytes free, and about %d are needed", free, need)
	}
	return nil
}

// build writes all files.
func (b *builder) build() error {
	for _, stage := range []func() error{b.connect, b.choose, b.reorder, b.writeFeatures, b.writeLabels, b.writeIDs,
		b.writeTypes} {
		if err := stage(); err != nil {
			return err
		}
	}
	if err := writeManifest(b.dir, &b.Set); err != nil {
		return err
	}
	return os.Remove(filepath.Join(b.dir, begunName))
}

// progress reports progress of a stage, and returns an error if the build is to stop.
func (b *builder) progress(stage string, done, total int64) error {
	if b.Progress != nil {
		b.Progress(stage, done, total)
	}
	return b.Context.Err()
}

// Source yields a graph: its edges, in any order, and the data of every node. It may hold as much of that in memory as
// it likes; a generator holds nothing.
type Source interface {
	// Info describes the set. Edges is an estimate, 0 if unknown; Order is ignored.
	Info() Info
	// Pairs yields all edges, until yield returns an error, which Pairs returns. Self-loops and duplicates, also in
	// reverse, are dropped.
	Pairs(yield func(u, v int32) error) error
	// Row writes the features of node v into x, whose length is the number of columns.
	Row(v int32, x []mat.Real) error
	// Label returns the class of node v, −1 for none, and writes its part of every split into parts.
	Label(v int32, parts []Part) int32
	// ID returns the id of node v, if nodes have ids.
	ID(v int32) string
}

// Overview: files that are in a folder while it is built. One that was killed leaves them behind, and the next build
// removes them.
//
//	building.tmp    empty; gone when the folder is complete
//	run-K.tmp       numbers, sorted, u64
//	plain.tmp       adjacency.bin in the numbers of the source, where nodes get others
//	codes.tmp       relations.bin, the same
const (
	begunName = "building.tmp"
	plainName = "plain.tmp"
	codesName = "codes.tmp"
)

// begun reports whether a build of the folder has begun and not ended.
func begun(dir string) bool {
	info, err := os.Lstat(filepath.Join(dir, begunName))
	return err == nil && info.Mode().IsRegular()
}

// ours reports whether building creates a file of that name; locks and incomplete files of package files begin with a
// dot.
func ours(name string) bool {
	known := append([]string{begunName, plainName, codesName, manifestName}, sectionNames[:]...)
	return slices.Contains(known, name) || strings.HasPrefix(name, "run-") && strings.HasSuffix(name, ".tmp") ||
		strings.HasPrefix(name, ".")
}

// remove removes files of the folder, except those that begin with a dot.
func (b *builder) remove(which func(name string) bool) error {
	names, err := os.ReadDir(b.dir)
	for _, n := range names {
		if name := n.Name(); which(name) && !strings.HasPrefix(name, ".") {
			err = errors.Join(err, os.Remove(filepath.Join(b.dir, name)))
		}
	}
	return err
}
