package importer

import "strings"

// Overview: numbers with units of one quantity, such as 800 g and 1.2 kg, are converted to the unit that most of them
// have. Sizes in bytes become bytes when they are read, since a number without a unit in their column counts bytes.

// measure is what a unit measures, and how large it is.
type measure struct {
	what string
	size float64
}

// units are the units that are converted, as unitOf writes them.
var units = measures(map[string]map[string]float64{
	"time": {clockUnit: 1, "ms": 1e-3, "s": 1, "sec": 1, "second": 1, "sek": 1, "sekunde": 1, "min": 60, "minute": 60,
		"h": 3600, "hr": 3600, "hour": 3600, "std": 3600, "stunde": 3600, "d": day, "day": day, "tag": day,
		"jour": day, "week": 7 * day, "wk": 7 * day, "woche": 7 * day, "month": year / 12, "mo": year / 12,
		"monat": year / 12, "year": year, "yr": year, "jahr": year},
	"mass":   {"mg": 1e-3, "g": 1, "kg": 1e3, "t": 1e6, "lb": 453.59237, "oz": 28.349523125},
	"length": {"mm": 1e-3, "cm": 1e-2, "m": 1, "km": 1e3, "ft": 0.3048, "mi": 1609.344, "mile": 1609.344},
	"volume": {"ml": 1e-3, "cl": 1e-2, "l": 1, "hl": 100},
	"power":  {"w": 1, "kw": 1e3},
	"energy": {"wh": 1, "kwh": 1e3},
})

const (
	day  = 86400.0
	year = 365.25 * day
)

func measures(table map[string]map[string]float64) map[string]measure {
	all := map[string]measure{}
	for what, sizes := range table {
		for unit, size := range sizes {
			all[unit] = measure{what, size}
		}
	}
	return all
}

// bytesUnit is the unit of sizes in bytes, and byteMultiples are what others have of it.
const bytesUnit = "byte"

var byteMultiples = map[string]float64{"byte": 1, "kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12, "kib": 1 << 10,
	"mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40}

// endings are of words for units of time in the plural, besides s: Tage, Stunden, Monaten.
var endings = []string{"en", "e", "n"}

// unitOf returns a unit as it is compared: in lower case, singular, without a point behind it.
func unitOf(word string) string {
	word = strings.TrimSuffix(strings.ToLower(word), ".")
	if len(word) > 2 {
		word = strings.TrimSuffix(word, "s")
	}
	for _, end := range endings {
		if one, found := strings.CutSuffix(word, end); found && len(one) > 2 && units[one].what == "time" {
			return one
		}
	}
	return word
}

// conversion returns how many of unit to are one of unit from.
func conversion(from, to string) (factor float64, ok bool) {
	if from == to || from == "" {
		return 1, true
	}
	a, b := units[from], units[to]
	return a.size / b.size, a.what != "" && a.what == b.what
}

// usualUnit returns the unit that nine of ten numbers with a unit have or can be converted to, if there is one, how
// many numbers remain with it, and which units are converted.
func (p *columnProfile) usualUnit() (unit string, numbers int, converted []string) {
	with, best := 0, 0
	names := byCount(p.units)
	for _, u := range names {
		same := 0
		for v, n := range p.units {
			if _, ok := conversion(v, u); ok {
				same += n
			}
		}
		if same > best {
			unit, best = u, same
		}
		with += p.units[u]
	}
	if 10*best < 9*with {
		return "", p.unitless, nil
	}
	for _, u := range names {
		if _, ok := conversion(u, unit); ok && u != unit {
			converted = append(converted, u)
		}
	}
	return unit, p.unitless + best, converted
}
