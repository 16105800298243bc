package importer

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bloomgml/bloom/dataset"
)

// TestReadNumber: numbers as people write them, with a decimal point and a decimal comma where the text leaves it open.
func TestReadNumber(t *testing.T) {
	none := math.NaN()
	for text, want := range map[string][2]float64{
		"€1.2m": {1.2e6, 1.2e6}, "12k€": {12e3, 12e3}, "3 TEUR": {3e3, 3e3}, "1.2 million": {1.2e6, 1.2e6},
		"1.2 m": {1.2, 1.2}, "12 kEUR": {12e3, 12e3},
		"ca. 5": {5, 5}, "10+": {10, 10}, "5*": {5, 5}, "C++": {none, none},
		"12": {12, 12}, "-1.5e3": {-1500, -1500}, "1.234": {1.234, 1234}, "0.234": {0.234, 0.234}, "12.50": {12.5,
			12.5},
		"-1.234": {-1.234, -1234}, "1,234": {1234, 1.234}, "1,23": {1.23, 1.23}, "0,5": {0.5, 0.5}, "95,5": {95.5,
			95.5},
		"1,234.50": {1234.5, 1234.5}, "1.234,50": {1234.5, 1234.5}, "1,234,567": {1234567, 1234567},
		"1.234.567": {1234567, 1234567}, "12,34,567.5": {1234567.5, 1234567.5}, "1 234 567,8": {1234567.8, 1234567.8},
		"1\u00a0234": {1234, 1234}, "1'234.5": {1234.5, 1234.5}, "1’234": {1234, 1234},
		"€1,234.50": {1234.5, 1234.5}, "$ 5": {5, 5}, "US$5": {5, 5}, "-$5": {-5, -5}, "$-5": {-5, -5}, "5 €": {5, 5},
		"1.895,01 EUR": {1895.01, 1895.01}, "CHF 12.50": {12.5, 12.5}, "eur 3": {3, 3}, "Rs. 100": {100, 100},
		"(1,234.50)": {-1234.5, -1234.5}, "($5)": {-5, -5}, "12-": {-12, -12}, "−3": {-3, -3}, "+4": {4, 4},
		"7.1%": {0.071, 0.071}, "7,1 %": {0.071, 0.071}, "1.2k": {1200, 1200}, "$3M": {3e6, 3e6}, "2 bn": {2e9, 2e9},
		"1e308": {1e308, 1e308}, "<0.1": {0.1, 0.1}, ">= 5 %": {0.05, 0.05}, "~1,5": {1.5, 1.5}, "4/5": {4, 4},
		"52°30'N": {52.5, 52.5}, "13° 24′ 36″ W": {-13.41, -13.41}, "20°": {20, 20}, "52°30'Q": {none}, "<": {none},
		"": {none}, "abc": {none}, "1,2,3": {none}, "1.2.3": {none}, "12,34": {12.34, 12.34}, "1 2": {none},
		"10:30": {630, 630}, "1:02:03": {3723, 3723}, "1h 20m": {4800, 4800}, "2m5s": {125, 125},
		"1 h 20 min": {4800, 4800}, "1 day 2 hours": {93600, 93600}, "1.5 KB": {1500, 1500},
		"2 MiB": {2 << 20, 2 << 20}, "10:3": {none},
		"10:75": {none}, "1:2:3:4": {none}, "2024-05-01": {none},
		"01.02.2024": {none}, "1e999": {none}, "Inf": {none}, "0x10": {none},
		"+": {none}, "e5": {none}, "(5": {none}, "flat 12": {none}, "12 Main Street 4": {none}, "1,,2": {none},
	} {
		n, ok := readNumber(text)
		if ok != !math.IsNaN(want[0]) || ok && (math.Abs(n.x-want[0]) > 1e-9*math.Abs(want[0]) ||
			math.Abs(n.comma-want[1]) > 1e-9*math.Abs(want[1])) {
			t.Errorf("%q is %+v, %v; want %v", text, n, ok, want)
		}
	}
	for text, unit := range map[string]string{"44 months": "month", "12kg": "kg", "5 km/h": "km/h", "20 °C": "°c",
		"3 EUR": "", "12A": "a", "4/5": "/5", "4°30'": "°", "3 days ago": "day", "2 years old": "year",
		"3 Tage": "tag", "2 Std.": "std", "5 gb": "byte"} {
		if n, ok := readNumber(text); !ok || n.unit != unit {
			t.Errorf("%q has the unit %q, %v; want %q", text, n.unit, ok, unit)
		}
	}
}

// TestReadDate: dates as people write them, with the day and with the month first where the text leaves it open.
func TestReadDate(t *testing.T) {
	day := func(month time.Month, day, hour int) time.Time {
		return time.Date(2024, month, day, hour, 0, 0, 0, time.UTC)
	}
	may := day(5, 1, 0)
	for text, want := range map[string][2]time.Time{
		"2024-05-01": {may, may}, "2024/05/01": {may, may}, "2024.05.01": {may, may}, "2024-05": {may, may},
		"1.5.2024": {may, may}, "01.05.24": {may, may}, "20240501": {may, may}, "1 May 2024": {may, may},
		"1. Mai 2024": {may, may}, "1 mayo 2024": {may, may}, "gear 2024": {},
		"May 1, 2024": {may, may}, "01-May-24": {may, may}, "Wed, 1 May 2024": {may, may}, "May-24": {may, may},
		"05/2024": {may, may}, "1. 5. 2024": {may, may}, "1st of May 2024": {may, may}, "1 de maio de 2024": {may, may},
		"2024-May-01": {may, may}, "KW 18 2024": {may.AddDate(0, 0, -2), may.AddDate(0, 0, -2)},
		"20240501T000000": {may, may}, "Wed May 1 00:00:00 2024": {may, may}, "2024-05-01 02:00 CEST": {may, may},
		"Q2/2024": {may.AddDate(0, -1, 0), may.AddDate(0, -1, 0)}, "2024-05-01 02:00 UTC+2": {may, may},
		"May 2024":   {may, may},
		"01/05/2024": {may, day(1, 5, 0)}, "25/06/2024": {day(6, 25, 0), day(6, 25, 0)}, "06/25/2024": {day(6, 25, 0),
			day(6, 25, 0)},
		"2024-05-01T15:00:00Z": {day(5, 1, 15), day(5, 1, 15)}, "2024-05-01 15:00": {day(5, 1, 15), day(5, 1, 15)},
		"2024-05-01 15:00:00.000+02:00": {day(5, 1, 13), day(5, 1, 13)}, "1.5.2024 3:00 PM": {day(5, 1, 15), day(5, 1,
			15)},
		"2024-05-01 15:00:00+02": {day(5, 1, 13), day(5, 1, 13)}, "May 1, 2024 15:00": {day(5, 1, 15), day(5, 1, 15)},
		"2024-13-01": {}, "31.02.2024": {}, "soon": {}, "2024": {}, "1/2": {}, "2024-05-01 25:00": {}, "12:30:00": {},
		"192.168.1.1": {}, "1-2-3": {},
	} {
		w, ok := readDate(text)
		if ok == want[0].IsZero() || ok && (!w.t.Equal(want[0]) || !w.month.Equal(want[1])) {
			t.Errorf("%q is %v, %v, %v; want %v", text, w.t, w.month, ok, want)
		}
	}
}

// TestEpoch: seconds and milliseconds since 1970 are times by their name, or where they lie within ten years.
func TestEpoch(t *testing.T) {
	values := func(unit, step int, end string) (list []string) {
		for i := range 100 {
			list = append(list, fmt.Sprint((1700000000+i*i*step)*unit)+end)
		}
		return list
	}
	for _, c := range []struct {
		values []string
		kind   string
	}{
		{values(1, 1000, ""), dataset.Time}, {values(1000, 1000, ""), dataset.Time},
		{values(1, 1000, ".0"), dataset.Time}, {values(1, 1000, ".25"), dataset.Time},
		{values(1, 40000, ""), dataset.Number}, // phones, and what else has ten digits
	} {
		if got := column(t, "", c.values...); got.Kind != c.kind {
			t.Errorf("%s is a %s, %s; want %s", c.values[9], got.Kind, got.Why, c.kind)
		}
	}
}

// TestColumnDecides: what one value leaves open is decided by the others of its column.
func TestColumnDecides(t *testing.T) {
	repeat := func(n int, values ...string) []string { return slices.Repeat(values, n) }
	for _, x := range []struct {
		name   string
		values []string
		text   string
		want   float64 // before scaling
	}{
		{"decimal commas", repeat(5, "1,5", "2,25", "1,234"), "1,234", 1.234},
		{"decimal points", repeat(5, "1.5", "2,225.5", "1,234"), "1,234", 1234},
		{"thousands alone", repeat(5, "1,500", "2,225"), "1,234", 1234},
		{"thousands by point", repeat(5, "1.500,10", "2.225,20"), "1.234", 1234},
		{"months", repeat(5, "44 months", "3 months", "12"), "7 months", 7},
	} {
		c := column(t, "", x.values...)
		if got, ok := Number(&c, x.text); c.Kind != dataset.Number || !ok || got != x.want {
			t.Errorf("%s: %s, %q is %v, %v; want %v", x.name, c.Kind, x.text, got, ok, x.want)
		}
	}
	if c := column(t, "", repeat(9, "2 weeks", "3 kg", "1 km")...); c.Kind == dataset.Number {
		t.Errorf("different units are numbers: %s", c.Why)
	}
	c := column(t, "", "01/02/2022", "03/04/2022", "12/25/2021", "2022-08-21", "1 May 2022")
	if got, ok := Moment(&c, "01/02/2022"); c.Kind != dataset.Time || !c.MonthFirst || !ok || got.Month() != 1 {
		t.Errorf("month first: %+v, %v", c, got)
	}
}

// TestAbsent: numbers that cannot be count as missing, unless the user says that they are numbers, and are named; dates
// without end do too.
func TestAbsent(t *testing.T) {
	ages := strings.Fields("30 41 -1 25 -1 60 33 18 999 999 47")
	c := column(t, "", ages...)
	if !slices.Equal(c.Absent, []float64{-1, 999}) || c.Missing != 4 || !strings.Contains(c.Why, "-1, in ") {
		t.Errorf("%+v", c)
	}
	if c := column(t, dataset.Number, ages...); c.Absent != nil || c.Missing != 0 {
		t.Errorf("said to be numbers: %+v", c)
	}
	if c := column(t, "", strings.Fields("-1 0 1 1 -1 0 2")...); c.Absent != nil {
		t.Errorf("numbers around 0: %+v", c)
	}
	c = column(t, "", append(dates(20), "9999-12-31")...)
	if c.Kind != dataset.Time || c.Missing != 1 || !strings.Contains(c.Why, "mean no end") {
		t.Errorf("%+v", c)
	}
}

// TestHeavyTails: numbers of which a few are very large are taken by their logarithm, and their features are told in
// the unit of the table.
func TestHeavyTails(t *testing.T) {
	var values []string
	for i := range 100 {
		values = append(values, fmt.Sprint(math.Exp(float64(i)/5)))
	}
	c := column(t, "", values...)
	row, _ := encodedBy(c, "1000")
	if f := c.Features()[0]; !c.Log || math.Abs(f.Value(float64(row[0]))-1000) > 0.1 ||
		math.Abs(f.Scaled(1000)-float64(row[0])) > 1e-5 {
		t.Errorf("%+v, 1000 is %v", c, row)
	}
	if c := column(t, "", "1e308", "-1e308", "5", "7"); c.Kind != dataset.Number || !isFinite(c.SD) {
		t.Errorf("huge numbers: %+v", c)
	}
}

// TestSpellings: levels that differ little are proposed as one, and are one where that is asked for; rare levels are
// grouped.
func TestSpellings(t *testing.T) {
	values := slices.Concat(slices.Repeat([]string{"Germany"}, 30), slices.Repeat([]string{"France"}, 30),
		strings.Fields("germany Germnay GERMANY Frnace Francee"))
	c := column(t, "", values...)
	if len(c.Levels) != 7 || !strings.Contains(c.Why, "--merge c") {
		t.Errorf("%+v", c)
	}
	c, err := fitColumn(rawOf(values), wish{merge: true})
	if err != nil || !slices.Equal(c.Levels, []string{"France", "Germany"}) || c.Same["Germnay"] != "Germany" {
		t.Errorf("merged: %+v, %v", c, err)
	}
	yes := column(t, "", slices.Repeat(strings.Fields("yes no Y N YES no yes"), 5)...)
	if !slices.Equal(yes.Levels, []string{"no", "yes"}) || yes.Same["Y"] != "yes" || yes.Same["N"] != "no" {
		t.Errorf("yes and no: %+v", yes)
	}
	if row, o := encodedBy(c, "GERMANY"); o != taken || row[1] != 1 {
		t.Errorf("GERMANY is %v", row)
	}
	if c := column(t, "", slices.Repeat(strings.Fields("2018 2019 a1 a2 male female"), 10)...); strings.Contains(c.Why,
		"merge") {
		t.Errorf("proposed: %s", c.Why)
	}
	values = nil
	for i := range 3000 {
		values = append(values, fmt.Sprint("city ", i%100))
	}
	c = column(t, "", values...)
	row, o := encodedBy(c, "city 99")
	if c.Kind != dataset.Category || len(c.Levels) != maxLevels || o != unlisted || row[maxLevels-1] != 1 {
		t.Errorf("%d levels, %s; the last is %v", len(c.Levels), c.Why, row)
	}
}

// TestMostUnread: a kind that most values are not is refused with examples.
func TestMostUnread(t *testing.T) {
	for kind, want := range map[string]string{
		dataset.Number: `1 of 4 values are numbers; not: "a", "b", "c"`,
		dataset.Time:   `0`,
	} {
		_, err := fitColumn(rawOf([]string{"a", "b", "c", "7"}), wish{kind: kind})
		if err == nil || kind == dataset.Number && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", kind, err, want)
		}
	}
}

// TestFoldIDs: case and spaces of ids do not count where edges find more nodes so, and newcomers find theirs by the
// same; not where the user or many nodes say that case counts.
func TestFoldIDs(t *testing.T) {
	nodes := "id,x,y\nAB,1,p\n cd ,2,q\nef,3,p\nEF,4,q\n7.0,5,p\n"
	for i := range 30 {
		nodes += fmt.Sprintf("n%d,%d,p\n", i, i%7)
	}
	dir := tables(t, map[string]string{"nodes.csv": nodes, "edges.csv": "source,target\nab,CD\nef,7\nn1,n2\nn1,zz\n",
		"new.csv": "id,x,y\nNEW,1,p\nAb,1,p\n", "newedges.csv": "source,target\nnew,CD\n"})
	at := func(name string) []Input { return []Input{{Table: filepath.Join(dir, name)}} }
	spec := Spec{Nodes: at("nodes.csv"), Edges: at("edges.csv"), Label: "y", Split: Split{None: true}}
	d, report, err := Run(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	if d.Graph.NumNodes() != 34 || d.Graph.NumEdges() != 3 || d.IDs.At(0) != "AB" || d.IDs.At(1) != "cd" ||
		report.Rejected != 2 || !strings.Contains(strings.Join(d.Notes, "\n"),
		"3 more ends of edges find their nodes, and 1 rows") {
		t.Errorf("%d nodes, %d edges, %+v, %q", d.Graph.NumNodes(), d.Graph.NumEdges(), report, d.Notes)
	}
	n, late, err := Newcomers(t.Context(), d, Spec{Nodes: at("new.csv"), Edges: at("newedges.csv")})
	if err != nil || len(n.IDs) != 1 || len(n.Edges) != 1 || n.Edges[0].V != 1 || late.Rejected != 1 {
		t.Errorf("newcomers %+v, %+v, %v", n, late, err)
	}
	spec.ExactIDs = true
	if d, _, err = Run(t.Context(), spec); err != nil || d.Graph.NumNodes() != 35 || d.Graph.NumEdges() != 1 {
		t.Errorf("exactly: %v, %v", d, err)
	}
	cased := tables(t, map[string]string{"nodes.csv": "id\nab\nAB\naB\ncd\n",
		"edges.csv": "source,target\nab,AB\nCD,ab\n"})
	spec = Spec{Nodes: []Input{{Table: filepath.Join(cased, "nodes.csv")}},
		Edges: []Input{{Table: filepath.Join(cased, "edges.csv")}}}
	if d, _, err = Run(t.Context(), spec); err != nil || d.Graph.NumNodes() != 4 || d.Graph.NumEdges() != 1 {
		t.Errorf("where case counts: %v, %v", d, err)
	}
}

// TestSheetDates: whole days since 1900 in a column that is called a date are times.
func TestSheetDates(t *testing.T) {
	raw := rawOf([]string{"45304", "45305", "45400.5", "", "45000"})
	for name, kind := range map[string]string{"admission date": dataset.Time, "salary": dataset.Number} {
		raw.Name = name
		c, err := fitColumn(raw, wish{})
		if err != nil || c.Kind != kind {
			t.Fatalf("%s: %+v, %v", name, c, err)
		}
		at, ok := Moment(&c, "45304.25")
		if want := "2024-01-13T06:00:00Z"; kind == dataset.Time && (!ok || at.Format(time.RFC3339) != want) {
			t.Errorf("%v, want %s", at, want)
		}
	}
}
