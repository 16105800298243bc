package ondisk

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bloomgml/bloom/internal/files"
)

// Overview: a build goes through stages, and a journal in the folder says how far it has come: which stages are
// complete and, of one that sorts, which runs are. What it names lies in files that do not change any more, so that a
// build which was stopped or killed resumes from there. What it does not name is written again.
//
//	building.json   the journal; gone when the folder is complete
//	run-K.tmp       numbers of the present stage, sorted, u64
//	plain.tmp       adjacency.bin in the numbers of the source, where nodes get others
//	codes.tmp       relations.bin, the same
//	order.tmp       the number in the source of every node, i32
const (
	journalName = "building.json"
	plainName   = "plain.tmp"
	codesName   = "codes.tmp"
	orderName   = "order.tmp"
)

// journal is building.json.
type journal struct {
	Origin   []string  `json:"origin"` // what is built, from what and how, in lines
	Made     bool      `json:"made"`   // the build created the folder
	Stage    int       `json:"stage"`  // number of complete stages
	Runs     []runNote `json:"runs,omitempty"`
	Loops    int64     `json:"loops"`   // among all edges, once they are sorted
	Repeats  int64     `json:"repeats"` // likewise
	OrderSum uint32    `json:"order_crc32c"`
	Set      manifest  `json:"set"`
}

// runNote describes a complete run.
type runNote struct {
	Told    int64  `json:"told"`  // edges of the source, or nodes, that this run and those before it hold
	Loops   int64  `json:"loops"` // among them
	Numbers int    `json:"numbers"`
	Sum     uint32 `json:"crc32c"`
}

// begun reports whether a folder has a journal.
func begun(dir string) bool {
	info, err := os.Lstat(filepath.Join(dir, journalName))
	return err == nil && info.Mode().IsRegular()
}

// readJournal returns nil if there is no journal.
func readJournal(dir string) (*journal, error) {
	path := filepath.Join(dir, journalName)
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	j := new(journal)
	if err == nil {
		err = json.Unmarshal(text, j)
	}
	if err != nil {
		return nil, files.Because(path, err)
	}
	return j, nil
}

// save writes the journal.
func (b *builder) save() error {
	return files.Replace(filepath.Join(b.dir, journalName), files.WriteOptions{}, func(w io.Writer) error {
		return json.NewEncoder(w).Encode(b.journal)
	})
}

// note records a complete run.
func (b *builder) note(numbers int, sum uint32) error {
	b.Runs = append(b.Runs, runNote{Told: b.told, Loops: b.loops, Numbers: numbers, Sum: sum})
	return b.save()
}

// complete records that a stage is complete, and removes what only that stage needed.
func (b *builder) complete() error {
	b.Stage++
	b.told, b.Runs = 0, nil
	if err := b.save(); err != nil {
		return err
	}
	return b.remove(func(name string) bool {
		return strings.HasPrefix(name, "run-") || (name == plainName || name == codesName) && b.Stage > stageReorder
	})
}

// ours reports whether building creates a file of that name; locks and incomplete files of package durable begin with a
// dot.
func ours(name string) bool {
	known := append([]string{journalName, plainName, codesName, orderName, manifestName}, sectionNames[:]...)
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

// recall resumes an earlier build of the same data; the error says why that is impossible.
func (b *builder) recall(old *journal) error {
	for _, line := range b.Origin {
		if !slices.Contains(old.Origin, line) {
			return fmt.Errorf("its source differs: it lacks %s", line)
		}
	}
	if len(old.Origin) != len(b.Origin) {
		return fmt.Errorf("it has more sources than %s", b.Origin[0])
	}
	b.journal = old
	for k, n := range b.Runs {
		if err := n.check(runPath(b.dir, k)); err != nil {
			b.Say(err.Error() + ": sorting its edges again")
			b.Runs = b.Runs[:k]
			break
		}
	}
	if k := len(b.Runs); k > 0 {
		b.told, b.loops = b.Runs[k-1].Told, b.Runs[k-1].Loops
	}
	if err := b.whole(); err != nil {
		return err
	}
	if b.Stage > stageChoose && b.reorders() {
		return b.readOrder()
	}
	return nil
}

// check returns an error if the file of a run is not what was written.
func (n runNote) check(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return files.Because(path, err)
	}
	defer f.Close()
	sum := crc32.New(castagnoli)
	bytes, err := io.Copy(sum, f)
	if err != nil {
		return files.Because(path, err)
	}
	if bytes != 8*int64(n.Numbers) || sum.Sum32() != n.Sum {
		return files.Errorf(path, "%d bytes with the checksum %08x, not %d with %08x", bytes, sum.Sum32(), 8*n.Numbers,
			n.Sum)
	}
	return nil
}

// whole returns an error if a file of a complete stage has the wrong size.
func (b *builder) whole() error {
	sizes := map[string]int64{}
	edges := func(name string) {
		sizes[name] = b.Set.bytes(adjacency)
		if b.Set.Typed != nil {
			sizes[codesOf(name)] = b.Set.bytes(relations)
		}
	}
	switch {
	case b.Stage > stageReorder:
		edges(sectionNames[adjacency])
	case b.Stage > stageConnect:
		edges(b.plainFile())
	}
	for k := features; k < relations; k++ {
		if b.Stage > stageReorder+int(k) && b.Set.bytes(k) > 0 {
			sizes[sectionNames[k]] = b.Set.bytes(k)
		}
	}
	for name, want := range sizes {
		path := filepath.Join(b.dir, name)
		info, err := os.Stat(path)
		if err != nil {
			return files.Because(path, err)
		}
		if info.Size() != want {
			return files.Errorf(path, "%d bytes, and %d were written", info.Size(), want)
		}
	}
	return nil
}
