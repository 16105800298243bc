package generate

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// companyTables are the tables by name.
func companyTables(t *testing.T, values string) map[string][][]string {
	t.Helper()
	tables, err := Company(values)
	if err != nil {
		t.Fatal(err)
	}
	by := map[string][][]string{}
	for _, x := range tables {
		by[x.Name] = x.Rows
	}
	return by
}

// TestCompany: as much of everything is there as the values say, and the truth is about what the tables have.
func TestCompany(t *testing.T) {
	by := companyTables(t, "")
	given := map[string][]string{}
	frauds, twice, ragged := 0, 0, 0
	for _, row := range by["accounts"][1:] {
		switch {
		case len(row) != 11:
			ragged++
		case given[row[0]] != nil:
			twice++
		default:
			given[row[0]] = row
			if row[10] == "yes" {
				frauds++
			}
		}
	}
	if len(given) != 4000 || frauds != 140 || twice != 25 || ragged != 5 || len(by["payments"]) != 12501 {
		t.Errorf("%d accounts, %d frauds, %d twice, %d ragged, %d payments", len(given), frauds, twice, ragged,
			len(by["payments"])-1)
	}
	header, paid := by["accounts"][0], map[[2]string]bool{}
	for _, row := range by["payments"][1:] {
		paid[[2]string{row[0], row[1]}] = true
	}
	count := map[string]int{}
	for _, row := range by["truth"][1:] {
		count[row[0]]++
		if row[0] == "edge" {
			if !paid[[2]string{row[1], row[3]}] {
				t.Errorf("the payment %v is not there", row)
			}
			continue
		}
		if got := given[row[1]][slices.Index(header, row[2])]; got != row[3] || row[3] == row[4] {
			t.Errorf("%v: the table has %q", row, got)
		}
	}
	if want := map[string]int{"outlier": 80, "label": 120, "edge": 500}; !reflect.DeepEqual(count, want) {
		t.Errorf("faults %v, want %v", count, want)
	}
}

// TestCompanyRepeats: files are a function of the values, and a mistake in them is told.
func TestCompanyRepeats(t *testing.T) {
	text := func(values string) string {
		tables, err := Company(values)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		for _, x := range tables {
			if err := x.WriteCSV(&b); err != nil {
				t.Fatal(err)
			}
		}
		return b.String()
	}
	const small = "accounts=200,payments=600,seed="
	first, again, other := text(small+"3"), text(small+"3"), text(small+"4")
	if first != again || first == other {
		t.Error("the files are no function of the seed")
	}
	for values, want := range map[string]string{"acounts=3": `company: no key "acounts"; did you mean "accounts"?`,
		"fraud=2": "company: fraud=2 is not between 0 and 0.2"} {
		if _, err := Company(values); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", values, err, want)
		}
	}
}
