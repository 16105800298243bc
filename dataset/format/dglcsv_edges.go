package format

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/mat"
)

// readEdges reads the table of a type of edges.
func (r *dglReader) readEdges(file string, name []string) error {
	if len(name) == 0 {
		name = []string{dglNode, dglEdge, dglNode}
	}
	t, err := r.open(file, "src_id", "dst_id")
	if err != nil {
		return err
	}
	defer t.Close()
	relation, err := r.relation(name)
	if err != nil {
		return files.Errorf(t.Path, "%v", err)
	}
	r.noteUnread(t)
	source, target := r.typeNamed(name[0]), r.typeNamed(name[2])
	u, v := slices.Index(t.Header, "src_id"), slices.Index(t.Header, "dst_id")
	weight, id := slices.Index(t.Header, "weight"), slices.Index(t.Header, "graph_id")
	r.weighted = r.weighted || weight >= 0
	same := oneGraph()
	return t.Each(func(row []string, line int) error {
		edge, w := graph.Triple{R: relation}, mat.Real(1)
		var err error
		edge.U, err = source.find(row[u])
		if err == nil {
			edge.V, err = target.find(row[v])
		}
		if err == nil && weight >= 0 {
			w, err = parseWeight(row[weight])
		}
		if err == nil && id >= 0 {
			err = same(row[id])
		}
		if err != nil {
			return files.ErrorAt(t.Path, line, "%v", err)
		}
		if r.edges, err = files.Append(r.Budget, r.edges, "edges", edge); err == nil {
			r.weights, err = files.Append(r.Budget, r.weights, "weights", w)
		}
		return err
	})
}

// relation numbers a type of edges, given as the types of its ends and its name between them.
func (r *dglReader) relation(name []string) (int32, error) {
	if len(name) != 3 {
		return 0, fmt.Errorf("etype %q is not [type of sources, name, type of targets]", name)
	}
	for _, kind := range []string{name[0], name[2]} {
		if r.typeNamed(kind) == nil {
			return 0, fmt.Errorf("etype %q: there are no nodes of type %q", name, kind)
		}
	}
	x := [3]string(name)
	if slices.Contains(r.relations, x) {
		return 0, fmt.Errorf("etype %q is in an earlier table already", name)
	}
	r.relations = append(r.relations, x)
	return int32(len(r.relations) - 1), nil
}

// noteUnread notes the columns that are not used.
func (r *dglReader) noteUnread(t *files.CSV) {
	for _, column := range t.Header {
		if !slices.Contains([]string{"src_id", "dst_id", "weight", "graph_id"}, column) {
			r.Note("Column %q of edges %s was left out: edges have weights only.", column,
				r.relations[len(r.relations)-1])
		}
	}
}

// find returns the number of a node by its id.
func (k *dglType) find(id string) (int32, error) {
	v, ok := k.ids.Find([]byte(id))
	if !ok {
		return 0, fmt.Errorf("there is no node %.80q of type %s", id, k.name)
	}
	return k.first + v, nil
}

// parseWeight reads a finite number that is not negative.
func parseWeight(cell string) (mat.Real, error) {
	x, err := strconv.ParseFloat(cell, 32)
	if err != nil || !(x >= 0 && x <= math.MaxFloat32) {
		return 0, fmt.Errorf("the weight %.80q is not a finite number, 0 or more", cell)
	}
	return mat.Real(x), nil
}
