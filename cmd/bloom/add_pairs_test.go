package main

import (
	"os"
	"strings"
	"testing"
)

// TestAddLinks: a new node of a run about links gets recommendations, the same that the saved run gives it, never those
// that it is joined with; bad rows are put aside.
func TestAddLinks(t *testing.T) {
	t.Chdir(t.TempDir())
	done(t, "train --data csbm:nodes=60,features=3,degree=6 --task links --out run --set train.epochs=3")
	write(t, "new.csv", []byte("id,a,b,c\nnew one,0.1,0.2,-1\nn4,1,1,1\n"))
	write(t, "edges.csv", []byte("source,target\nnew one,n17\nnew one,n4\nnew one,nobody\n"))
	rows, stderr, code := bloom(t, "add", "run", "--nodes", "new.csv", "--edges", "edges.csv", "--save", "more")
	if code != exitDone || !strings.HasPrefix(rows, "rank,source,target,probability,common\n1,new one,n") ||
		strings.Contains(rows, ",n17,") || strings.Contains(rows, ",n4,") || strings.Count(rows, "\n") != 11 {
		t.Fatalf("exit %d, %s%s", code, stderr, rows)
	}
	for _, want := range []string{"1 new nodes with 2 edges", "next  bloom predict more --node 'new one' --top 10",
		"2 rows"} {
		if !strings.Contains(stderr, want) {
			t.Errorf("%q is not in %s", want, stderr)
		}
	}
	if text, err := os.ReadFile("more.rejects.csv"); err != nil || strings.Count(string(text), "\n") != 3 {
		t.Errorf("%s, %v", text, err)
	}
	again, stderr, code := bloom(t, "predict", "more", "--node", "new one", "--top", "10")
	if code != exitDone || again != rows {
		t.Errorf("exit %d, %s; the saved run says\n%s, add said\n%s", code, stderr, again, rows)
	}
	if _, stderr, code = bloom(t, "add", "run"); code != exitUsage || !strings.Contains(stderr, "--nodes") {
		t.Errorf("exit %d, %s", code, stderr)
	}
}
