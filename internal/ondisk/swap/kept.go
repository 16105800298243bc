package swap

import (
	"maps"
	"slices"

	"github.com/bloomgml/bloom/mat"
)

// Hold is told what the optimiser remembers of the window.
func (t *Trainer) Hold(memory map[string]*mat.Dense) {
	t.memory = t.memory[:0]
	for _, name := range slices.Sorted(maps.Keys(memory)) {
		t.memory = append(t.memory, memory[name])
	}
	t.files.matrices = 1 + len(t.memory)
}

// Flush writes all slots that have changed, and forces files to the disk.
func (t *Trainer) Flush() error {
	if err := t.write(); err != nil {
		return err
	}
	return t.files.sync()
}

// write writes all slots that have changed.
func (t *Trainer) write() error {
	if t.at < 0 {
		return nil
	}
	for slot, part := range t.stages[t.at].slots {
		if err := t.save(slot, part); err != nil {
			return err
		}
	}
	return nil
}

// Versions are the numbers of a checkpoint.
func (t *Trainer) Versions() map[string]*int { return t.files.versions() }

// Reopen goes on with the files that a checkpoint names.
func (t *Trainer) Reopen() error {
	t.at, t.turn = -1, -1
	return t.files.reopen()
}

// Sealed is called when a checkpoint is complete.
func (t *Trainer) Sealed() error { return t.files.sealed() }

// Keep makes the present rows the best.
func (t *Trainer) Keep() error {
	if err := t.write(); err != nil {
		return err
	}
	return t.files.keep()
}

// Restore makes the best rows the present ones.
func (t *Trainer) Restore() error {
	t.at, t.turn = -1, -1
	clear(t.dirty)
	return t.files.restore()
}
