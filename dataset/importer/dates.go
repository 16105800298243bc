package importer

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bloomgml/bloom/dataset"
)

type written struct {
	t     time.Time // with the day before the month if the text does not say
	month time.Time // the same with the month first
	order byte      // 'd' or 'm': what comes first by the text; 0 if it does not say, 'y' if there is no doubt
}

// Moment reads a date of column c.
func Moment(c *dataset.Column, text string) (time.Time, bool) {
	if c.Unit == sheetDays {
		days, err := strconv.ParseFloat(text, 64)
		return sheetEpoch.Add(time.Duration(days * day * float64(time.Second))), err == nil && maySheetDay(days)
	}
	w, ok := readDate(text)
	if c.MonthFirst {
		w.t = w.month
	}
	return w.t, ok && w.t.Year() > 1 && w.t.Year() < endlessYear
}

// sheetDays is the unit of dates that a spreadsheet wrote as numbers: 45304 is 13 January 2024.
const sheetDays = "days since 1899-12-30"

var sheetEpoch = time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)

// maySheetDay reports whether a number may be a date of a spreadsheet, from 1954 to 2064.
func maySheetDay(days float64) bool { return days >= 20000 && days <= 60000 }

// endlessYear is the year from which dates mean that there is no end, such as 9999-12-31.
const endlessYear = 9000

func readDate(text string) (w written, ok bool) {
	if len(text) < 6 || len(text) > 40 {
		return w, false
	}
	if text[0] < '0' || text[0] > '9' {
		if w, ok := yearLast(text); ok {
			return w, true
		}
		return namedMonth(text)
	}
	text = closed(text)
	a, rest := digits(text)
	if rest == "" || len(a) > 4 {
		return compactDate(text)
	}
	if w, ok := partOfYear(a, rest); ok {
		return w, true
	}
	mark := rest[0]
	b, rest := digits(rest[1:])
	if mark != '-' && mark != '/' && mark != '.' || b == "" {
		return namedMonth(text)
	}
	if len(a) == 4 && rest == "" && mark != '.' {
		return w.set(a, b, "1", "", 'y')
	}
	if len(b) == 4 && rest == "" && mark == '/' && (b[:2] == "19" || b[:2] == "20") { // 03/2024
		return w.set(b, a, "1", "", 'y')
	}
	if rest == "" || rest[0] != mark {
		return w, false
	}
	c, clock := digits(rest[1:])
	switch {
	case len(a) == 4:
		return w.set(a, b, c, clock, 'y')
	case len(c) == 2:
		c = century(c)
	case len(c) != 4:
		return w, false
	}
	order := byte(0)
	switch {
	case mark == '.' || number(a) > 12:
		order = 'd'
	case number(b) > 12:
		order = 'm'
	case a == b:
		order = 'y'
	}
	if order == 'm' {
		return w.set(c, a, b, clock, 'm')
	}
	if w, ok = w.set(c, b, a, clock, order); ok && order == 0 {
		var other written
		other, ok = other.set(c, a, b, clock, 0)
		w.month = other.t
	}
	return w, ok
}

// partOfYear reads the weeks and quarters of a year, 2024-W05 and 2024 Q3, as their first day.
func partOfYear(year, text string) (w written, ok bool) {
	text = strings.TrimLeft(text, "- ")
	if len(year) != 4 || len(text) < 2 || len(text) > 3 {
		return w, false
	}
	y, k := number(year), number(text[1:])
	switch {
	case text[0] == 'Q' && k >= 1 && k <= 4:
		w.t = time.Date(y, time.Month(3*k-2), 1, 0, 0, 0, 0, time.UTC)
	case text[0] == 'W' && k >= 1 && k <= 53:
		fourth := time.Date(y, 1, 4, 0, 0, 0, 0, time.UTC) // which is in the first week
		w.t = fourth.AddDate(0, 0, 7*(k-1)-(int(fourth.Weekday())+6)%7)
	default:
		return w, false
	}
	w.month, w.order = w.t, 'y'
	return w, true
}

// closed returns 1. 3. 2024 without spaces.
func closed(text string) string {
	if strings.Contains(text, ". ") && strings.Trim(text, "0123456789. ") == "" {
		return strings.TrimRight(strings.ReplaceAll(text, ". ", "."), ".")
	}
	return text
}

// yearLast reads Q1 2024, Q1/2024 and KW 5 2024.
func yearLast(text string) (w written, ok bool) {
	at := strings.LastIndexAny(text, " /-")
	if at < 0 {
		return w, false
	}
	part := strings.ReplaceAll(text[:at], " ", "")
	if week, found := strings.CutPrefix(part, "KW"); found {
		part = "W" + week
	}
	if year := text[at+1:]; len(part) > 1 && plainDigits(part[1:]) && plainDigits(year) {
		return partOfYear(year, part)
	}
	return w, false
}

// century completes a year of two digits: years up to 68 are in this century, as in strptime.
func century(year string) string {
	if year < "69" {
		return "20" + year
	}
	return "19" + year
}

// digits cuts leading digits off text.
func digits(text string) (number, rest string) {
	n := 0
	for n < len(text) && text[n] >= '0' && text[n] <= '9' {
		n++
	}
	return text[:n], text[n:]
}

// number returns the value of at most four digits, −1 for anything else.
func number(digits string) int {
	if len(digits) == 0 || len(digits) > 4 {
		return -1
	}
	n, err := strconv.Atoi(digits)
	if err != nil {
		return -1
	}
	return n
}

// set assembles the parts of a date.
func (w written) set(year, month, day, clock string, order byte) (written, bool) {
	y, m, d := number(year), number(month), number(day)
	if y < 0 || m < 1 || m > 12 || d < 1 || len(month) > 2 || len(day) > 2 {
		return w, false
	}
	offset, ok := readClock(clock)
	t := time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC)
	if !ok || t.Day() != d {
		return w, false
	}
	w.t, w.order = t.Add(offset), order
	w.month = w.t
	return w, true
}

// compactDate reads 20240501, and the seconds or milliseconds since 1970 of this century up to 2033, which columns of
// such numbers are; see columnProfile.guess.
func compactDate(text string) (w written, ok bool) {
	if t, ok := epochTime(text); ok {
		return written{t, t, 'y'}, true
	}
	if len(text) == 15 && (text[8] == 'T' || text[8] == ' ') && plainDigits(text[9:]) && plainDigits(text[:8]) {
		return w.set(text[:4], text[4:6], text[6:8], text[9:11]+":"+text[11:13]+":"+text[13:], 'y')
	}
	if len(text) != 8 || text[:2] != "19" && text[:2] != "20" {
		return w, false
	}
	if !plainDigits(text) {
		return w, false
	}
	return w.set(text[:4], text[4:6], text[6:], "", 'y')
}

// epochTime reads 1600000000 and 1600000000000, also with a fraction.
func epochTime(text string) (t time.Time, ok bool) {
	if at := strings.IndexByte(text, '.'); at >= 10 {
		if !plainDigits(text[at+1:]) {
			return t, false
		}
		text = text[:at]
	}
	if len(text) != 10 && len(text) != 13 || text[0] != '1' || !plainDigits(text) {
		return t, false
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if len(text) == 13 {
		return time.UnixMilli(n).UTC(), err == nil
	}
	return time.Unix(n, 0).UTC(), err == nil
}

func plainDigits(text string) bool {
	_, rest := digits(text)
	return rest == ""
}

// namesTime reports whether the name of a column says that it holds times.
func namesTime(name string) bool {
	name = strings.ToLower(name)
	parts := []string{"time", "date", "stamp", "epoch", "zeit", "datum"}
	if slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(name, part) }) {
		return true
	}
	for _, end := range []string{"at", "ts", "on", "when", "created", "updated", "t"} {
		if before, found := strings.CutSuffix(name, end); found && (before == "" || strings.HasSuffix(before, "_") ||
			strings.HasSuffix(before, ".")) {
			return true
		}
	}
	return false
}

// readClock reads what follows a date: nothing, or a time such as T15:04:05.999Z, " 3:04 PM", " 15:04 +02:00". It
// returns the time since midnight in UTC.
func readClock(text string) (offset time.Duration, ok bool) {
	if text = strings.TrimSpace(strings.TrimPrefix(text, "T")); text == "" {
		return 0, true
	}
	text = strings.TrimPrefix(text, ", ")
	h, rest := digits(text)
	if len(h) < 1 || len(h) > 2 || rest == "" || rest[0] != ':' {
		return 0, false
	}
	m, rest := digits(rest[1:])
	s := "0"
	if strings.HasPrefix(rest, ":") {
		s, rest = digits(rest[1:])
	}
	fraction := 0.0
	if strings.HasPrefix(rest, ".") || strings.HasPrefix(rest, ",") {
		f, after := digits(rest[1:])
		x, err := strconv.ParseFloat("0."+f, 64)
		if err != nil {
			return 0, false
		}
		fraction, rest = x, after
	}
	hour, minute, second := number(h), number(m), number(s)
	rest = strings.TrimSpace(rest)
	if half := strings.ToUpper(rest); half == "AM" || half == "PM" {
		if hour < 1 || hour > 12 {
			return 0, false
		}
		if hour %= 12; half == "PM" {
			hour += 12
		}
		rest = ""
	}
	if hour < 0 || hour > 24 || minute < 0 || minute > 59 || second < 0 || second > 60 {
		return 0, false
	}
	zone, ok := readZone(rest)
	offset = time.Duration(hour)*time.Hour + time.Duration(minute)*time.Minute + time.Duration(second)*time.Second
	return offset + time.Duration(fraction*1e9+0.5) - zone, ok
}

// zoneHours are the hours of zones that are written by name.
var zoneHours = map[string]int{"CET": 1, "CEST": 2, "EET": 2, "EEST": 3, "BST": 1, "WET": 0, "WEST": 1, "MSK": 3,
	"JST": 9, "EST": -5, "EDT": -4, "CST": -6, "CDT": -5, "MST": -7, "MDT": -6, "PST": -8, "PDT": -7}

// readZone reads Z, UTC, CET, +02, UTC+2, +0200 and +02:00.
func readZone(text string) (time.Duration, bool) {
	switch text {
	case "", "Z", "z", "UTC", "GMT":
		return 0, true
	}
	if hours, known := zoneHours[text]; known {
		return time.Duration(hours) * time.Hour, true
	}
	if after, found := strings.CutPrefix(text, "UTC"); found {
		text = after
	}
	if text[0] != '+' && text[0] != '-' {
		return 0, false
	}
	h, rest := digits(text[1:])
	m := "0"
	if len(h) == 4 {
		h, m = h[:2], h[2:]
	} else if strings.HasPrefix(rest, ":") {
		m, rest = digits(rest[1:])
	}
	hours, minutes := number(h), number(m)
	if rest != "" || hours < 0 || hours > 14 || minutes < 0 || minutes > 59 {
		return 0, false
	}
	zone := time.Duration(hours)*time.Hour + time.Duration(minutes)*time.Minute
	if text[0] == '-' {
		zone = -zone
	}
	return zone, true
}

// monthLayouts are dates with the names of months, as monthNames writes them.
var monthLayouts = []string{"2 Jan 2006", "Jan 2 2006", "2 Jan 06", "Jan 2006", "2006 Jan 2", "2006 Jan"}

// monthNames are names of months in English, German, French, Spanish, Italian, Portuguese and Dutch.
var monthNames = monthsOf(
	"Jan january januar jänner janvier enero gennaio janeiro januari jan jän janv ene gen",
	"Feb february februar février fevrier febrero febbraio fevereiro februari feb fév févr fev",
	"Mar march märz maerz mars marzo março maart mar mär mrz mrt",
	"Apr april avril abril aprile apr avr abr",
	"May may mai mayo maggio maio mei mag",
	"Jun june juni juin junio giugno junho jun giu",
	"Jul july juli juillet julio luglio julho jul juil lug",
	"Aug august août aout agosto augustus aug aoû ago",
	"Sep september septembre septiembre settembre setembro sep sept set",
	"Oct october oktober octobre octubre ottobre outubro oct okt ott out",
	"Nov november novembre noviembre novembro nov",
	"Dec december dezember décembre decembre diciembre dicembre dezembro dec dez déc dic")

func monthsOf(lists ...string) map[string]string {
	months := map[string]string{}
	for _, list := range lists {
		words := strings.Fields(list)
		for _, name := range words[1:] {
			months[name] = words[0]
		}
	}
	return months
}

// Words in dates that say nothing more.
var (
	weekdays  = []string{"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"}
	fillWords = []string{"de", "del", "le", "of", "the"}
	ordinals  = []string{"st", "nd", "rd", "th"}
)

// namedMonth reads 1 May 2024, May 1, 2024, 01-May-24, May-24 and Mon, 1 May 2024 15:04.
func namedMonth(text string) (w written, ok bool) {
	if strings.IndexFunc(text, func(r rune) bool { return r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' }) < 0 {
		return w, false
	}
	date, clock := text, ""
	if at := strings.IndexByte(text, ':'); at >= 0 {
		begin := strings.LastIndexAny(text[:at], " T")
		if begin < 0 {
			return w, false
		}
		date, clock = text[:begin], text[begin:]
		if at := strings.LastIndexByte(clock, ' '); at > 0 && len(clock)-at == 5 && plainDigits(clock[at+1:]) {
			date, clock = date+clock[at:], clock[:at] // Mar 4 10:00:00 2024
		}
	}
	if day, rest, found := strings.Cut(date, ", "); found && len(day) <= 9 && !strings.ContainsAny(day, "0123456789") {
		date = rest
	} else if day, rest, found := strings.Cut(date, " "); found && slices.Contains(weekdays, day) {
		date = rest
	}
	words := strings.FieldsFunc(date, func(r rune) bool { return strings.ContainsRune(" ,.-'’", r) })
	words = slices.DeleteFunc(words, func(word string) bool { return slices.Contains(fillWords, word) })
	for i, word := range words {
		if day, end := digits(word); day != "" && slices.Contains(ordinals, end) {
			words[i] = day
		}
		if month, known := monthNames[strings.ToLower(word)]; known {
			words[i] = month
		}
	}
	if len(words) == 2 && len(words[1]) == 2 && strings.ContainsAny(date, "-'’") {
		words[1] = century(words[1]) // Mar-24, Mar '24
	}
	date = strings.Join(words, " ")
	offset, good := readClock(clock)
	for _, layout := range monthLayouts {
		if t, err := time.Parse(layout, date); err == nil && good {
			return written{t.Add(offset), t.Add(offset), 'y'}, true
		}
	}
	return w, false
}
