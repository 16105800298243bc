package format

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/part"
)

// pajek is a Pajek network, in a file .net, packed or not, with arcs (directed) or edges (undirected):
//
//	*Vertices 3
//	1 "ann" 0.1 0.2 0.5 ellipse label ops
//	2 "bob"
//	3 "cid"
//	*Arcs
//	1 2 1.5
//	*Edgeslist
//	2 1 3
//
// A vertex has its label as id, or its number if labels are missing or repeat. Coordinates and shapes are left out;
// pairs of name and value after them are attributes, see attributed. A network with arcs and edges is directed, and an
// edge then stands for two arcs.
var pajek = part.Part[Reader]{Name: "a Pajek network", Text: "Pajek .net", New: pajekFile{}}

type pajekFile struct{}

// Match looks for the star of the first section.
func (pajekFile) Match(path string, dir bool) bool {
	head, ok := textHead(path, dir, ".net")
	return ok && (head == nil || bytes.HasPrefix(head, []byte{'*'}) || bytes.HasPrefix(head, []byte{'%'}))
}

func (pajekFile) Read(path string) (*dataset.Dataset, error) {
	return readAttributed(path, decodePajek)
}

// pajekReader is a network being read.
type pajekReader struct {
	*attributed
	section   string
	relations map[string]bool
	labels    map[string]int // of vertices, how often
	edges     map[int]bool   // links without a direction
}

func decodePajek(r *attributed) error {
	x := &pajekReader{attributed: r, labels: map[string]int{}, edges: map[int]bool{}, relations: map[string]bool{}}
	r.multigraph = true
	err := files.Scan(r.File, r.Budget, func(line int, text []byte) error {
		fields := pajekFields(string(text))
		if len(fields) == 0 || strings.HasPrefix(fields[0], "%") {
			return nil
		}
		size := int64(objectBytes*max(1, len(fields)-2) + memberBytes*len(fields) + 2*len(text))
		if err := r.Budget.Take(size, "vertices and links"); err != nil {
			return err
		}
		if err := x.line(fields); err != nil {
			return files.ErrorAt(r.File, line, "%v: %s", err, files.Excerpt(text))
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(x.relations) > 1 {
		r.Note("The network has %d relations, which were read as one.", len(x.relations))
	}
	x.nameVertices()
	x.direct()
	return nil
}

// pajekFields splits a line at spaces outside of quotes; quotes around a field are dropped.
func pajekFields(text string) (fields []string) {
	for text = strings.TrimSpace(text); text != ""; text = strings.TrimSpace(text) {
		end, quoted := strings.IndexAny(text, " \t"), text[0] == '"'
		if quoted {
			text = text[1:]
			end = strings.IndexByte(text, '"')
		}
		if end < 0 {
			end = len(text)
		}
		fields = append(fields, text[:end])
		if quoted {
			end = min(end+1, len(text))
		}
		text = text[end:]
	}
	return fields
}

// line reads a line of a section, or the first one of the next.
func (x *pajekReader) line(fields []string) error {
	if strings.HasPrefix(fields[0], "*") {
		return x.startSection(strings.ToLower(fields[0]), fields[1:])
	}
	switch x.section {
	case "*vertices":
		return x.vertex(fields)
	case "*arcs", "*edges":
		if len(fields) < 2 {
			return errors.New("a link without two ends")
		}
		return x.link(fields[0], fields[1], slices.Concat(fields[2:], []string{"1"})[0])
	case "*arcslist", "*edgeslist":
		for _, target := range fields[1:] {
			if err := x.link(fields[0], target, "1"); err != nil {
				return err
			}
		}
		return nil
	}
	return errors.New("a line before *Vertices")
}

func (x *pajekReader) startSection(section string, rest []string) error {
	x.section = section
	switch section {
	case "*network":
		if len(rest) > 0 {
			x.Name = rest[0]
		}
	case "*arcs", "*arcslist", "*edges", "*edgeslist":
		x.directed = x.directed || strings.HasPrefix(section, "*arcs")
		x.relations[slices.Concat(rest, []string{":1"})[0]] = true // *Arcs :2 "likes"
	case "*vertices":
		n, err := strconv.Atoi(slices.Concat(rest, []string{"none"})[0])
		if err != nil || n < 0 || x.nodes != nil {
			return errors.New("*Vertices wants the number of vertices, once")
		}
		if err := x.Budget.Take(int64(n)*objectBytes, fmt.Sprintf("%d vertices", n)); err != nil {
			return err
		}
		x.nodes = make([]map[string]any, n)
		for v := range x.nodes {
			x.nodes[v] = map[string]any{"id": json.Number(strconv.Itoa(v + 1))}
		}
	default:
		return errors.New("a section that is not read; write links as *Arcs or *Edges")
	}
	return nil
}

// vertexAt returns the vertex that a number from 1 names.
func (x *pajekReader) vertexAt(number string) (int, error) {
	v, err := strconv.Atoi(number)
	if err != nil || v < 1 || v > len(x.nodes) {
		return 0, fmt.Errorf("%.40q is not the number of a vertex, 1 to %d", number, len(x.nodes))
	}
	return v - 1, nil
}

// vertex reads number, label, coordinates, a shape, and pairs of name and value.
func (x *pajekReader) vertex(fields []string) error {
	v, err := x.vertexAt(fields[0])
	if err != nil || len(fields) == 1 {
		return err
	}
	label, rest := fields[1], fields[2:]
	x.labels[label]++
	for len(rest) > 0 && isNumber(rest[0]) {
		rest = rest[1:]
	}
	for len(rest) > 1 && len(rest)%2 == 1 { // the shape has no name
		rest = rest[1:]
	}
	for ; len(rest) > 1; rest = rest[2:] {
		x.nodes[v][rest[0]] = rest[1]
		if isNumber(rest[1]) {
			x.nodes[v][rest[0]] = json.Number(rest[1])
		}
	}
	x.nodes[v]["id"] = json.Number(fields[0])
	x.nodes[v][vertexLabel] = label
	return nil
}

// vertexLabel is a name that no attribute has, as fields have no spaces.
const vertexLabel = "the label"

func isNumber(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return err == nil
}

// link adds an arc or an edge. All weights are kept if one of them is not 1.
func (x *pajekReader) link(source, target, weight string) error {
	u, err := x.vertexAt(source)
	v, errV := x.vertexAt(target)
	if err = cmp.Or(err, errV); err != nil {
		return err
	}
	if strings.HasPrefix(x.section, "*edges") {
		x.edges[len(x.links)] = true
	}
	link := map[string]any{"source": u, "target": v}
	if w, err := strconv.ParseFloat(weight, 64); err != nil || w != 1 {
		link["weight"] = json.Number(weight)
	}
	x.links = append(x.links, link)
	return nil
}

// nameVertices makes labels the ids, if every vertex has one of its own, and ids the ends of links.
func (x *pajekReader) nameVertices() {
	distinct := len(x.labels) == len(x.nodes) && x.labels[""] == 0
	for _, node := range x.nodes {
		if label, ok := node[vertexLabel]; ok && distinct {
			node["id"] = label
		}
		delete(node, vertexLabel)
	}
	for _, link := range x.links {
		for _, end := range []string{"source", "target"} {
			link[end] = x.nodes[link[end].(int)]["id"]
		}
	}
}

// direct makes two arcs of every edge of a network that has arcs too.
func (x *pajekReader) direct() {
	if !x.directed {
		return
	}
	for i := range len(x.links) {
		if x.edges[i] {
			back := maps.Clone(x.links[i])
			back["source"], back["target"] = back["target"], back["source"]
			x.links = append(x.links, back)
		}
	}
}
