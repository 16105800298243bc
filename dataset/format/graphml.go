package format

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"strings"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/part"
)

// graphML is GraphML as NetworkX, igraph and Gephi write it, in a file .graphml, packed or not: one graph, whose edges
// all have a direction or none. Attributes of type boolean, int, long, float and double are values, others are texts;
// defaults hold where a node or an edge has none. igraph numbers nodes and keeps their names as an attribute, which
// then are the ids. What attributes mean is said at attributed. Several edges between two nodes stay.
var graphML = part.Part[Reader]{Name: "GraphML", Text: ".graphml", New: graphMLFile{}}

type graphMLFile struct{}

// Match looks for the root element.
func (graphMLFile) Match(path string, dir bool) bool {
	head, ok := textHead(path, dir, ".graphml")
	return ok && (head == nil || bytes.Contains(head, []byte("<graphml")))
}

func (graphMLFile) Read(path string) (*dataset.Dataset, error) {
	return readAttributed(path, decodeGraphML)
}

// graphMLKey declares an attribute.
type graphMLKey struct {
	ID      string  `xml:"id,attr"`
	For     string  `xml:"for,attr"`
	Name    string  `xml:"attr.name,attr"`
	Type    string  `xml:"attr.type,attr"`
	Default *string `xml:"default"`
}

// graphMLItem is a node or an edge.
type graphMLItem struct {
	ID       string `xml:"id,attr"`
	Source   string `xml:"source,attr"`
	Target   string `xml:"target,attr"`
	Directed string `xml:"directed,attr"`
	Data     []struct {
		Key  string `xml:"key,attr"`
		Text string `xml:",chardata"`
	} `xml:"data"`
	Graphs []struct{} `xml:"graph"`
}

// graphMLReader is a file being read.
type graphMLReader struct {
	*attributed
	xml    *xml.Decoder
	keys   map[string]graphMLKey
	graphs int
}

func decodeGraphML(r *attributed) error {
	t, err := files.OpenText(r.File, r.Budget)
	if err != nil {
		return err
	}
	defer t.Close()
	x := &graphMLReader{r, xml.NewDecoder(metered(t, r.Budget, xmlBytes)), map[string]graphMLKey{}, 0}
	r.multigraph = true
	for {
		token, err := x.xml.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if start, ok := token.(xml.StartElement); ok && err == nil {
			err = x.element(start)
		}
		if err != nil {
			return x.place(err)
		}
	}
	if x.graphs == 0 {
		return files.Errorf(r.File, "there is no graph in it")
	}
	x.useNames()
	return nil
}

// xmlBytes estimates the memory of decoded elements.
func xmlBytes(p []byte) int { return bytes.Count(p, []byte{'<'})*objectBytes/2 + 2*len(p) }

// place gives an error a line of the file.
func (x *graphMLReader) place(err error) error {
	var at *files.Error
	if errors.As(err, &at) {
		return err
	}
	line, _ := x.xml.InputPos()
	var wrong *xml.SyntaxError
	if errors.As(err, &wrong) {
		return files.ErrorAt(x.File, wrong.Line, "%s", wrong.Msg)
	}
	return files.ErrorAt(x.File, line, "%s", strings.TrimPrefix(err.Error(), "xml: "))
}

// element reads one element; those that say nothing about the graph are passed over.
func (x *graphMLReader) element(start xml.StartElement) error {
	switch start.Name.Local {
	case "key":
		var key graphMLKey
		err := x.xml.DecodeElement(&key, &start)
		x.keys[key.ID] = key
		return err
	case "graph":
		if x.graphs++; x.graphs > 1 {
			return errors.New("a second graph; write one graph per file")
		}
		for _, a := range start.Attr {
			x.directed = x.directed || a.Name.Local == "edgedefault" && a.Value == "directed"
		}
	case "node", "edge":
		return x.item(start)
	case "hyperedge":
		return errors.New("a hyperedge; bloom reads edges between two nodes")
	}
	return nil
}

func (x *graphMLReader) item(start xml.StartElement) error {
	var item graphMLItem
	if err := x.xml.DecodeElement(&item, &start); err != nil {
		return err
	}
	values := map[string]any{}
	for _, key := range x.keys {
		if key.Default != nil && (key.For == start.Name.Local || key.For == "all") {
			values[key.Name] = key.value(*key.Default)
		}
	}
	for _, d := range item.Data {
		key, known := x.keys[d.Key]
		if !known {
			return errors.New("data of the key " + d.Key + ", which is not declared")
		}
		if key.Name != "" { // programs that draw keep their shapes without a name
			values[key.Name] = key.value(d.Text)
		}
	}
	if start.Name.Local == "node" {
		if len(item.Graphs) > 0 {
			return errors.New("node " + item.ID + " holds a graph; nested graphs are not supported")
		}
		values["id"] = item.ID
		x.nodes = append(x.nodes, values)
		return nil
	}
	if item.Directed != "" && (item.Directed == "true") != x.directed {
		return errors.New("an edge from " + item.Source + " to " + item.Target +
			" whose direction differs from the others; either all edges must be directed or none")
	}
	values["source"], values["target"] = item.Source, item.Target
	x.links = append(x.links, values)
	return nil
}

func (k graphMLKey) value(text string) any {
	switch k.Type {
	case "boolean":
		return strings.EqualFold(strings.TrimSpace(text), "true")
	case "int", "long", "float", "double":
		return json.Number(strings.TrimSpace(text))
	}
	return text
}

// useNames makes the names that igraph gives to nodes their ids, if they differ.
func (x *graphMLReader) useNames() {
	key, ok := x.keys["v_name"]
	if !ok || key.Name != "name" {
		return
	}
	names, seen := map[string]any{}, map[string]bool{}
	for _, node := range x.nodes {
		name := cellOf(node["name"])
		if seen[name] || name == "" {
			return
		}
		seen[name], names[cellOf(node["id"])] = true, node["name"]
	}
	for _, node := range x.nodes {
		node["id"] = node["name"]
		delete(node, "name")
	}
	for _, link := range x.links {
		for _, end := range []string{"source", "target"} {
			if name, ok := names[cellOf(link[end])]; ok {
				link[end] = name
			}
		}
	}
}
