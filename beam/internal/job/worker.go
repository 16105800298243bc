package job

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/bloomgml/bloom/beam/internal/parts"
	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/ondisk"
	"github.com/bloomgml/bloom/mat"
)

// openData opens a folder of parts and the blocks that they were cut from.
func openData(dir string) (*parts.Folder, *ondisk.Store, error) {
	f, err := parts.Open(dir)
	if err != nil {
		return nil, nil, err
	}
	s, err := ondisk.Open(f.Data)
	return f, s, err
}

// Worker does the parts of a job, several at once. It keeps what it read of them.
type Worker struct {
	*Folder
	model    *model
	store    *ondisk.Store
	steppers sync.Pool

	mutex sync.Mutex // of what follows
	held  map[int]*held
	bytes int
	tell  sync.Mutex // of who builds on the task
}

// held holds what a part needs in every round, and its rows after the last round that was done here.
type held struct {
	part  *parts.Part
	pi    []mat.Real
	scale []mat.Real // of its rows, then 1 for what it hears, which is scaled; nil if nothing is
	size  int        // bytes that it takes

	round int        // of rows; the mutex of the worker guards both
	rows  []mat.Real // nil before a round was done
}

// keep is the number of bytes of parts that a process keeps from round to round; it reads the others again.
const keep = 2 << 30

var (
	open      sync.Mutex
	processes = map[string]*Worker{}
)

// Work returns the worker of a job in this process, made on first use. A folder that has another job by then gets
// another worker.
func Work(dir string) (*Worker, error) {
	open.Lock()
	defer open.Unlock()
	info, err := os.Stat(filepath.Join(dir, specName))
	if err != nil {
		return nil, files.Because(filepath.Join(dir, specName), err)
	}
	key := fmt.Sprintf("%s %s", dir, info.ModTime().Format(time.RFC3339Nano))
	if w := processes[key]; w != nil {
		return w, nil
	}
	w, err := newWorker(dir)
	if err == nil {
		processes[key] = w
	}
	return w, err
}

func newWorker(dir string) (*Worker, error) {
	f, err := Open(dir)
	if err != nil {
		return nil, err
	}
	s, err := ondisk.Open(f.Graph.Data)
	if err != nil {
		return nil, err
	}
	c, err := config.Load(config.Options{File: filepath.Join(dir, specName), Text: []byte(f.Config)})
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	m, err := newModel(*c, f.Run, s)
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return &Worker{Folder: f, model: m, store: s, held: map[int]*held{}}, nil
}

// get returns the data of part i, from memory or from disk.
func (w *Worker) get(i int) (*held, error) {
	w.mutex.Lock()
	h := w.held[i]
	w.mutex.Unlock()
	if h != nil {
		return h, nil
	}
	h = new(held)
	var err error
	if h.part, err = w.Graph.Read(i); err != nil {
		return nil, err
	}
	if h.pi, err = w.readRows(w.piPath(i), i); err != nil {
		return nil, err
	}
	if w.model.local.Norm == graph.Symmetric {
		for r := range h.part.Rows() {
			h.scale = append(h.scale, mat.Real(w.model.local.Scale(float64(h.part.Ptr[r+1]-h.part.Ptr[r]))))
		}
		h.scale = append(h.scale, slices.Repeat([]mat.Real{1}, h.part.Halo())...)
	}
	h.size = 8*len(h.part.Ptr) + 4*(len(h.part.Idx)+len(h.scale)+2*len(h.pi))
	w.keepPart(i, h)
	return h, nil
}

// keepPart keeps h, and drops others until the kept parts fit the limit.
func (w *Worker) keepPart(i int, h *held) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if w.held[i] != nil {
		return
	}
	for j, other := range w.held {
		if w.bytes+h.size <= keep {
			break
		}
		w.bytes -= other.size
		delete(w.held, j)
	}
	w.held[i] = h
	w.bytes += h.size
}

// readRows reads the rows of part i.
func (w *Worker) readRows(path string, i int) ([]mat.Real, error) {
	var x []float32
	if err := parts.Read(path, &x); err != nil {
		return nil, err
	}
	if rows := w.Graph.Starts[i+1] - w.Graph.Starts[i]; len(x) != rows*w.Width {
		return nil, files.Errorf(path, "%d numbers, want %d rows of %d", len(x), rows, w.Width)
	}
	return x, nil
}

// State returns the rows of part i after a round, from the disk.
func (w *Worker) State(i, round int) ([]mat.Real, error) { return w.readRows(w.statePath(i, round), i) }

// Keep writes the rows of part i after a round, and holds them. Rows after a round within a chunk need not survive a
// crash: they are recomputed with the chunk.
func (w *Worker) Keep(i, round int, rows []mat.Real, within bool) error {
	write := parts.Write
	if within {
		write = parts.Pass
	}
	err := write(w.statePath(i, round), rows)
	if err == nil {
		w.hold(i, round, rows)
	}
	return err
}

// hold remembers the rows of part i after a round if the part is held.
func (w *Worker) hold(i, round int, rows []mat.Real) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if h := w.held[i]; h != nil {
		h.round, h.rows = round, rows
	}
}

// own returns the rows of part i after a round: from memory if this process did the round, else from files.
func (w *Worker) own(i, round int) ([]mat.Real, error) {
	w.mutex.Lock()
	h := w.held[i]
	if h != nil && h.round == round && h.rows != nil {
		defer w.mutex.Unlock()
		return h.rows, nil
	}
	w.mutex.Unlock()
	return w.State(i, round)
}
