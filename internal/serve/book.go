package serve

import (
	"github.com/bloomgml/bloom/dataset/importer"
	"github.com/bloomgml/bloom/mat"
)

// overlay is a map that can be changed apart from the one below it, if there is one.
type overlay[K comparable, V any] struct {
	below *overlay[K, V]
	own   map[K]known[V]
}

// known is what an overlay says of a key: its value, or that it has none.
type known[V any] struct {
	value V
	there bool
}

func (o *overlay[K, V]) get(k K) (V, bool) {
	x, ok := o.own[k]
	if !ok && o.below != nil {
		return o.below.get(k)
	}
	return x.value, x.there
}

func (o *overlay[K, V]) has(k K) bool {
	_, ok := o.get(k)
	return ok
}

func (o *overlay[K, V]) set(k K, v V) { o.store(k, known[V]{v, true}) }

func (o *overlay[K, V]) drop(k K) { o.store(k, known[V]{}) }

func (o *overlay[K, V]) store(k K, x known[V]) {
	switch {
	case !x.there && o.below == nil:
		delete(o.own, k)
	case o.own == nil:
		o.own = map[K]known[V]{k: x}
	default:
		o.own[k] = x
	}
}

// over returns a map that begins as o.
func (o *overlay[K, V]) over() overlay[K, V] {
	return overlay[K, V]{below: o}
}

// exchange applies changes to o. If o has no overlay below it, changes may be told to hold the old values.
func (o *overlay[K, V]) exchange(changes *overlay[K, V], old bool) {
	for k, x := range changes.own {
		if old {
			changes.own[k] = o.own[k]
		}
		o.store(k, x)
	}
}

// book holds what is known of the nodes of a graph besides their states.
type book struct {
	named  overlay[string, int32]     // nodes that were added, by their ids
	names  overlay[int32, string]     // their ids
	hidden overlay[int32, struct{}]   // nodes that were removed
	rows   overlay[int32, []mat.Real] // features that differ from the data set, including those of new nodes
	labels overlay[int32, string]     // classes that differ from the data set
	silent overlay[int32, struct{}]   // nodes whose labels teach no more
	right  overlay[thing, struct{}]   // what was confirmed
	// of nodes whose edges were edited, where columns are made from edges: the rows of their edges, and the features
	// that were given
	told overlay[int32, []importer.EdgeRow]
	bare overlay[int32, []mat.Real]
	// values of columns of the table that edits gave, by which trees group rows
	texts overlay[int32, map[string]string]
	aged  overlay[struct{}, float64] // the days since the last time of the data, where edges decay
}

// over returns a book that begins as b, and can be changed apart from it.
func (b *book) over() book {
	return book{b.named.over(), b.names.over(), b.hidden.over(), b.rows.over(), b.labels.over(), b.silent.over(),
		b.right.over(), b.told.over(), b.bare.over(), b.texts.over(), b.aged.over()}
}

// exchange makes b what changes say, which say then what it was if old is set.
func (b *book) exchange(changes *book, old bool) {
	b.named.exchange(&changes.named, old)
	b.names.exchange(&changes.names, old)
	b.hidden.exchange(&changes.hidden, old)
	b.rows.exchange(&changes.rows, old)
	b.labels.exchange(&changes.labels, old)
	b.silent.exchange(&changes.silent, old)
	b.right.exchange(&changes.right, old)
	b.told.exchange(&changes.told, old)
	b.bare.exchange(&changes.bare, old)
	b.texts.exchange(&changes.texts, old)
	b.aged.exchange(&changes.aged, old)
}
