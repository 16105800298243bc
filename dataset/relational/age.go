package relational

import (
	"fmt"
	"math"
	"time"
)

// Overview: a database may end long before the times that one asks about: the tables are of January, and the questions
// about March. What tells the next week from fresh tables may tell nothing from old ones, so that the questions to
// learn from are answered from tables as old as those of the questions to be tested: they take turns at their ages.

// mostLate is the share of the questions to be tested that may be asked more than a horizon after the last row.
const mostLate = 0.1

// findAges finds how old the tables are that questions are answered from: of their time, unless many of those to be
// tested come late, and the tables before most others go back further than that.
func (db *Database) findAges(a *Ask) {
	first, last, _ := period(db.times())
	var ages, taught []int64
	late := 0
	for _, q := range a.Questions {
		switch at := q.At.Unix(); {
		case last == 0 || at >= never/2:
		case q.Split != "test":
			taught = append(taught, at-first)
		default:
			if ages = append(ages, max(0, at-last)); at > last+a.horizon() {
				late++
			}
		}
	}
	if float64(late) <= mostLate*float64(len(ages)) {
		return
	}
	note := fmt.Sprintf("%d of %d questions to be tested are asked more than %s after the last row of the database, "+
		"of %s", late, len(ages), daysText(a.Horizon), time.Unix(last, 0).UTC().Format(time.DateOnly))
	if len(taught) == 0 || taught[len(taught)/2] < 2*ages[len(ages)/2] { // questions are in the order of time
		a.Notes = append(a.Notes, note+": nothing new is known then")
		return
	}
	a.last = last
	a.Notes = append(a.Notes, note+": the others are answered from tables that are as old")
	for i := range a.Questions {
		q := &a.Questions[i]
		if q.age = a.age(q.At); q.Split != "test" {
			_, turn := math.Modf(float64(i) * (math.Sqrt(5) - 1) / 2) // steps of the golden ratio
			q.age = max(q.age, ages[int(turn*float64(len(ages)))])
		}
	}
}

// age returns how old the tables are at a time.
func (a *Ask) age(at time.Time) int64 {
	if a.last == 0 || at.Unix() >= never/2 {
		return 0
	}
	return max(0, at.Unix()-a.last)
}

// addAge adds how old the tables are, in days.
func (b *builder) addAge() {
	c := Column{Name: "tables.age", Values: make([]float64, len(b.list))}
	for i, q := range b.ask.Questions {
		c.Values[i] = float64(q.age) / day
	}
	b.add(c)
}
