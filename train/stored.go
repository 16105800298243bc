package train

import (
	"strings"

	"github.com/bloomgml/bloom/mat"
)

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

// disk is the job as far as its rows are on the disk; nil where they are not.
func (l *Loop) disk() stored {
	s, _ := l.job.(stored)
	return s
}

// remembered is what the optimiser remembers of the first parameter.
func (l *Loop) remembered() map[string]*mat.Dense {
	all := map[string]*mat.Dense{}
	for name, x := range l.opt.Memory() {
		if strings.HasSuffix(name, "/"+l.job.Params()[0].Name) {
			all[name] = x
		}
	}
	return all
}

// keep makes the present weights those of the best epoch.
func (l *Loop) keep() error {
	l.best.keep()
	if d := l.disk(); d != nil {
		return d.Keep()
	}
	return nil
}

// restore makes the weights of the best epoch the present ones.
func (l *Loop) restore() error {
	l.best.restore()
	if d := l.disk(); d != nil {
		return d.Restore()
	}
	return nil
}

// flush brings the rows of a job to the disk.
func (l *Loop) flush() error {
	if d := l.disk(); d != nil {
		return d.Flush()
	}
	return nil
}

// sealed says that a checkpoint is complete.
func (l *Loop) sealed() error {
	if d := l.disk(); d != nil {
		return d.Sealed()
	}
	return nil
}

// reopened goes on with the rows of a checkpoint.
func (l *Loop) reopened() error {
	if d := l.disk(); d != nil {
		return d.Reopen()
	}
	return nil
}
