package swap

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/build"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/ondisk"
)

// Text is a folder of triples (train.txt, or train-*.txt and train-*.tsv, with valid.txt and test.txt) of which names
// are in memory, and facts in a file without a name. Entities are numbered at random.
type Text struct {
	Name        string
	Entities    dataset.IDs
	NumEntities int
	Relations   []string
	Valid, Test []graph.Triple
	Count       int64 // facts to train on

	dir                 string
	entities, relations build.Names
	memory              *files.Budget
	paid                [2]int64 // for both tables
	file                *ondisk.Scratch
	spread              spread
}

var _ Source = (*Text)(nil)

// IsText reports whether a folder has such files.
func IsText(dir string) bool { return len(trainFiles(dir)) > 0 }

// trainFiles are the files of facts to train on.
func trainFiles(dir string) (list []string) {
	if path, ok := files.Find(dir, "train.txt"); ok {
		return []string{path}
	}
	for _, pattern := range []string{"train-*.txt", "train-*.tsv", "train-*.txt.gz", "train-*.tsv.gz"} {
		list = append(list, files.Glob(dir, pattern)...)
	}
	return list
}

// ReadText numbers everything that the files of a folder name, which may take so many bytes. Facts go to a file in
// temporary, as they come: one that is told twice counts twice. Mistakes are *files.Error with file and line.
func ReadText(dir, temporary string, memory int64) (*Text, error) {
	f, err := ondisk.NewScratch(temporary, "facts")
	if err != nil {
		return nil, err
	}
	t := &Text{Name: filepath.Base(filepath.Clean(dir)), dir: dir, file: f, memory: files.BudgetOf(memory)}
	if err := t.read(); err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return t, nil
}

// read goes through all files.
func (t *Text) read() error {
	w, b := bufio.NewWriterSize(t.file, 1<<18), make([]byte, 0, factBytes)
	for _, path := range trainFiles(t.dir) {
		if err := t.scan(path, func(f graph.Triple) error {
			t.Count++
			_, err := w.Write(appendFact(b, f))
			return err
		}); err != nil {
			return err
		}
	}
	if err := w.Flush(); err != nil {
		return files.Because(t.file.Name(), err)
	}
	for i, to := range []*[]graph.Triple{&t.Valid, &t.Test} {
		if path, ok := files.Find(t.dir, []string{"valid.txt", "test.txt"}[i]); ok {
			if err := t.scan(path, func(f graph.Triple) error { *to = append(*to, f); return nil }); err != nil {
				return err
			}
		}
	}
	if t.Count == 0 {
		return files.Errorf(t.dir, "no training triples")
	}
	t.number()
	return nil
}

// number gives entities their last numbers.
func (t *Text) number() {
	t.NumEntities, t.Relations = t.entities.Len(), t.relations.Names()
	t.spread = newSpread(t.NumEntities)
	from := make([]int32, t.NumEntities)
	for v := range from {
		from[t.spread.of(int32(v))] = int32(v)
	}
	ends, names := make([]int64, t.NumEntities), make([]byte, 0, len(t.entities.Bytes()))
	for v, old := range from {
		names = append(names, t.entities.At(old)...)
		ends[v] = int64(len(names))
	}
	t.Entities = dataset.MapIDs(ends, names)
	t.entities = build.Names{}
	for _, list := range [][]graph.Triple{t.Valid, t.Test} {
		for i, f := range list {
			list[i] = t.last(f)
		}
	}
}

// last is a fact with the last numbers.
func (t *Text) last(f graph.Triple) graph.Triple {
	return graph.Triple{U: t.spread.of(f.U), R: f.R, V: t.spread.of(f.V)}
}

// scan yields the facts of a file.
func (t *Text) scan(path string, yield func(graph.Triple) error) error {
	return files.Scan(path, t.memory, func(line int, text []byte) error {
		if len(text) == 0 {
			return nil
		}
		cells := bytes.Split(text, []byte{'\t'})
		if len(cells) != 3 || len(cells[0]) == 0 || len(cells[1]) == 0 || len(cells[2]) == 0 {
			return files.ErrorAt(path, line, "want head, relation and tail between tabs: %s", files.Excerpt(text))
		}
		var f graph.Triple
		for i, to := range []*int32{&f.U, &f.R, &f.V} {
			id, err := t.id(i%2, cells[i])
			if err != nil {
				return err
			}
			*to = id
		}
		return yield(f)
	})
}

// id is the number of an entity (0) or relation (1), a new one where it has none.
func (t *Text) id(kind int, name []byte) (int32, error) {
	table := []*build.Names{&t.entities, &t.relations}[kind]
	if !table.Fits(1, len(name)) {
		what := fmt.Sprintf("the names of %d %s", table.Len()+1, []string{"entities", "relations"}[kind])
		if err := t.memory.Hold(&t.paid[kind], table.SizeWith(1, len(name)), what); err != nil {
			return 0, err
		}
	}
	return table.ID(name), nil
}

// Facts reads the facts to train on, in the order of the files.
func (t *Text) Facts(yield func(graph.Triple) error) error {
	if _, err := t.file.Seek(0, io.SeekStart); err != nil {
		return files.Because(t.file.Name(), err)
	}
	r, b := bufio.NewReaderSize(t.file, 1<<18), make([]byte, factBytes)
	for range t.Count {
		if _, err := io.ReadFull(r, b); err != nil {
			return files.Because(t.file.Name(), err)
		}
		if err := yield(t.last(factOf(b))); err != nil {
			return err
		}
	}
	return nil
}

// Close removes the file of facts.
func (t *Text) Close() error { return t.file.Close() }
