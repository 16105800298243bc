package format

import (
	"testing"

	"github.com/bloomgml/bloom/internal/testkit"
)

// dglFiles maps the names of the sample's files to their contents.
func dglFiles(t testing.TB) map[string]string {
	_, files := filesOf(t, dglFolder{})
	return files
}

// TestDGLPlain is the smallest folder: types without names, another separator, no classes.
func TestDGLPlain(t *testing.T) {
	d, err := Open(testkit.Folder(t, map[string]string{
		"meta.yaml": "dataset_name: x\nseparator: ;\nnode_data:\n- file_name: n.csv\nedge_data:\n- file_name: e.csv\n",
		"n.csv":     "graph_id;node_id\n0;1\n0;2\n", "e.csv": "src_id;dst_id;graph_id\n1;2;0\n1;2;0\n",
	}))
	if err != nil {
		t.Fatal(err)
	}
	if d.Graph.NumNodes() != 2 || d.Graph.NumEdges() != 2 || d.Types != nil || d.Relations != nil ||
		d.Labels.Class != nil || d.Graph.Weights() != nil {
		t.Errorf("%+v", d)
	}
}

func TestBadDGL(t *testing.T) {
	meta := dglFiles(t)["meta.yaml"]
	for name, c := range map[string]struct{ file, text, want string }{
		"unknown end": {"follows.csv", "src_id,dst_id\n007,anna\n007,eve\n",
			`follows.csv:3: there is no node "eve" of type person`},
		"end of a type":   {"in.csv", "src_id,dst_id\ncarl,anna\n", `in.csv:2: there is no node "anna" of type group`},
		"negative weight": {"follows.csv", "src_id,dst_id,weight\n007,anna,-1\n", `follows.csv:2: the weight "-1"`},
		"no dst_id":       {"follows.csv", "src_id,x\n007,anna\n", `follows.csv:1: there is no column "dst_id"`},
		"twice": {"groups.csv", "node_id\ng\ng\n",
			`groups.csv:3: column "node_id": node "g" is listed twice`},
		"columns": {"groups.csv", "node_id,x\ng,1\nh\n", "groups.csv:3: 1 columns, want 2"},
		"numbers": {"groups.csv", "node_id,x\ng,\"1,2\"\nh,3\n",
			`groups.csv:3: column "x": 1 numbers, want 2`},
		"mask": {"groups.csv", "node_id,val_mask\ng,maybe\n",
			`groups.csv:2: column "val_mask": "maybe" is neither`},
		"labels": {"groups.csv", "node_id,label\ng,\"1,2\"\n", `"1,2" are several labels`},
		"graphs": {"groups.csv", "node_id,graph_id\ng,0\nh,1\n",
			`groups.csv:3: column "graph_id": graph "1" after graph "0"`},
		"quote":     {"groups.csv", "node_id\n\"g\n", "groups.csv:"},
		"not UTF-8": {"groups.csv", "node_id\ng\n\xff\n", "groups.csv:3: is not valid UTF-8"},
		"empty":     {"groups.csv", "", "groups.csv: empty"},
		"outside": {"meta.yaml", "node_data:\n- file_name: ../people.csv\n",
			`"../people.csv" is not inside the folder`},
		"unknown type": {"meta.yaml", "node_data:\n- {file_name: people.csv, ntype: person}\nedge_data:\n- " +
			"{file_name: in.csv, etype: [person, in, group]}\n", `there are no nodes of type "group"`},
		"no triple": {"meta.yaml", "node_data:\n- {file_name: people.csv, ntype: person}\nedge_data:\n- " +
			"{file_name: in.csv, etype: [person, in]}\n", "etype [\"person\" \"in\"] is not"},
		"not YAML": {"meta.yaml", meta + "- {file_name: x}\n", "meta.yaml: yaml: line"},
		"long separator": {"meta.yaml", "separator: ab\nnode_data:\n- file_name: people.csv\n",
			`the separator "ab" is not one character`},
		"quote as comma": {"meta.yaml", "separator: '\"'\nnode_data:\n- file_name: people.csv\n",
			"is not one character"},
		"table is missing": {"meta.yaml", "node_data:\n- file_name: nobody.csv\n", "nobody.csv: "},
	} {
		t.Run(name, func(t *testing.T) {
			files := dglFiles(t)
			files[c.file] = c.text
			wantError(t, testkit.Folder(t, files), c.want)
		})
	}
}

// FuzzDGL never panics, and what it accepts has a row of features and a class for every node.
func FuzzDGL(f *testing.F) {
	files := dglFiles(f)
	f.Add(files["meta.yaml"], files["people.csv"], files["follows.csv"])
	f.Add("node_data:\n- file_name: people.csv\nedge_data:\n- file_name: follows.csv\n", "node_id,label\na,0\n",
		"src_id,dst_id\na,a\n")
	f.Fuzz(func(t *testing.T, meta, nodes, edges string) {
		files := dglFiles(t)
		files["meta.yaml"], files["people.csv"], files["follows.csv"] = meta, nodes, edges
		d, err := dglFolder{}.Read(testkit.Folder(t, files))
		if err != nil {
			return
		}
		if n := d.Graph.NumNodes(); len(d.IDs.Ends) != n || d.Labels.Class != nil && len(d.Labels.Class) != n {
			t.Errorf("%d nodes, %d ids, %d classes", n, len(d.IDs.Ends), len(d.Labels.Class))
		}
		for k, x := range d.Features {
			if rows := len(d.Graph.NodesOfType(int32(k))); x.Cols > 0 &&
				(x.Rows != rows || len(x.Values) != rows*x.Cols) {
				t.Errorf("type %d: %d×%d features, %d numbers, %d nodes", k, x.Rows, x.Cols, len(x.Values), rows)
			}
		}
	})
}
