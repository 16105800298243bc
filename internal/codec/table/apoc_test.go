package table

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const apocFile = `"_id","_labels","age","name","title","_start","_end","_type","rating"
"0",":Person","31","ann","",,,,
"7",":Admin:Person","40","bob","",,,,
"3",":Person","29","cid","",,,,
"5",":Film","","","Alien",,,,
,,,,,"0","7","KNOWS",""
,,,,,"3","5","LIKES","4"
,,,,,"0","5","LIKES","5"
`

// TestNeo4jTables: a table of an export has the properties of its nodes, or of its relationships.
func TestNeo4jTables(t *testing.T) {
	path := filepath.Join(t.TempDir(), "graph.csv")
	if err := os.WriteFile(path, []byte(apocFile), 0o666); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"Person": "_id age name title | 0 31 ann  | 3 29 cid ",
		"Admin:Person": "_id age name title | 7 40 bob ", "LIKES": "_start _end rating | 3 5 4 | 0 5 5"} {
		s, err := Open(path+"#"+name, Options{})
		if err != nil {
			t.Fatal(err)
		}
		got := strings.Join(s.Columns(), " ")
		err = Each(s, func(b *Batch) error {
			for i := range b.Rows() {
				got += " | " + strings.Join(b.Row(nil, i), " ")
			}
			return nil
		})
		if err != nil || got != want {
			t.Errorf("%s is %q, want %q, %v", name, got, want, err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	_, err := Open(path+"#Nobody", Options{})
	if err == nil || !strings.Contains(err.Error(), `no node has the label "Nobody" and no relationship that type`) {
		t.Error(err)
	}
}
