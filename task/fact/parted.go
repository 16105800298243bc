package fact

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/kg"
	"github.com/bloomgml/bloom/internal/ondisk/swap"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/ranking"
	"github.com/bloomgml/bloom/train"
)

// partedJob is a job whose entities are in parts on the disk, which it keeps itself.
type partedJob struct {
	*job
	rows
}

// rows is what the loop of a run asks of rows on the disk.
type rows interface {
	Hold(memory map[string]*mat.Dense)
	Flush() error
	Versions() map[string]*int
	Reopen() error
	Sealed() error
	Keep() error
	Restore() error
}

var _ train.Job = partedJob{}

// Describe counts the weights of all entities, of which some are in memory.
func (p partedJob) Describe(r *train.Result) {
	p.job.Describe(r)
	m := p.model.(parted)
	r.Weights += m.entities*m.Config.Dim - m.H.Shape().Len()
}

// preparedParts is prepared for the facts of f, of which d is those that were kept.
func preparedParts(j *job, f *swap.Folder) (train.Job, error) {
	k, err := kg.FromConfig(j.Config)
	if err != nil {
		return nil, err
	}
	if f.Entities != j.Data.Graph.NumNodes() || f.Relations != j.Data.Graph.NumRelations() || f.Dim != k.Dim {
		return nil, &train.BadData{Data: j.Data.Name, Text: fmt.Sprintf("%d entities of %d numbers and %d relations, "+
			"and parts for %d of %d and %d", j.Data.Graph.NumNodes(), k.Dim, j.Data.Graph.NumRelations(),
			f.Entities, f.Dim, f.Relations)}
	}
	t, err := f.Trainer(k)
	if err != nil {
		return nil, named(err)
	}
	m := t.Model()
	m.Remember(j.Data.Graph)
	m.Entities, m.Relations, m.Facts = j.Data.IDs, j.Data.Relations, int(f.Facts)
	s := kg.NewStream(k, m.E, f.Entities, f.Rows(), t)
	j.model = parted{m, new(sync.Mutex), s, f.Entities, f.Rows(), t, known(j.Data)}
	j.Trainer, j.ties = t, ranking.Realistic
	j.valid = kg.Sample(j.Data.Valid, j.Config.Facts.Sample, k.Seed)
	j.facts = int(f.Facts)
	return partedJob{j, t}, nil
}

// parted is a model whose entities are read part by part.
type parted struct {
	*kg.Model // without entities
	*sync.Mutex
	stream   *kg.Stream // with the mutex
	entities int
	rows     int // of a piece
	pieces   kg.Pieces
	known    *ranking.Known
}

var _ model = parted{}

// inMemory is how many times the bytes of its file a model takes in memory, about, while it is read and asked.
const inMemory = 5

// loadParted opens the model of a file whose entities are read piece by piece, an eighth of --memory at a time; nil
// where --memory is not set, or enough for all of it, and where it is about other entities than d, some having been
// added.
func loadParted(file string, k kg.Config, d *dataset.Dataset) (model, error) {
	info, err := os.Stat(file)
	limit := files.FixedMemory()
	if err != nil || limit == 0 || inMemory*info.Size() <= limit || k.Bilevel != nil {
		return nil, nil // kg.Load says what is wrong
	}
	s, err := kg.OpenStored(file, limit/8)
	if err != nil {
		return nil, files.OrAt(err, files.Because(file, err))
	}
	if k.Dim != s.Config.Dim {
		return nil, errors.Join(files.Errorf(file, "a model of another config than that of the run"), s.Close())
	}
	if len(s.Seen) != d.Graph.NumNodes() {
		return nil, s.Close()
	}
	k.Seed, k.Scale = s.Config.Seed, s.Config.Scale // of the best run of a repeat
	s.Config = k
	stream := kg.NewStream(k, s.E, len(s.Seen), s.Rows, s)
	return parted{s.Model, new(sync.Mutex), stream, len(s.Seen), s.Rows, s, known(d)}, nil
}

func (p parted) rank(_ context.Context, _ *dataset.Dataset, facts []graph.Triple,
	protocol ranking.Protocol) ([]ranking.Ranked, error) {
	p.Lock()
	defer p.Unlock()
	return p.stream.Rank(facts, ranking.Candidates{Protocol: protocol, Seed: p.Config.Seed, Known: p.known})
}

func (p parted) ask(d *dataset.Dataset, q Question, top, _ int) ([]Answer, error) {
	at, err := (&Trained{Data: d, model: p}).place(q)
	if err != nil {
		return nil, err
	}
	asked := ranking.Question{End: at.end, Of: 2 * at.relation}
	if q.Tail != "" {
		asked.Of++
	}
	p.Lock()
	defer p.Unlock()
	best, err := p.stream.Best(asked, top)
	var list []Answer
	for _, a := range best {
		list = append(list, Answer{Entity: d.IDs.At(a.Entity), Score: a.Score + p.Config.Margin})
	}
	return list, err
}

// unparted is the error for what needs all entities at a time.
func (p parted) unparted() error {
	return &train.BadData{Data: "the model", Text: fmt.Sprintf("its %d entities are in parts on the disk, and this "+
		"needs all of them in memory (--memory allows more)", p.entities)}
}

func (p parted) withheld(context.Context, *dataset.Dataset, []graph.Triple) ([]ranking.Ranked, error) {
	return nil, p.unparted()
}

func (p parted) explain(*dataset.Dataset, *graph.Graph, Fact, *Explanation, int) error {
	return p.unparted()
}

// write writes the file of a model in memory.
func (p parted) write(w io.Writer) error {
	return p.SavePieces(w, p.entities, p.rows, p.pieces)
}
