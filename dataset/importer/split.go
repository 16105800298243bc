package importer

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/build"
)

// Split says how an import splits labelled nodes, or links if there are no labels, for training, validation and test.
// The zero value is the default: by columns named split, or split0, split1 and so on, if the table has them, else by
// ratio: 0.6, 0.2, 0.2 of every class, or 0.8, 0.1, 0.1 of the links of a graph with relations.
type Split struct {
	None    bool       // do not split
	Ratio   [3]float64 // of train, valid, test
	Seed    uint64     // of the draw
	Columns []string   // by columns that hold train, valid and test; one split each
	Time    string     // by the order of this column: the first Ratio[0] train, and so on
	Cuts    [2]string  // with Time, instead of Ratio: the times from which rows validate, and test
}

// isZero reports whether no split was requested; a seed alone is not a request.
func (s *Split) isZero() bool {
	return !s.None && s.Ratio == [3]float64{} && s.Columns == nil && s.Time == ""
}

// ParseSplit reads what people write:
//
//	none
//	train=0.6,valid=0.2,test=0.2
//	column=fold                            or column=fold1,column=fold2
//	time=joined,train=0.6,valid=0.2,test=0.2
//	time=joined,valid=2018,test=2019       rows from 2018 on choose, from 2019 on test
func ParseSplit(text string) (Split, error) {
	var s Split
	if text == "none" {
		return Split{None: true}, nil
	}
	value := map[string]string{}
	for _, part := range strings.Split(text, ",") {
		key, v, ok := strings.Cut(part, "=")
		key = strings.TrimSpace(key)
		if !ok || v == "" || !slices.Contains([]string{"train", "valid", "test", "column", "time", "seed"}, key) {
			return s, fmt.Errorf("%q is not train=, valid=, test=, column=, time= or seed=", part)
		}
		if key == "column" {
			s.Columns = append(s.Columns, v)
			continue
		}
		if _, twice := value[key]; twice {
			return s, fmt.Errorf("%q is given twice", key)
		}
		value[key] = v
	}
	s.Time = value["time"]
	if seed, ok := value["seed"]; ok {
		var err error
		if s.Seed, err = strconv.ParseUint(seed, 10, 64); err != nil {
			return s, fmt.Errorf("seed=%s is not a number", seed)
		}
	}
	return s, s.parts(value)
}

// parts reads ratios or cuts.
func (s *Split) parts(value map[string]string) error {
	_, train := value["train"]
	_, valid := value["valid"]
	_, test := value["test"]
	switch {
	case s.Columns != nil && (train || valid || test || s.Time != ""):
		return errors.New("column= cannot be combined with other ways to split")
	case s.Columns != nil:
		return nil
	case s.Time != "" && !train:
		if !valid || !test {
			return errors.New("time= needs valid= and test=, the times at which they begin, or three ratios")
		}
		s.Cuts = [2]string{value["valid"], value["test"]}
		return nil
	case !train:
		return errors.New("train= is missing")
	}
	for i, key := range []string{"train", "valid", "test"} {
		if value[key] == "" {
			continue
		}
		var err error
		if s.Ratio[i], err = strconv.ParseFloat(value[key], 64); err != nil {
			return fmt.Errorf("%s=%s is not a number", key, value[key])
		}
	}
	return build.CheckShares(s.Ratio)
}

// splitColumn is the name of the column that says how a table was divided.
const splitColumn = "split"

// partOf returns the part that a word in a split column means: 0, 1, 2, or −1 for none.
func partOf(word string) (part int, err error) {
	switch strings.ToLower(strings.TrimSpace(word)) {
	case "train", "training":
		return 0, nil
	case "valid", "val", "validation", "dev":
		return 1, nil
	case "test", "testing":
		return 2, nil
	}
	if IsMissing(strings.TrimSpace(word)) || strings.EqualFold(word, "none") {
		return -1, nil
	}
	return -1, fmt.Errorf("%.40q is not train, valid, test or empty", word)
}

// timeKey returns a number that orders dates, or numbers, of which some are dates: 20240501.
func timeKey(c *dataset.Column, text string, dates bool) (key float64, err error) {
	text = strings.TrimSpace(text)
	x, number := parseNumber(text)
	if t, ok := Moment(c, text); ok && (dates || !number) {
		return float64(t.Unix()) + float64(t.Nanosecond())/1e9, nil
	}
	if number {
		return x, nil
	}
	return 0, fmt.Errorf("%.40q is neither a date nor a number", text)
}

// partsByTime returns the parts of rows in the order of their times, −1 if the time is missing, and the times as
// numbers, −∞ if missing.
func (s *Split) partsByTime(t *dataset.Texts) ([]int8, []float64, error) {
	keys, dates, _, err := timeKeys(t)
	if err != nil {
		return nil, nil, err
	}
	parts, order := slices.Repeat([]int8{-1}, len(keys)), []int32{}
	for i, key := range keys {
		if !math.IsInf(key, -1) {
			order = append(order, int32(i))
		}
	}
	if s.Cuts != [2]string{} {
		return parts, keys, s.cut(parts, keys, order, dates)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(keys[a], keys[b]) })
	var split dataset.Split
	build.Deal(&split, order, s.Ratio)
	for part, rows := range [][]int32{split.Train, split.Valid, split.Test} {
		for _, i := range rows {
			parts[i] = int8(part)
		}
	}
	return parts, keys, nil
}

// cutKey returns the key of a cut. Among dates a number is a year.
func cutKey(text string, dates bool) (float64, error) {
	if year, err := strconv.Atoi(strings.TrimSpace(text)); err == nil && dates && year > 0 && year < 10000 {
		return float64(time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC).Unix()), nil
	}
	return timeKey(new(dataset.Column), text, dates)
}

// cut divides the rows at two times; dates says whether these are dates.
func (s *Split) cut(parts []int8, keys []float64, rows []int32, dates bool) error {
	valid, err := cutKey(s.Cuts[0], dates)
	if err != nil {
		return err
	}
	test, err := cutKey(s.Cuts[1], dates)
	if err != nil {
		return err
	}
	if test < valid {
		return fmt.Errorf("test begins at %s, before valid at %s", s.Cuts[1], s.Cuts[0])
	}
	for _, i := range rows {
		switch {
		case keys[i] >= test:
			parts[i] = 2
		case keys[i] >= valid:
			parts[i] = 1
		default:
			parts[i] = 0
		}
	}
	return nil
}
