package report

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"

	"github.com/bloomgml/bloom/internal/durable"
	"github.com/bloomgml/bloom/internal/fileerr"
	"github.com/bloomgml/bloom/run"
)

// line is one of metrics.jsonl.
type line struct {
	Epoch              int
	Loss, Rate         *float64
	Train, Valid, Test map[string]float64
	Energy             *struct{ Start, End float64 }
}

// record is l with NaN for what it leaves out.
func (l line) record(metric string) run.Record {
	r := run.Record{Epoch: l.Epoch, Loss: orNaN(l.Loss), Rate: orNaN(l.Rate),
		Scores: run.Scores{Start: math.NaN(), End: math.NaN()}}
	part := func(m map[string]float64) float64 {
		if v, ok := m[metric]; ok {
			return v
		}
		return math.NaN()
	}
	r.Train, r.Valid, r.Test = part(l.Train), part(l.Valid), part(l.Test)
	if l.Energy != nil {
		r.Start, r.End = l.Energy.Start, l.Energy.End
	}
	return r
}

func orNaN(v *float64) float64 {
	if v == nil {
		return math.NaN()
	}
	return *v
}

// readRecords reads the epochs of a metrics.jsonl, by the metric that the run chose its epoch with. A last line that a
// killed run did not finish is left out.
func readRecords(name string, r io.Reader, metric string) ([]run.Record, error) {
	var records []run.Record
	in := bufio.NewReader(r)
	for n := 1; ; n++ {
		text, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return records, nil
		}
		if err != nil {
			return nil, fileerr.Because(name, err)
		}
		var l line
		if err := json.Unmarshal(text, &l); err != nil {
			return nil, fileerr.At(name, n, "not a line of metrics: %v", err)
		}
		records = append(records, l.record(metric))
	}
}

// readHistories reads the epochs of all runs of a folder: its own, or those of run-00, run-01, … below it.
func readHistories(dir, metric string) ([][]run.Record, error) {
	files, err := fs.Glob(os.DirFS(dir), "run-*/metrics.jsonl")
	if err != nil {
		return nil, err
	}
	for i, name := range files {
		files[i] = filepath.Join(dir, filepath.FromSlash(name))
	}
	if own := filepath.Join(dir, "metrics.jsonl"); exists(own) {
		files = []string{own}
	}
	var all [][]run.Record
	for _, name := range files {
		text, err := durable.ReadFile(name)
		if err != nil {
			return nil, err
		}
		records, err := readRecords(name, bytes.NewReader(text), metric)
		if err != nil {
			return nil, err
		}
		all = append(all, records)
	}
	return all, nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
