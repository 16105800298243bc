package format

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/build"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/part"
)

// planetoid are the citation graphs of Yang et al. (2016): Cora, Citeseer and Pubmed, as eight files ind.NAME.PART. Any
// one of them names the set, and so does a folder with the files of one set.
//
// x, allx and tx are features, y, ally and ty classes: allx of nodes 0, 1, …; tx of the nodes that test.index lists,
// row by row; x is the beginning of allx. graph lists the neighbours of every node. Features are as in the files,
// sparse and not normalised. Nodes that are neither in allx nor in test.index (15 of Citeseer) have no features, no
// class and no part in the split.
//
// Splits has the one split of the paper: the nodes of x train, the 500 after them validate, and the nodes of test.index
// test. The ten splits of Geom-GCN, which some collections hold next to these files, are another protocol and are not
// read.
var planetoid = part.Part[Reader]{Name: "Planetoid pickles", Text: "Planetoid pickles", New: planetoidFolder{}}

type planetoidFolder struct{}

func (planetoidFolder) Match(path string, dir bool) bool { return len(planetoidSets(path, dir)) > 0 }

// Read reads the set that path stands for.
func (planetoidFolder) Read(path string) (*dataset.Dataset, error) {
	set, dir, err := planetoidSet(path)
	if err != nil {
		return nil, err
	}
	p := &planetoidFiles{Builder: build.New(path, set), prefix: filepath.Join(dir, "ind."+set+".")}
	for _, step := range []func() error{p.graph, p.readTest, p.features, p.labels} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	p.split()
	return p.Dataset, nil
}

// planetoidParts are the endings of the eight files.
var planetoidParts = []string{"x", "tx", "allx", "y", "ty", "ally", "graph", "test.index"}

// planetoidSets returns the names of the sets that a path stands for: one for a file, and for a folder all that have a
// graph.
func planetoidSets(path string, dir bool) []string {
	if !dir {
		rest, ok := strings.CutPrefix(filepath.Base(path), "ind.")
		for _, part := range planetoidParts {
			if name, found := strings.CutSuffix(rest, "."+part); ok && found && name != "" {
				return []string{name}
			}
		}
		return nil
	}
	var sets []string
	entries, _ := os.ReadDir(path) // a folder that cannot be read has no sets
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".graph") {
			sets = append(sets, planetoidSets(e.Name(), false)...)
		}
	}
	return sets
}

// planetoidSet returns the only set that path stands for, and its folder.
func planetoidSet(path string) (set, dir string, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", "", files.Because(path, err)
	}
	dir, sets := filepath.Dir(path), planetoidSets(path, info.IsDir())
	if info.IsDir() {
		dir = path
	}
	switch len(sets) {
	case 0:
		return "", "", files.Errorf(path, "holds no Planetoid set")
	case 1:
		return sets[0], dir, nil
	}
	return "", "", files.Errorf(path, "holds %d sets (%s): name one of their files, such as ind.%s.x",
		len(sets), strings.Join(sets, ", "), sets[0])
}
