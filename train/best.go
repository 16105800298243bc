package train

import (
	"strings"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/mat"
)

// bestWeights is a copy of weights: those of the best epoch so far.
type bestWeights struct {
	params []*ad.Param
	copies []*mat.Dense
	kept   bool // there is a copy
}

// newBest has room for a copy of params, zeros until keep.
func newBest(params []*ad.Param) *bestWeights {
	b := &bestWeights{params: params}
	for _, p := range params {
		b.copies = append(b.copies, mat.New(p.Rows(), p.Cols()))
	}
	return b
}

// keep copies the present weights.
func (b *bestWeights) keep() {
	b.kept = true
	for i, p := range b.params {
		mat.Copy(b.copies[i], p.Value())
	}
}

// restore brings the copy back.
func (b *bestWeights) restore() {
	for i, p := range b.params {
		mat.Copy(p.Value(), b.copies[i])
	}
}

// memory is the copies by name: the matrices themselves, which keep overwrites.
func (b *bestWeights) memory() map[string]*mat.Dense {
	all := map[string]*mat.Dense{}
	for i, p := range b.params {
		all["best/"+p.Name] = b.copies[i]
	}
	return all
}

// stored is a Job whose first parameter is a window onto rows on the disk, which is more than memory holds. It keeps
// the rows of checkpoints and of the best epoch itself, as lists of files that do not change.
type stored interface {
	// Hold is told what the optimiser remembers of the window, by name: it belongs to the rows.
	Hold(memory map[string]*mat.Dense)
	// Flush brings what has changed to the disk. The error is a *NotFinite where a number is none.
	Flush() error
	// Versions are the numbers that say which files there are, by name: a checkpoint has them, and sets them.
	Versions() map[string]*int
	// Reopen goes on with the files of Versions that were set.
	Reopen() error
	// Sealed is called when a checkpoint is complete: what neither it nor the one before names may go.
	Sealed() error
	// Keep makes the present rows those of the best epoch, and Restore these the present ones.
	Keep() error
	Restore() error
}

// memoryOnly is stored for a Job whose rows are all in memory: there is nothing to do.
type memoryOnly struct{}

func (memoryOnly) Hold(map[string]*mat.Dense) {}
func (memoryOnly) Flush() error               { return nil }
func (memoryOnly) Versions() map[string]*int  { return nil }
func (memoryOnly) Reopen() error              { return nil }
func (memoryOnly) Sealed() error              { return nil }
func (memoryOnly) Keep() error                { return nil }
func (memoryOnly) Restore() error             { return nil }

// place finds out where the rows of the job are. What the optimiser remembers of rows on the disk is kept with them.
func (l *Loop) place() {
	disk, ok := l.job.(stored)
	if !ok {
		l.disk = memoryOnly{}
		return
	}
	l.disk, l.held = disk, map[string]*mat.Dense{}
	for name, x := range l.opt.Memory() {
		if strings.HasSuffix(name, "/"+l.job.Params()[0].Name) {
			l.held[name] = x
		}
	}
	disk.Hold(l.held)
}
