package report

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"math"
	"os"
	"path/filepath"

	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/train"
)

// line is one of metrics.jsonl.
type line struct {
	Epoch              int
	Loss, Rate         float64
	Train, Valid, Test map[string]float64
	Energy             struct{ Start, End float64 }
}

// readRecords reads the epochs of a metrics.jsonl, by the metric that the run chose its epoch with; what a line leaves
// out is NaN. A last line that a killed run did not finish is left out.
func readRecords(name string, text []byte, metric string) ([]train.Record, error) {
	var records []train.Record
	nan := math.NaN()
	part := func(m map[string]float64) float64 {
		if v, ok := m[metric]; ok {
			return v
		}
		return nan
	}
	for one := range bytes.Lines(text) {
		if one[len(one)-1] != '\n' {
			break
		}
		l := line{Loss: nan, Rate: nan, Energy: struct{ Start, End float64 }{nan, nan}}
		if err := json.Unmarshal(one, &l); err != nil {
			return nil, files.ErrorAt(name, len(records)+1, "not a line of metrics: %v", err)
		}
		records = append(records, train.Record{Epoch: l.Epoch, Loss: l.Loss, Rate: l.Rate,
			Scores: train.Scores{Train: part(l.Train), Valid: part(l.Valid), Test: part(l.Test), Start: l.Energy.Start,
				End: l.Energy.End}})
	}
	return records, nil
}

// readHistories reads the epochs of all runs of a folder: its own, or those of run-00, run-01, … below it.
func readHistories(dir, metric string) ([][]train.Record, error) {
	logs, err := fs.Glob(os.DirFS(dir), "run-*/metrics.jsonl")
	if err != nil {
		return nil, err
	}
	if exists(filepath.Join(dir, "metrics.jsonl")) {
		logs = []string{"metrics.jsonl"}
	}
	var all [][]train.Record
	for _, file := range logs {
		name := filepath.Join(dir, filepath.FromSlash(file))
		text, err := files.Read(name)
		if err != nil {
			return nil, err
		}
		records, err := readRecords(name, text, metric)
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
