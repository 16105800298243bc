package format

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/part"
)

// nodeLink is the JSON of networkx's node_link_data, in a file .json, packed or not:
//
//	{"directed": false, "multigraph": false, "graph": {"name": "team"},
//	 "nodes": [{"id": "ann", "age": 31, "label": "ops", "split": "train"}, …],
//	 "links": [{"source": "ann", "target": "bob", "weight": 2}, …]}
//
// links may be called edges. An id is a text or a number. What attributes mean is said at attributed.
var nodeLink = part.Part[Reader]{Name: "node-link JSON", Text: "node-link .json", New: nodeLinkFile{}}

type nodeLinkFile struct{}

// Match looks for an object that speaks of nodes.
func (nodeLinkFile) Match(path string, dir bool) bool {
	head, ok := textHead(path, dir, ".json")
	return ok && (head == nil || bytes.HasPrefix(head, []byte{'{'}) && bytes.Contains(head, []byte(`"nodes"`)))
}

func (nodeLinkFile) Read(path string) (*dataset.Dataset, error) {
	return readAttributed(path, decodeNodeLink)
}

func decodeNodeLink(r *attributed) error {
	t, err := files.OpenText(r.File, r.Budget)
	if err != nil {
		return err
	}
	defer t.Close()
	var doc struct {
		Directed, Multigraph bool
		Graph                any // an object if it has attributes
		Nodes, Links, Edges  []map[string]any
	}
	d := json.NewDecoder(metered(t, r.Budget, jsonBytes))
	d.UseNumber()
	var wrong *json.SyntaxError
	var other *json.UnmarshalTypeError
	switch err := d.Decode(&doc); {
	case errors.As(err, &wrong):
		return files.ErrorAtByte(r.File, wrong.Offset, "%v", err)
	case errors.As(err, &other):
		return files.ErrorAtByte(r.File, other.Offset, "%s is a %s", other.Field, other.Value)
	case err != nil:
		return files.InFile(r.File, err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return files.ErrorAtByte(r.File, d.InputOffset(), "there is text after the graph")
	}
	if about, ok := doc.Graph.(map[string]any); ok {
		r.Name = cmp.Or(cellOf(about["name"]), r.Name)
	}
	r.directed, r.multigraph = doc.Directed, doc.Multigraph
	r.nodes, r.links = doc.Nodes, append(doc.Links, doc.Edges...)
	return nil
}

// The memory of an object and of a member.
const (
	objectBytes = 320
	memberBytes = 40
)

// jsonBytes estimates the memory of the decoded form of JSON: maps and lists, members and texts. It also counts text
// between quotes; the error is small.
func jsonBytes(p []byte) int {
	objects := bytes.Count(p, []byte{'{'}) + bytes.Count(p, []byte{'['})
	members := bytes.Count(p, []byte{','}) + bytes.Count(p, []byte{':'})
	return objects*objectBytes + members*memberBytes + 2*len(p)
}
