package relational

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/dataset/importer"
	"github.com/bloomgml/bloom/internal/codec/table"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/keys"
)

// Ask is questions about rows of one table at times, with labels where they are known.
type Ask struct {
	Entity, At, Label string        // names of columns
	Horizon           time.Duration // how long after a question its label is known
	Joined            bool          // questions of the same time are joined, see Edge
	Questions         []Question
	Notes             []string

	table  *Table
	levels []string // of labels that are classes
	number bool     // labels are numbers, however few
	last   int64    // the time of the last row, if questions are asked long after it; else 0
}

// Question is one of them. Split is train, valid, test or empty.
type Question struct {
	Entity string
	At     time.Time
	Label  string
	Split  string

	row   int32 // of the entity
	value float64
	age   int64 // of the tables that it is answered from, in seconds
}

// text returns the time of a question as tables have it.
func (q Question) text() string { return q.At.UTC().Format(time.DateTime) }

// name returns the id of the row of a question.
func (q Question) name() string { return q.Entity + "@" + q.text() }

func (a *Ask) horizon() int64 { return int64(a.Horizon / time.Second) }

// sample returns a with at most n of its questions, spread over all of them.
func (a *Ask) sample(n int) *Ask {
	if len(a.Questions) <= n {
		return a
	}
	part := *a
	part.Questions = spread(a.Questions, n)
	return &part
}

// spread returns n of the questions, at equal distances.
func spread(list []Question, n int) []Question {
	part := make([]Question, n)
	for i := range part {
		part[i] = list[i*len(list)/n]
	}
	return part
}

// AskOptions name the columns of a file of questions; what is empty is found.
type AskOptions struct {
	Entity, At, Label string
	Horizon           time.Duration
}

// ReadAsk reads questions from a table with an entity, a time and a label; a column split is obeyed.
func (db *Database) ReadAsk(file string, o AskOptions) (*Ask, error) {
	budget := files.NewBudget()
	source, err := table.Open(file, table.Options{Budget: budget})
	if err != nil {
		return nil, err
	}
	defer source.Close()
	t, err := readTable(file, source, budget)
	if err != nil {
		return nil, err
	}
	if t.Rows == 0 {
		return nil, files.Errorf(file, "there is no question")
	}
	a := &Ask{Horizon: o.Horizon}
	split := t.column("split")
	at, err := t.askTime(o.At)
	if err != nil {
		return nil, err
	}
	entity, err := db.askEntity(a, t, o.Entity, at)
	if err != nil {
		return nil, err
	}
	label, err := t.askLabel(o.Label, at, entity, split)
	if err != nil {
		return nil, err
	}
	a.Entity, a.Label = t.Columns[entity].Name, t.Columns[label].Name
	a.At = "at"
	if at >= 0 {
		a.At = t.Columns[at].Name
	}
	if err := a.fill(t, at, entity, label, split); err != nil {
		return nil, err
	}
	if err := a.finish(); err != nil {
		return nil, files.Because(file, err)
	}
	db.findAges(a)
	return a, nil
}

// wanted returns the column that the user names.
func (t *Table) wanted(name, flag string) (int, error) {
	j := t.column(name)
	if j < 0 {
		var names []string
		for _, c := range t.Columns {
			names = append(names, c.Name)
		}
		return -1, files.Errorf(t.Name, "there is no column %q for --%s; columns are %s%s", name, flag,
			strings.Join(names, ", "), keys.Suggest(name, names, ""))
	}
	return j, nil
}

// askTime finds the column of times; −1 if there is none, and questions are asked after everything.
func (t *Table) askTime(name string) (int, error) {
	if name != "" {
		return t.wanted(name, "at")
	}
	return slices.IndexFunc(t.Columns, func(c dataset.Column) bool {
		return c.Kind == dataset.Time || c.Kind == dataset.Calendar
	}), nil
}

// askEntity finds the column whose values name rows of a table, and the table.
func (db *Database) askEntity(a *Ask, t *Table, name string, at int) (int, error) {
	best, share, only := -1, 0.0, -1
	if name != "" {
		var err error
		if only, err = t.wanted(name, "entity"); err != nil {
			return -1, err
		}
	}
	for j, c := range t.Columns {
		if only >= 0 && j != only || j == at {
			continue
		}
		for _, other := range db.Tables {
			if other.Key == "" {
				continue
			}
			found, _ := t.contained(j, other)
			name := bareName(c.Name)
			called := name == "entity" || name == "id" || name == "key"
			if only < 0 && (found < leastFound || !called && namesTable(name, other, false, false) == 0 &&
				!t.tellingKeys(j)) {
				continue
			}
			if named := namesTable(name, other, false, false); named > 0 {
				found += named
			} else if called {
				found += 0.5
			}
			if found > share {
				best, share, a.table = j, found, other
			}
		}
	}
	if best < 0 || share == 0 {
		var names []string
		for _, other := range db.Tables {
			if other.Key != "" {
				names = append(names, other.Name+"."+other.Key)
			}
		}
		if only >= 0 {
			return -1, files.Errorf(t.Name, "the values of column %q name no rows of a table; keys are %s",
				t.Columns[only].Name, strings.Join(names, ", "))
		}
		return -1, files.Errorf(t.Name, "no column names rows of a table; keys are %s; name the column with --entity",
			strings.Join(names, ", "))
	}
	return best, nil
}

// askLabel finds the column of labels: named label, target, y, or the only one that is left.
func (t *Table) askLabel(name string, others ...int) (int, error) {
	if name != "" {
		return t.wanted(name, "label")
	}
	var left []int
	for j, c := range t.Columns {
		if slices.Contains(others, j) {
			continue
		}
		if slices.Contains([]string{"label", "target", "y", "answer"}, bareName(c.Name)) {
			return j, nil
		}
		left = append(left, j)
	}
	if len(left) != 1 {
		return -1, files.Errorf(t.Name, "%d columns could be the label; name it with --label", len(left))
	}
	return left[0], nil
}

// fill makes a question of every row.
func (a *Ask) fill(t *Table, at, entity, label, split int) error {
	index, err := a.table.indexBy(a.table.Key)
	if err != nil {
		return err
	}
	values, levels := t.numbers(label)
	a.levels = levels
	unknown, example, untimed := 0, "", 0
	for i := range t.Rows {
		q := Question{Entity: t.text(entity, i), At: time.Unix(never/2, 0), Label: t.text(label, i),
			row: -1, value: values[i]}
		if at >= 0 {
			moment, ok := importer.Moment(&t.Columns[at], t.text(at, i))
			if !ok {
				untimed++
				continue
			}
			q.At = moment
		}
		if split >= 0 {
			text := t.text(split, i)
			if q.Split = splitNames[strings.ToLower(text)]; q.Split == "" && text != "" {
				return files.Errorf(t.Name, "row %d: split is %q, want train, valid or test", i+1, text)
			}
		}
		if row, ok := index.find(q.Entity); ok {
			q.row = row
		} else if unknown++; unknown == 1 {
			example = q.Entity
		}
		a.Questions = append(a.Questions, q)
	}
	if untimed > 0 {
		a.Notes = append(a.Notes, fmt.Sprintf("%d questions without a time are left out", untimed))
	}
	if unknown > 0 {
		a.Notes = append(a.Notes, fmt.Sprintf("%d of %d questions are about rows that %s does not have, such as %q",
			unknown, t.Rows, a.table.Name, example))
	}
	return nil
}

// splitNames are the parts of a split as people write them.
var splitNames = map[string]string{"train": "train", "training": "train", "valid": "valid", "val": "valid",
	"validation": "valid", "dev": "valid", "test": "test", "testing": "test"}

// finish orders questions by time, finds the horizon and divides them.
func (a *Ask) finish() error {
	if len(a.Questions) == 0 {
		return errors.New("no question has a time")
	}
	slices.SortStableFunc(a.Questions, func(x, y Question) int { return x.At.Compare(y.At) })
	var times []time.Time
	for _, q := range a.Questions {
		if len(times) == 0 || !q.At.Equal(times[len(times)-1]) {
			times = append(times, q.At)
		}
	}
	if a.Horizon == 0 {
		why := ""
		if a.Horizon, why = a.usualGap(times); len(times) > 1 {
			a.Notes = append(a.Notes, fmt.Sprintf("labels count as known %s after their question, %s; --horizon "+
				"overrides this", daysText(a.Horizon), why))
		}
	}
	if slices.ContainsFunc(a.Questions, func(q Question) bool { return q.Split != "" }) {
		if err := a.validation(); err != nil {
			return err
		}
	} else if len(times) > 2 {
		a.divide(times)
	}
	a.limit()
	return nil
}

// Chosen: more questions than these teach little, and take long.
const mostTraining, mostHeld = 100_000, 50_000

// limit leaves out questions, if there are too many of a part.
func (a *Ask) limit() {
	parts := map[string][]Question{}
	for _, q := range a.Questions {
		parts[q.Split] = append(parts[q.Split], q)
	}
	kept := a.Questions[:0:0]
	for _, name := range []string{"train", "", "valid", "test"} {
		most := mostHeld
		if name == "train" || len(parts) == 1 {
			most = mostTraining
		}
		list := parts[name]
		if len(list) > most {
			a.Notes = append(a.Notes, fmt.Sprintf("of %d questions (%s) every %.2gth is used", len(list),
				cmp.Or(name, "not divided"), float64(len(list))/float64(most)))
			list = spread(list, most)
		}
		kept = append(kept, list...)
	}
	slices.SortStableFunc(kept, func(x, y Question) int { return x.At.Compare(y.At) })
	a.Questions = kept
}

// usualGap returns a usual time between questions, a day at least: one of the shorter ones (of months, 28 days); where
// questions come at any time, that between those about the same entity.
func (a *Ask) usualGap(times []time.Time) (gap time.Duration, why string) {
	var gaps, same []time.Duration
	for i := 1; i < len(times); i++ {
		gaps = append(gaps, times[i].Sub(times[i-1]))
	}
	slices.Sort(gaps)
	if n := len(gaps); n == 0 {
		return 30 * day * time.Second, ""
	} else if gaps[n/2] < 3*gaps[n/10] {
		return max(gaps[n/10], day*time.Second), "the usual time between questions"
	}
	last := map[int32]time.Time{}
	for _, q := range a.Questions { // in the order of time
		if before, again := last[q.row]; again && q.row >= 0 && q.At.After(before) {
			same = append(same, q.At.Sub(before))
		}
		last[q.row] = q.At
	}
	if len(same) < leastValues {
		return 30 * day * time.Second, "a guess, as questions come at any time"
	}
	slices.Sort(same)
	return max(same[len(same)/2], day*time.Second), "half of the times between questions about the same " +
		singular(a.table.Name)
}

// validation takes the last training questions to validate on, if a given split has none.
func (a *Ask) validation() error {
	var train []*Question
	for i := range a.Questions {
		switch q := &a.Questions[i]; q.Split {
		case "train":
			train = append(train, q)
		case "valid":
			return nil
		}
	}
	if len(train) == 0 {
		return errors.New("no question is for training, by the column split")
	}
	from := train[int(float64(len(train))*(1-heldShare))].At
	for i, q := range train {
		if from.After(train[0].At) && !q.At.Before(from) || !from.After(train[0].At) && i%7 == 6 {
			q.Split = "valid"
		}
	}
	a.Notes = append(a.Notes, fmt.Sprintf("no question is for validation, by the column split: of those for training, "+
		"those from %s on are taken", from.Format(time.DateOnly)))
	return nil
}

func daysText(d time.Duration) string { return fmt.Sprintf("%.4g days", d.Hours()/24) }

// Chosen: the last 15 % of the questions are for testing and the 15 % before them for validation, by whole times. A
// training question is left out if its label is known only after validation begins, and so on.
const heldShare = 0.15

// divide divides questions by time.
func (a *Ask) divide(times []time.Time) {
	n := len(a.Questions)
	cut := func(share float64) time.Time {
		at := a.Questions[min(n-1, int(float64(n)*(1-share)))].At
		if !at.After(times[0]) {
			at = times[1]
		}
		return at
	}
	test := cut(heldShare)
	valid := cut(2 * heldShare)
	if !valid.Before(test) {
		k, _ := slices.BinarySearchFunc(times, test, time.Time.Compare)
		valid = times[max(1, k-1)]
	}
	for i := range a.Questions {
		q := &a.Questions[i]
		known := q.At.Add(a.Horizon)
		switch {
		case !q.At.Before(test):
			q.Split = "test"
		case !q.At.Before(valid) && !known.After(test):
			q.Split = "valid"
		case q.At.Before(valid) && !known.After(valid):
			q.Split = "train"
		}
	}
	for _, name := range []string{"train", "valid"} {
		if !slices.ContainsFunc(a.Questions, func(q Question) bool { return q.Split == name }) {
			a.overlap(name, valid, test)
		}
	}
	a.Notes = append(a.Notes, fmt.Sprintf("questions before %s are trained on, those from %s on are tested",
		valid.Format(time.DateOnly), test.Format(time.DateOnly)))
}

// overlap takes questions for a part even if their labels are known only after the next part begins.
func (a *Ask) overlap(name string, valid, test time.Time) {
	for i := range a.Questions {
		q := &a.Questions[i]
		if early := q.At.Before(valid); q.Split == "" && q.At.Before(test) && early == (name == "train") {
			q.Split = name
		}
	}
	a.Notes = append(a.Notes, fmt.Sprintf("labels of the questions for %s are known only after the next part begins: "+
		"the horizon of %s is longer than the time between questions", name, daysText(a.Horizon)))
}
