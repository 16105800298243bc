// Package part is how the parts of a model announce themselves: penalties, terms, constraints, algorithms, criteria. A
// part is an entry of the table of its kind,
//
//	var Criteria = part.Kind[Criterion]{Name: "criterion", Parts: []part.Part[Criterion]{
//		{Name: "cross_entropy", Text: "the mean of −log p of the right class", New: CrossEntropy},
//		{Name: "focal", Text: "cross-entropy that ignores what is right", New: Focal{Gamma: 2}},
//	}}
//
// and the fields of its struct with the tag key are its keys. Files, help, schemas, the documentation and the
// conformance suites follow from the tables.
package part

import "reflect"

// Part is an entry of a table.
type Part[T any] struct {
	Name string // in files
	Text string // one line for people
	New  T      // the part if a file gives no keys, and an example of the keys that it must give
	// Make turns keys that were read into New into the part; nil means New itself.
	Make func(T) T
}

// Kind is a table: all parts of one kind, in the order of help.
type Kind[T any] struct {
	Name  string // as in "unknown penalty"
	Key   string // the key whose value is the name of the part; empty if the name itself is a key, as in {ball: 2}
	Doc   string // what the kind is, for people
	Parts []Part[T]
	Nil   T // what nil means if it is not an entry
}

// Table is a Kind whose type is known at run time.
type Table struct {
	Kind[any]
	Type reflect.Type
}

// Table returns k for code that reads and writes parts of all kinds.
func (k Kind[T]) Table() Table {
	to := Table{Kind[any]{Name: k.Name, Key: k.Key, Doc: k.Doc, Nil: k.Nil}, reflect.TypeFor[T]()}
	for _, p := range k.Parts {
		q := Part[any]{Name: p.Name, Text: p.Text, New: p.New}
		if p.Make != nil {
			q.Make = func(v any) any { return p.Make(v.(T)) }
		}
		to.Parts = append(to.Parts, q)
	}
	return to
}

// Add adds a custom part to the table. It must be called before the first config is read: files can then name the
// part, and runs trained with it are opened, served and shown like any other.
func (k *Kind[T]) Add(p Part[T]) { k.Parts = append(k.Parts, p) }

// Names returns the names of the parts.
func (k Kind[T]) Names() []string {
	var names []string
	for _, p := range k.Parts {
		names = append(names, p.Name)
	}
	return names
}
