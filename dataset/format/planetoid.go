package format

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/dataset/internal/textfile"
	"github.com/bloomgml/bloom/internal/fileerr"
)

// planetoid are the citation graphs of Yang et al. (2016): Cora, Citeseer and Pubmed, as eight files
// ind.NAME.PART. Any one of them names the set, and so does a folder with the files of one set.
//
// x, allx and tx are features, y, ally and ty classes: allx of nodes 0, 1, …; tx of the nodes that
// test.index lists, row by row; x is the beginning of allx. graph lists the neighbours of every node.
// Features are as in the files, sparse and not normalised. Nodes that are neither in allx nor in
// test.index (15 of Citeseer) have no features, no class and no part in the split.
//
// Splits has the one split of the paper: the nodes of x teach, the 500 after them choose, those of
// test.index test. The ten splits of Geom-GCN, which lie beside these files in some collections, are
// another protocol: ReadMasks reads them, MaskFiles finds them.
var planetoid = format{
	name:  "Planetoid pickles",
	match: func(path string, dir bool) bool { return len(planetoidSets(path, dir)) > 0 },
	read:  readPlanetoid,
}

// planetoidParts are the endings of the eight files.
var planetoidParts = []string{"x", "tx", "allx", "y", "ty", "ally", "graph", "test.index"}

// planetoidSets are the names of the sets that a path stands for: one for a file, and in a folder all
// that have a graph.
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
	entries, _ := os.ReadDir(path) // a folder that cannot be read holds none
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".graph") {
			sets = append(sets, planetoidSets(e.Name(), false)...)
		}
	}
	return sets
}

// readPlanetoid reads the set that path stands for.
func readPlanetoid(path string) (*dataset.Dataset, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fileerr.Because(path, err)
	}
	dir, sets := filepath.Dir(path), planetoidSets(path, info.IsDir())
	if info.IsDir() {
		dir = path
	}
	if len(sets) != 1 {
		return nil, fileerr.In(path, "holds %d sets (%s): name one of their files, such as ind.%s.x", len(sets), strings.Join(sets, ", "), sets[0])
	}
	p := &planetoidFiles{prefix: filepath.Join(dir, "ind."+sets[0]+".")}
	d := &dataset.Dataset{Name: sets[0], Metric: "accuracy"}
	for _, step := range []func(*dataset.Dataset) error{p.graph, p.readTest, p.features, p.labels, p.split} {
		if err := step(d); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// MaskFiles are the files of the Geom-GCN splits, geom_gcn_splits/NAME_split_*.npz, beside a file of a
// Planetoid set, ordered by their number. ReadMasks reads them.
func MaskFiles(path string) []string {
	info, err := os.Stat(path)
	if err != nil {
		return nil
	}
	sets, dir := planetoidSets(path, info.IsDir()), path
	if !info.IsDir() {
		dir = filepath.Dir(path)
	}
	if len(sets) != 1 {
		return nil
	}
	files := slices.DeleteFunc(textfile.Glob(filepath.Join(dir, "geom_gcn_splits"), "*_split_*.npz"), func(file string) bool {
		return !strings.HasPrefix(filepath.Base(file), sets[0]+"_split_")
	})
	slices.SortFunc(files, func(a, b string) int { // 2 before 10
		if len(a) != len(b) {
			return len(a) - len(b)
		}
		return strings.Compare(a, b)
	})
	return files
}
