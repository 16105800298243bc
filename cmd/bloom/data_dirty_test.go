package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// dirtyColumn is a table of nodes whose column x has the given values in turn.
func dirtyColumn(values ...string) string {
	text := "id;x;y\n"
	for i := range 40 {
		text += fmt.Sprintf("n%d;%s;%c\n", i, values[i%len(values)], 'p'+i%3%2)
	}
	return text
}

// unusualCases are numbers and dates that few tables have.
func unusualCases() [][4]string {
	x := dirtyColumn
	return [][4]string{
		{"weeks and quarters", x("2022-W05", "2021-W53", "2022 Q3", "2021Q1")},
		{"limits", x("<0.1", "2.5", "~3", "0.7", "1.9", "4.4", "n.d.", "0.3", "1.2")},
		{"brackets of ages", x("<18", "18-25", ">65")},
		{"a score out of five", x("4/5", "1/5", "5/5", "3/5")},
		{"ratios", x("120/80", "130/85", "110/70", "125/82", "140/90")},
		{"places", x("52°30'N", "13°05'N", "7°59'S")},
		{"boxes that are ticked", x("x", "", "x", "", "")},
		{"grams and kilograms", x("1.2 kg", "800 g", "2 kg", "0,5 t", "3 kg")},
		{"units of several quantities", x("1.2 kg", "800 m", "2 kg", "5 days")},
		{"sizes of files", x("512", "1.5 KB", "2 MiB", "1 gb")},
		{"days ago", x("3 days ago", "1 week ago", "12 days ago")},
		{"codes some of which lack zeros", x("0117", "117", "0020", "20", "1500")},
		{"phones in two forms", strings.ReplaceAll(x("1", "2", "3", "5"), "\nn", "\n+491"),
			"from;to\n0049 11;+49 (1) 2\n+49-13;004914\n+4914;+4911\n"},
	}
}

// dirtyCases are tables as people have them: nodes, edges (a ring where empty) and more words of the command.
func dirtyCases() [][4]string {
	x, nodes := dirtyColumn, dirtyColumn("1", "2", "3", "5", "8", "13", "21")
	return [][4]string{
		{"money before", x("€1,234.50", "$5.20", "CHF 7.10", "12.75", "US$3.15")},
		{"money after", x("1.234,50 €", "5,20 EUR", "12,75", "3,1 EUR")},
		{"thousands by comma", x("1,234", "12,500", "100", "7,001")},
		{"thousands by point", x("1.234,5", "12.500,25", "100", "7.001,5")},
		{"thousands by space", x("1 234", "12 500", "100", "7 001 000")},
		{"thousands by apostrophe", x("1'234.5", "12’500", "100")},
		{"decimal comma", x("95,5", "75,0", "56,25", "1,234")},
		{"percent", x("7.1%", "15 %", "0.3%", "2,5%")},
		{"brackets", x("(12.50)", "7", "(1,000)", "3")},
		{"units", x("44 months", "3 months", "12", "1 month")},
		{"several units", x("2 weeks", "3 months", "1 year", "5 days")},
		{"multiples", x("1.2k", "3M", "950", "2 bn")},
		{"missing words", x("n/a", "NULL", "-", "#N/A", "7", "9", "3.5", "12")},
		{"an age of -1", x("30", "41", "-1", "25", "60", "33")},
		{"an age of 999", x("30", "41", "999", "25", "60", "33")},
		{"some that are no numbers", x("1", "2", "3", "5", "8", "13", "21", "x", "34", "55", "89")},
		{"half that are no numbers", x("1.5", "2.5", "many", "3.5", "few", "4.5", "5.5", "7.5", "lots")},
		{"a kind that it is not", x("red", "green", "7"), "", "--kind x=number"},
		{"two formats of dates", x("2022-08-21", "25/06/2022", "01/02/2022", "2 May 2023")},
		{"month first", x("08/21/2022", "06/05/2022", "12/31/2021")},
		{"compact dates", x("20220821", "20220605", "20211231")},
		{"dates without end", x("2022-08-21", "9999-12-31", "2021-01-01", "2020-02-02", "2020-02-03", "2020-02-04",
			"2020-02-05", "2020-02-06", "2020-02-07", "2020-02-08", "2020-02-09")},
		{"huge amounts", x("1e308", "-1e308", "5", "7")},
		{"spellings", x("Germany", "Germany", "Germany", "Germany", "Germany", "germany", "Germnay", "Germany",
			"Germany",
			"Germany")},
		{"spellings merged", x("Germany", "Italy", "Italy", "Germany", "germany"), "", "--merge x"},
		{"codes", x("01234", "00077", "98765")},
		{"Latin-1", x("M\xfcnchen", "K\xf6ln", "Bern")},
		{"a column that is the label", strings.ReplaceAll(x("1"), ";1;q", ";2;q")},
		{"one class", strings.ReplaceAll(x("1", "2", "3", "5"), ";q", ";p")},
		{"ids in other case", strings.ReplaceAll(nodes, "\nn", "\nN")},
		{"ids with spaces", strings.ReplaceAll(nodes, "\nn", "\n n"), "from;to\nn1 ;n2\nn3;n4\n"},
		{"ids exactly", strings.ReplaceAll(nodes, "\nn3", "\nN3"), "", "--ids exact"},
		{"ids as fractions", strings.ReplaceAll(nodes, "\nn", "\n1"), "from;to\n11.0;12.0\n13.0;14\n"},
		{"unknown ends", nodes, "from;to\nn1;n2\nn1;zz\nn2;n3\n"},
		{"no node in common", nodes, "from;to\na;b\n"},
		{"rows too long and too short", nodes + "n50;4;p;oops\nn51;4\nn52\n"},
		{"twice the same id", nodes + "n1;4;p\n"},
		{"repeats", nodes, "from;to;amount\nn1;n2;€5\nn1;n2;€7\nn2;n3;1,5\n"},
		{"a title above the header", "Sales of 2024, by Ann\n\n" + nodes},
		{"the header once more", nodes + "id;x;y\n"},
		{"a row of totals", nodes + "Total;280;\n"},
		{"a comma in the header", strings.Replace(x("1,5", "2,5", "7,25"), ";x;", ";x, in EUR;", 1)},
		{"HTML entities", x("Miller &amp; Sons", "Smith &lt;UK&gt;", "Jones")},
		{"unknown", x(strings.Fields("17 18 unknown 21 22 23 25 26 28 30 31 33 35 36 41 44 50 52 60 unknown 61")...)},
		{"leading zeros that edges lack", strings.ReplaceAll(nodes, "\nn", "\n00"), "from;to\n1;2\n003;4\n"},
		{"classes in two spellings", strings.ReplaceAll(x("1", "2", "3", "5"), ";2;q", ";2;Q")},
		{"rows that share things", x("ann", "bob", "cid", "unknown", "eve"), "", "--connect x"},
		{"a list of JSON objects", "[{\"id\": \"n1\", \"x\": {\"a\": 1, \"b\": \"u\"}, \"y\": \"p\"},\n" +
			"{\"id\": \"n2\", \"x\": {\"a\": 2}, \"y\": \"q\"}]"},
		{"a web page", "<!DOCTYPE html><html><body>Sign in</body></html>"},
		{"a file that is no table", "PK\x03\x04\x00\x00"},
		{"an empty file", ""},
	}
}

// TestDirtyValues: what is said about tables as people have them, and the exit code.
func TestDirtyValues(t *testing.T) {
	snapshots, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	around := "from;to\n"
	for i := range 40 {
		around += fmt.Sprintf("n%d;n%d\n", i, (i+1)%40)
	}
	var shown strings.Builder
	for _, c := range slices.Concat(dirtyCases(), unusualCases()) {
		edges := c[2]
		if c[2] == "" {
			edges = around
		}
		for name, text := range map[string]string{"n.csv": c[1], "e.csv": edges} {
			if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		args := append(strings.Fields("data import --nodes n.csv --edges e.csv --label y --edge-columns count,sum "+
			"--split none --force --out out.bloom"), strings.Fields(c[3])...)
		_, stderr, code := bloom(t, args...)
		fmt.Fprintf(&shown, "-- %s, exit %d\n", c[0], code)
		for line := range strings.SplitSeq(stderr, "\n") {
			word, _, _ := strings.Cut(strings.TrimSpace(line), " ")
			switch {
			case strings.HasPrefix(word, "x") || word == "size" || word == "notes" || word == "rejects" ||
				word == "bloom:" ||
				word == "warning:" || strings.HasPrefix(line, "             ") && strings.Contains(line, ": "):
				fmt.Fprintln(&shown, strings.TrimRight(line, " "))
			}
		}
	}
	t.Chdir(snapshots)
	snapshot(t, "dirty-values", shown.String())
}
