package ondisk

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"

	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/host"
	"github.com/bloomgml/bloom/internal/keys"
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
	Say      func(text string)                     // is told what happens to an earlier build; may be nil
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

// Unfinished is the error of a build that was interrupted but left complete stages behind: the same Build resumes
// there.
type Unfinished struct {
	Dir string
	Err error
}

// Error returns the message of the cause.
func (e *Unfinished) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *Unfinished) Unwrap() error { return e.Err }

// mistake is an error in the data of a source.
type mistake struct{ error }

func (e mistake) Unwrap() error { return e.error }

func mistaken(format string, args ...any) error { return mistake{fmt.Errorf(format, args...)} }

const defaultMemory = 1 << 30

// Build writes the data set of src into the folder dir, which is created and must be empty, or hold what an earlier
// Build of the same source and order has left: then Build resumes it. After an error in the data of src, or any error
// before a stage is complete, nothing is left behind; other errors are *Unfinished. Errors about files are
// *files.Error, or *files.Held if another process is writing there.
func Build(dir string, src Source, o Options) (*Report, error) {
	b := &builder{Options: o, dir: dir, src: src, journal: &journal{Set: manifest{Info: src.Info()}}}
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
	if err = b.resumeOrStart(); err == nil {
		err = b.build()
	}
	if err != nil && b.keeps(err) {
		release()
		return nil, &Unfinished{dir, err}
	}
	if err != nil {
		err = errors.Join(err, b.remove(ours))
	}
	release()
	if err != nil && b.Made {
		err = errors.Join(err, os.Remove(dir))
	}
	if err != nil {
		return nil, err
	}
	return b.report(), nil
}

// builder is a folder while it is being built.
type builder struct {
	Options
	*journal
	dir string
	src Source
	packing
	told  int64   // items read in the current stage: edges of the source, or nodes
	loops int64   // among them
	order []int32 // the old number of every node; nil if nodes keep their numbers
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
	b.Origin = append(b.src.Origin(), "order "+b.Order, "blocks of "+strconv.Itoa(b.Rows)+" rows")
	return b.empty()
}

// minimum is the memory that building takes besides the memory per node: file buffers and one block.
const minimum = 4 << 20

// empty returns an error if the folder holds anything other than an incomplete build.
func (b *builder) empty() error {
	names, err := os.ReadDir(b.dir)
	if errors.Is(err, os.ErrNotExist) {
		b.Made = true
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

// resumeOrStart resumes an earlier build, or starts a new one.
func (b *builder) resumeOrStart() error {
	fresh := b.journal
	old, err := readJournal(b.dir)
	if old != nil {
		fresh.Made = old.Made
		err = b.recall(old)
	}
	switch {
	case err != nil:
		b.Say(fmt.Sprintf("the files of an earlier build in %s cannot be used and are removed: %v", b.dir, err))
		b.journal, b.told, b.loops, b.order = fresh, 0, 0, nil
		if err := b.remove(ours); err != nil {
			return err
		}
	case old != nil:
		b.Say(fmt.Sprintf("resuming an earlier build in %s: %s", b.dir, b.reached()))
	}
	if err := errors.Join(files.Sweep(b.dir), b.room()); err != nil {
		return err
	}
	return b.save()
}

// room returns an error if the disk is too small. Edges take 8 bytes, and 16 while they are sorted.
func (b *builder) room() error {
	need := 4*b.Set.values() + 8*int64(b.Set.Nodes) + 24*b.Set.Edges - b.size()
	if free, ok := host.DiskFree(b.dir); ok && need > 0 && free < uint64(need) {
		return files.Errorf(b.dir, "the disk has %d bytes free, and about %d are needed", free, need)
	}
	return nil
}

// size returns the number of bytes in the folder.
func (b *builder) size() (bytes int64) {
	names, _ := os.ReadDir(b.dir) // files that cannot be listed are not counted
	for _, n := range names {
		if info, err := n.Info(); err == nil {
			bytes += info.Size()
		}
	}
	return bytes
}

// keeps reports whether a build that ends with err leaves something to resume from.
func (b *builder) keeps(err error) bool {
	var m mistake
	return !errors.As(err, &m) && (b.Stage > 0 || len(b.Runs) > 0)
}

// The stages whose position matters. Stages that do nothing when nodes keep their numbers count as well.
const (
	stageConnect = iota
	stageChoose
	stageReorder // followed by all sections but the first
)

// stageNames say what each stage makes.
var stageNames = []string{"edges", "order", "neighbours", "features", "labels", "ids", "types", "the end"}

// reached describes how far the build has come.
func (b *builder) reached() string {
	if b.told > 0 {
		return fmt.Sprintf("%s from number %d", stageNames[b.Stage], b.told)
	}
	return stageNames[b.Stage]
}

// build runs the remaining stages.
func (b *builder) build() error {
	stages := []func() error{b.connect, b.choose, b.reorder, b.writeFeatures, b.writeLabels, b.writeIDs, b.writeTypes}
	for b.Stage < len(stages) {
		if err := stages[b.Stage](); err != nil {
			return err
		}
		if err := b.complete(); err != nil {
			return err
		}
	}
	if err := writeManifest(b.dir, &b.Set); err != nil {
		return err
	}
	return b.remove(func(name string) bool { return name == journalName || name == orderName })
}

// progress reports progress of a stage, and returns an error if the build is to stop.
func (b *builder) progress(stage string, done, total int64) error {
	if b.Progress != nil {
		b.Progress(stage, done, total)
	}
	return b.Context.Err()
}

// report summarises the finished build.
func (b *builder) report() *Report {
	r := &Report{Info: b.Set.Info, Loops: b.Loops, Repeats: b.Repeats}
	for k := range sections {
		r.Bytes += b.Set.bytes(k)
	}
	return r
}
