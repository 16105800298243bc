package native

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/host"
)

// Write stores d in a .bloom file. An existing file is replaced atomically, when everything has been written and has
// reached the disk; after an error it is unchanged.
func Write(path string, d *dataset.Dataset) error {
	var w nativeWriter
	for part := d; part != nil; part = part.Twin {
		if w.part == maxParts {
			return fmt.Errorf("writing %s: %s has a chain of more than %d twins", path, d.Name, maxParts-1)
		}
		if err := w.add(part); err != nil {
			return fmt.Errorf("writing %s: data set %s: %w", path, part.Name, err)
		}
		w.part++
	}
	return files.Replace(path, files.WriteOptions{}, w.write)
}

// nativeWriter collects sections, which share the memory of the data set.
type nativeWriter struct {
	part     uint32
	sections []section
	contents [][]byte
}

// add collects the sections of one data set.
func (w *nativeWriter) add(d *dataset.Dataset) error {
	if d.Graph == nil {
		return errors.New("there is no graph")
	}
	if wrong := check(d); wrong != nil {
		return errors.New(wrong.text)
	}
	p := d.Graph.Parts()
	text, err := json.Marshal(newMeta(d, &p))
	if err != nil {
		return err
	}
	addSection(w, sectionMeta, 0, text)
	w.addGraph(&p)
	addSection(w, sectionIDEnds, 0, d.IDs.Ends)
	addSection(w, sectionIDBytes, 0, d.IDs.Bytes)
	for t, m := range d.Features {
		addSection(w, sectionFeaturePtr, t, m.Ptr)
		addSection(w, sectionFeatureIdx, t, m.Idx)
		addSection(w, sectionFeatureValues, t, m.Values)
	}
	addSection(w, sectionClasses, 0, d.Labels.Class)
	for i, s := range d.Splits {
		addSection(w, sectionTrain, i, s.Train)
		addSection(w, sectionValid, i, s.Valid)
		addSection(w, sectionTest, i, s.Test)
	}
	addSection(w, sectionValidTriples, 0, d.Valid)
	addSection(w, sectionTestTriples, 0, d.Test)
	addSection(w, sectionValidTriples, 1, d.False[0])
	addSection(w, sectionTestTriples, 1, d.False[1])
	addSection(w, sectionCorrupted, 0, d.Corrupted)
	addSection(w, sectionTimes, 0, d.Times)
	addSection(w, sectionValues, 0, d.Labels.Values)
	addSection(w, sectionEdgeFeatures, 0, p.Features.Values)
	w.addRaw(d.Raw)
	if len(w.sections) > maxSections {
		return fmt.Errorf("%d arrays, more than %d", len(w.sections), maxSections)
	}
	return nil
}

func (w *nativeWriter) addGraph(p *graph.Parts) {
	addSection(w, sectionSources, 0, p.Sources)
	addSection(w, sectionTargets, 0, p.Targets)
	addSection(w, sectionRelation, 0, p.Relation)
	addSection(w, sectionWeights, 0, p.Weights)
	addSection(w, sectionNodeTypes, 0, p.NodeTypes)
	addSection(w, sectionOrigins, 0, p.Origins)
	for _, x := range []struct {
		first sectionKind
		graph.Pattern
	}{{sectionInPtr, p.In}, {sectionOutPtr, p.Out}, {sectionAdjacencyPtr, p.Adjacency}} {
		addSection(w, x.first, 0, x.Ptr)
		addSection(w, x.first+1, 0, x.Idx)
		addSection(w, x.first+2, 0, x.Edge)
	}
}

// addSection adds a section for x, unless x is nil.
func addSection[T number](w *nativeWriter, kind sectionKind, item int, x []T) {
	if x == nil {
		return
	}
	b := bytesOf(x)
	w.sections = append(w.sections, section{sectionKey: sectionKey{kind, w.part, uint32(item)}, length: uint64(len(b))})
	w.contents = append(w.contents, b)
}

// front lays out the sections and returns what precedes them.
func (w *nativeWriter) front() []byte {
	b := make([]byte, headerBytes+entryBytes*len(w.sections))
	end := uint64(len(b))
	host.Each(len(w.sections), func(i int) { w.sections[i].checksum = checksum(w.contents[i]) })
	for i := range w.sections {
		s := &w.sections[i]
		s.offset = aligned(end)
		end = s.offset + s.length
		s.encode(b[headerBytes+entryBytes*i:])
	}
	le := binary.LittleEndian
	copy(b, magic)
	le.PutUint32(b[8:], version)
	le.PutUint32(b[12:], uint32(len(w.sections)))
	le.PutUint64(b[16:], end)
	le.PutUint32(b[24:], uint32(realBytes))
	le.PutUint32(b[28:], frontChecksum(b))
	return b
}

// write writes the file.
func (w *nativeWriter) write(f io.Writer) error {
	out := bufio.NewWriterSize(f, blockBytes)
	front := w.front()
	_, _ = out.Write(front) // Flush returns the first error
	at := uint64(len(front))
	for i, s := range w.sections {
		_, _ = out.Write(make([]byte, s.offset-at))
		_, _ = out.Write(w.contents[i])
		at = s.offset + s.length
	}
	return out.Flush()
}
