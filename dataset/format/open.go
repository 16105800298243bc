// Package format reads data sets as they were published. What a file or a folder is, is recognised from its content.
//
//	d, err := format.Open("planetoid/ind.cora.graph")
//
// A format is a Reader in the table Readers.
package format

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/dataset/native"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/ondisk"
	"github.com/bloomgml/bloom/part"
)

// Reader reads the files of one format.
type Reader interface {
	// Match reports whether a file, or a folder, is in this format. It looks at names and first bytes only, and no
	// other Reader matches the same.
	Match(path string, dir bool) bool
	// Read reads the whole set. Mistakes are *files.Error with file, place and value. The same files give equal sets,
	// whose arrays fit one another (native.Write refuses others).
	Read(path string) (*dataset.Dataset, error)
}

// Readers lists all formats, in the order in which they are tried.
var Readers = part.Kind[Reader]{
	Name: "format",
	Parts: []part.Part[Reader]{
		planetoid,
		heterophilous,
		heco,
		rdf,
		ogb,
		tripleFolder,
		tripleFile,
		geometric,
		nodeLink,
		graphML,
		pajek,
		neo4j,
		pairTable,
		{Name: "a .bloom file", Text: ".bloom", New: bloomFile{}},
		{Name: "a folder of blocks", Text: "folders of bloom data blocks", New: blockFolder{}},
	},
}

// Open reads a file or a folder in the first format that it matches.
func Open(path string) (*dataset.Dataset, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, files.Because(path, err)
	}
	defer files.RelaxCollector()
	for _, p := range Readers.Parts {
		if p.New.Match(path, info.IsDir()) {
			d, err := p.New.Read(path)
			if err != nil {
				return nil, fmt.Errorf("reading %s: %w", p.Name, err)
			}
			return d, nil
		}
	}
	if table := strings.TrimSuffix(path, ".gz"); slices.Contains(tableEnds, strings.ToLower(filepath.Ext(table))) {
		return nil, files.Errorf(path, "a table, not a data set; make one with bloom data import --nodes %s "+
			"--edges EDGES --label COLUMN --out %s.bloom, or, without edges, with --connect and the columns whose "+
			"values rows share", path, strings.TrimSuffix(table, filepath.Ext(table)))
	}
	if !info.IsDir() && isDGL(path) {
		return nil, files.Errorf(path, "a graph of DGL in its own binary layout; in Python, torch.save({"+
			"\"edge_index\": torch.stack(g.edges()), \"x\": g.ndata[\"feat\"], \"y\": g.ndata[\"label\"], "+
			"\"train_mask\": g.ndata[\"train_mask\"]}, \"graph.pt\") writes it as bloom reads it")
	}
	if !info.IsDir() && IsEvents(path) {
		return nil, files.Errorf(path, "events (source, target, time), from which links in time are learnt: bloom "+
			"train --data %s --task links", path)
	}
	return nil, files.Errorf(path, "not one of the known formats; see bloom help data")
}

// nameOf returns the name of the set in a file: that of the file without its endings.
func nameOf(path string) string {
	name := strings.TrimSuffix(filepath.Base(path), ".gz")
	return strings.TrimSuffix(name, filepath.Ext(name))
}

// isDGL reports whether a file begins as dgl.save_graphs begins it.
func isDGL(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	var head [8]byte
	_, err = io.ReadFull(f, head[:])
	return err == nil && binary.LittleEndian.Uint64(head[:]) == 0xDD2E4FF046B4A13F
}

// tableEnds end the names of tables, of which data sets are made.
var tableEnds = []string{".csv", ".tsv", ".jsonl", ".ndjson", ".json", ".parquet", ".xlsx", ".xls", ".db", ".sqlite",
	".sqlite3", ".duckdb"}

// WriteBlocks writes d into a new folder of blocks, as `bloom data blocks` does, for training without holding it in
// memory.
func WriteBlocks(dir string, d *dataset.Dataset) error {
	src, err := ondisk.Of(d)
	if err != nil {
		return err
	}
	_, err = ondisk.Build(dir, src, ondisk.Options{})
	return err
}

// bloomFile is the format of package native.
type bloomFile struct{}

func (bloomFile) Match(path string, dir bool) bool           { return native.Is(path, dir) }
func (bloomFile) Read(path string) (*dataset.Dataset, error) { return native.Read(path) }

// blockFolder is the format of package blocks.
type blockFolder struct{}

func (blockFolder) Match(path string, dir bool) bool           { return ondisk.Is(path, dir) }
func (blockFolder) Read(path string) (*dataset.Dataset, error) { return ondisk.Read(path) }
