package tune

import (
	"embed"
	"fmt"
	"path"
	"slices"
	"strings"
)

// shipped are the spaces that come with bloom.
//
//go:embed spaces/*.yaml
var shipped embed.FS

// Spaces are the names of the spaces that come with bloom: those of the paper, one with the keys that it leaves
// open, and one for recipes of which it says nothing.
func Spaces() []string {
	files, _ := shipped.ReadDir("spaces") // embedded
	var names []string
	for _, f := range files {
		names = append(names, strings.TrimSuffix(f.Name(), ".yaml"))
	}
	slices.Sort(names)
	return names
}

// FindSpace is the space with a name of Spaces.
func FindSpace(name string) (Space, error) {
	text, err := shipped.ReadFile(path.Join("spaces", name+".yaml"))
	if err != nil {
		return nil, fmt.Errorf("there is no space %q; there are %s", name, strings.Join(Spaces(), ", "))
	}
	return ReadSpace(name, text)
}
