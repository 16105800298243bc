package format

import (
	"fmt"
	"os"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/dataset/native"
	"github.com/bloomgml/bloom/internal/fileerr"
)

// format is a family of files: how it is recognised and how it is read.
type format struct {
	name  string                                      // for people: "Planetoid pickles"
	match func(path string, dir bool) bool            // looks at names and first bytes only
	read  func(path string) (*dataset.Dataset, error) // the whole set
}

// formats are tried in this order; the first that matches reads.
var formats = []format{
	planetoid,
	heterophilous,
	heco,
	rdfFolder,
	ogbFolder,
	dglFolder,
	tripleFolder,
	tripleFile,
	{"a .bloom file", native.Is, native.Read},
}

// Open reads a file or a folder; what it is, is recognised from its content.
func Open(path string) (*dataset.Dataset, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fileerr.Because(path, err)
	}
	for _, f := range formats {
		if f.match(path, info.IsDir()) {
			d, err := f.read(path)
			if err != nil {
				return nil, fmt.Errorf("reading %s: %w", f.name, err)
			}
			return d, nil
		}
	}
	return nil, fileerr.In(path, "none of the known formats; see bloom help data")
}
