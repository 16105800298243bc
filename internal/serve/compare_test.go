package serve

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/task/node"
	"github.com/bloomgml/bloom/train"
)

// TestCompare: answers before and after edits of a file are the ones that a server gives, every node whose answer
// changes is named, and nodes that come or go have one answer.
func TestCompare(t *testing.T) {
	for _, recipe := range []string{"base", "gcn"} { // by steps, and computed again
		dir := trained(t, recipe)
		c, d, err := train.Configured(dir, "")
		if err != nil {
			t.Fatal(err)
		}
		run, err := node.Kind{}.Open(dir, *c, d)
		if err != nil {
			t.Fatal(err)
		}
		const edits = `{"remove_node": "n7"}, {"add_node": {"id": "new", "features": [1, 0, 0, 0]}},` +
			`{"add_edge": ["new", "n3"]}, {"add_edge": ["n6", "n90"]}`
		path := filepath.Join(t.TempDir(), "edits.json")
		if err := os.WriteFile(path, []byte(`{"edits": [`+edits+`]}`), 0o600); err != nil {
			t.Fatal(err)
		}
		list, err := Compare(t.Context(), run, path, nil, Options{})
		if err != nil {
			t.Fatal(err)
		}
		r := serving(t, Options{}, dir)
		var ids []string
		for v := range 120 {
			if v != 7 {
				ids = append(ids, fmt.Sprintf("%q", fmt.Sprint("n", v)))
			}
		}
		var before, after struct{ Nodes []Answer }
		for _, x := range []struct {
			edits string
			into  any
		}{{`{"add_edge": ["n6", "n90"]}, {"remove_edge": ["n6", "n90"]}`, &before}, {edits, &after}} {
			r.ask("/v1/what-if", `{"edits": [`+x.edits+`], "nodes": [`+strings.Join(ids, ",")+`]}`, 200, x.into)
		}
		differ := 0
		for i, a := range before.Nodes {
			if reflect.DeepEqual(a.Probabilities, after.Nodes[i].Probabilities) {
				continue
			}
			differ++
			at := slices.IndexFunc(list, func(c Change) bool { return c.ID == a.ID })
			if at < 0 {
				t.Errorf("%s: %s is missing", recipe, a.ID)
				continue
			}
			same(t, recipe+" before", *list[at].Before, a, 0)
			same(t, recipe+" after", *list[at].After, after.Nodes[i], 0)
		}
		if differ < 10 || len(list) != differ+2 {
			t.Errorf("%s: %d nodes, and %d differ", recipe, len(list), differ)
		}
		for _, c := range list[:2] {
			if c.ID == "n7" && c.After != nil || c.ID == "new" && c.Before != nil || c.ID != "n7" && c.ID != "new" {
				t.Errorf("%s: %+v among the largest changes", recipe, c)
			}
		}
	}
}

// TestReadEdits: both forms are read, with the lines of edits, and mistakes are told with theirs.
func TestReadEdits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "e.json")
	for _, x := range []struct{ text, want string }{
		{"{\"edits\": [\n{\"remove_node\": \"a\"},\n\n{\"add_edge\": [\"a\",\n\"b\"]}]}\n", "[2 4]"},
		{"{\"remove_node\": \"a\"}\n{\"remove_node\": \"b\"}\n", "[1 2]"},
		{"{\"edits\": [\n{\"remove_nod\": \"a\"}]}", `e.json:2: edit 0: json: unknown field "remove_nod"`},
		{"{\"remove_node\": \"a\"}\n{\"add_edge\": [\"b\"]}", `e.json:2: edit 1: ["b"]: want the ids of two nodes`},
		{"{\"edits\": [{\"remove_node\": \"a\"}\n", "e.json:2: after edit 0: EOF"},
		{"{\"edits\": [{\"remove_node\": \"a\"}]}\n{}", "e.json:2: after edit 0: want the end of the file"},
		{"{\"edits\": []}", "no edits"},
		{"", "no edits"},
		{"a,b", "e.json:1: edit 0: invalid character 'a'"},
	} {
		if err := os.WriteFile(path, []byte(x.text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, lines, err := readEdits(path)
		if got := fmt.Sprint(lines, err); !strings.Contains(got, x.want) {
			t.Errorf("%q: %s, want %s", x.text, got, x.want)
		}
	}
}
