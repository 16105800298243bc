package importer

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/codec/table"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/keys"
)

// Facts reads new facts about d from the one table spec.Edges: text with head ⇥ relation ⇥ tail on each line. Of spec
// it also uses Rejects, Strict and Force. Lines that are not facts, and facts of a relation that d does not have, are
// rejected like rows in Run; it is an error if no fact is usable.
func Facts(d *dataset.Dataset, spec Spec) ([]dataset.Fact, *Report, error) {
	if len(spec.Edges) != 1 {
		return nil, nil, fmt.Errorf("%d files of facts, want one", len(spec.Edges))
	}
	im := &importer{spec: spec, reject: newRejects(&spec), budget: files.NewBudget()}
	defer files.RelaxCollector()
	facts, err := im.facts(d, spec.Edges[0].Table)
	return facts, &im.report, im.end(err, nil)
}

func (im *importer) facts(d *dataset.Dataset, file string) (list []dataset.Fact, err error) {
	lines := 0
	err = files.Scan(file, im.budget, func(line int, text []byte) error {
		if len(text) == 0 {
			return nil
		}
		lines++
		fact, reason, kind := newFact(d, text)
		if reason != "" {
			return im.reject.line(file, file, line, reason, kind, string(text))
		}
		list, err = files.Append(im.budget, list, "new facts", fact)
		return err
	})
	if err == nil && len(list) == 0 {
		err = files.Errorf(file, "none of %d lines can be used; %s", lines, im.reject.firstOf[file])
	}
	return list, err
}

// newFact returns the fact of a line, or the reason why the line is not a fact, and that reason without values.
func newFact(d *dataset.Dataset, text []byte) (f dataset.Fact, reason, kind string) {
	fields := bytes.Split(text, []byte{'\t'})
	if len(fields) != 3 {
		return f, fmt.Sprintf("%d columns, want head ⇥ relation ⇥ tail", len(fields)), table.OtherLength
	}
	f = dataset.Fact{Head: string(fields[0]), Relation: string(fields[1]), Tail: string(fields[2])}
	known := slices.Contains(d.Relations, f.Relation)
	switch {
	case f.Head == "" || f.Tail == "":
		return f, "a name is empty", "a name is empty"
	case !known && len(d.Relations) > 0:
		return f, fmt.Sprintf("the relation %q is not known%s", f.Relation,
			keys.Suggest(f.Relation, d.Relations, "")), "the relation is not known"
	}
	return f, "", ""
}
