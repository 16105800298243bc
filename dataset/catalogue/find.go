package catalogue

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/dataset/format"
	"github.com/bloomgml/bloom/internal/build"
	"github.com/bloomgml/bloom/internal/generate"
	"github.com/bloomgml/bloom/internal/keys"
)

// Open returns the data set that ref names, or a *RefError if it names nothing:
//
//	cora                          a name of the catalogue, in $BLOOM_DATA or the cache; see Get
//	team.bloom, rdf/aifb          a file or a folder of any known format
//	karate, csbm:seed=3,nodes=500 a built-in generator, with values for its keys
//	mutag:relations=by-type       a set of the catalogue whose relations are split by the types of their ends
//	mutag:features=counts         one whose nodes without features have the numbers of their edges; or both, by commas
//
// A name with other values is always generated; without, the catalogue comes first, then generators, then files: a
// folder that happens to be called karate is ./karate. Open never uses the network.
func Open(ref string) (*dataset.Dataset, error) {
	if strings.Contains(ref, ":") {
		if name, values, _ := strings.Cut(ref, ":"); Find(name) != nil && changes(values) {
			return Find(name).changed(values)
		}
		if d, ok, err := generated(ref); ok {
			return d, err
		}
	}
	e := Find(ref)
	if e != nil {
		if path, _ := e.Locate(); path != "" {
			return e.read(path)
		}
	}
	if d, ok, err := generated(strings.ToLower(ref)); ok {
		return d, err
	}
	if _, err := os.Stat(ref); err == nil {
		return format.Open(ref)
	}
	if e != nil {
		return nil, newNotHere(e)
	}
	if strings.ContainsAny(ref, `./\`) {
		return format.Open(ref) // reports that there is no such file
	}
	return nil, noSuchRef(ref)
}

// OpenEvents is Open for a graph in time: a file of events is read as one. What is none is opened as by Open.
func OpenEvents(ref string) (*dataset.Dataset, error) {
	if path := File(ref); path != "" && format.IsEvents(path) {
		return format.Events(path)
	}
	return Open(ref)
}

// File returns the file or folder that Open reads for ref; empty if ref is a name of the catalogue or of a generator,
// or names nothing.
func File(ref string) string {
	name, _, _ := strings.Cut(strings.ToLower(ref), ":")
	for _, g := range generate.All() {
		if g.Name == name {
			return ""
		}
	}
	if e := Find(ref); e != nil {
		if path, _ := e.Locate(); path != "" {
			return ""
		}
	}
	if _, err := os.Stat(ref); err != nil {
		return ""
	}
	return ref
}

// generated is generate.Make, with its errors as errors in the ref.
func generated(ref string) (d *dataset.Dataset, ok bool, err error) {
	if d, ok, err = generate.Make(ref); err != nil {
		err = &RefError{Ref: ref, Err: err}
	}
	return d, ok, err
}

// read opens a set of the catalogue, which gives it its name and its metric.
func (e *Entry) read(path string) (*dataset.Dataset, error) {
	d, err := format.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.Name, err)
	}
	d.Name, d.Metric = e.Name, e.Metric
	return d, nil
}

// Load opens the files of the set. Unlike Open it never generates a set of the same name; the error is a *NotHereError
// if files are missing.
func (e *Entry) Load() (*dataset.Dataset, error) {
	path, _ := e.Locate()
	if path == "" {
		return nil, newNotHere(e)
	}
	return e.read(path)
}

// How a set of the catalogue may be changed, by what stands after its name.
const (
	splitRelations = "relations=by-type"
	edgeCounts     = "features=counts"
)

// changes reports whether values say how a set is changed.
func changes(values string) bool {
	for _, x := range strings.Split(values, ",") {
		if x != splitRelations && x != edgeCounts {
			return false
		}
	}
	return true
}

// changed returns the set with relations split by the types of their ends, or with features.
func (e *Entry) changed(values string) (*dataset.Dataset, error) {
	d, err := e.Load()
	if err != nil {
		return nil, err
	}
	name := d.Name + ":" + values
	if len(d.Relations) == 0 || d.IsLinks() {
		return nil, &RefError{name, fmt.Errorf("%s: it has no relations between nodes with classes that %s could be "+
			"about", e.Name, values)}
	}
	for _, x := range strings.Split(values, ",") {
		if x == edgeCounts {
			d = build.WithCounts(d)
		} else if d, err = build.ByType(d); err != nil {
			return nil, fmt.Errorf("%s: %w", e.Name, err)
		}
	}
	d.Name = name
	return d, nil
}

// RefError is a ref that names nothing, or a generator with values that it does not take.
type RefError struct {
	Ref string
	Err error
}

// Error proposes what was probably meant.
func (e *RefError) Error() string { return e.Err.Error() }

// Unwrap returns what is wrong with the name or its values.
func (e *RefError) Unwrap() error { return e.Err }

// noSuchRef returns the error for an unknown name.
func noSuchRef(ref string) error {
	var names []string // in lower case
	for _, e := range All() {
		for _, name := range append([]string{e.Name}, e.Aliases...) {
			names = append(names, strings.ToLower(name))
		}
	}
	for _, g := range generate.All() {
		names = append(names, g.Name)
	}
	return &RefError{ref, keys.NewUnknown("set of the catalogue, file, folder or generator", ref, names)}
}

// NotHereError is a set of the catalogue whose files are not on this machine.
type NotHereError struct {
	Name    string
	Looked  []string   // the folders that were searched
	Missing [][]string // the missing files in each of them
}

func newNotHere(e *Entry) *NotHereError {
	n := &NotHereError{Name: e.Name}
	for _, root := range dataRoots() {
		n.Looked = append(n.Looked, filepath.Join(root, filepath.FromSlash(e.Folder)))
		n.Missing = append(n.Missing, e.missing(root))
	}
	return n
}

// Error names the missing files, the folders and the command that downloads them.
func (e *NotHereError) Error() string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s is not on this machine", e.Name)
	for i, folder := range e.Looked {
		fmt.Fprintf(&text, "\n  %s has no %s", folder, few(e.Missing[i], 4))
	}
	if os.Getenv("BLOOM_DATA") == "" {
		text.WriteString("\n  BLOOM_DATA is not set")
	}
	fmt.Fprintf(&text, "\nTo download it: bloom data get %s", e.Name)
	return text.String()
}

// few joins the first n names and counts the others.
func few(names []string, n int) string {
	if len(names) <= n {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:n], ", "), len(names)-n)
}
