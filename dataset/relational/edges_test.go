package relational

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// questionsOf reads questions about people from a table.
func questionsOf(t testing.TB, db *Database, text string) *Ask {
	file := filepath.Join(folder(t, map[string]string{"q": text}), "q.csv")
	ask, err := db.ReadAsk(file, AskOptions{At: "at", Horizon: 30 * 24 * time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	return ask
}

// joined returns the edges of questions as sorted texts, by the time of the questions.
func joined(t testing.TB, db *Database, ask *Ask) map[time.Time][]string {
	then := *ask
	then.table, _ = db.Find("people")
	if len(db.allRows(&then, nil).Edges) > 0 {
		t.Error("questions are joined unasked")
	}
	then.Joined = true
	r, list := db.allRows(&then, nil), map[time.Time][]string{}
	for _, e := range r.Edges {
		u, v := r.Questions[e.U], r.Questions[e.V]
		if !u.At.Equal(v.At) {
			t.Errorf("%s and %s are joined", u.name(), v.name())
		}
		list[u.At] = append(list[u.At], fmt.Sprintf("%s-%s %s", u.Entity, v.Entity, e.Relation))
		slices.Sort(list[u.At])
	}
	return list
}

// TestEdges compares edges with those found by hand: b changes teams in June, and pays d in July.
func TestEdges(t *testing.T) {
	db := mustRead(t, folder(t, map[string]string{
		"people": "id,age\na,30\nb,31\nc,32\nd,33\n",
		"teams":  "id,size\nx,2\ny,3\n",
		"jobs":   "person,team,day\na,x,2024-01-01\nb,x,2024-01-01\nc,y,2024-01-01\nb,y,2024-06-10\n",
		"pays":   "payer,payee,day,euro\nb,d,2024-07-01,5\nb,b,2024-07-02,5\n",
	}), Options{Keys: []string{"jobs.person=people.id", "jobs.team=teams.id", "pays.payer=people.id",
		"pays.payee=people.id"}})
	text := "person,at,label\n"
	for i, at := range []string{"2023-12-31", "2024-05-01", "2024-06-09", "2024-06-10", "2024-07-15"} {
		for k, person := range []string{"a", "b", "c", "d"} {
			text += fmt.Sprintf("%s,%s,%d\n", person, at, (i+k)%2)
		}
	}
	got := joined(t, db, questionsOf(t, db, text))
	for at, want := range map[string][]string{"2023-12-31": nil, "2024-05-01": {"a-b teams"},
		"2024-06-09": {"a-b teams"}, "2024-06-10": {"b-c teams"}, "2024-07-15": {"b-c teams", "b-d pays"}} {
		when, _ := time.Parse(time.DateOnly, at)
		if !slices.Equal(got[when], want) {
			t.Errorf("%s: edges are %q, want %q", at, got[when], want)
		}
	}
}

// TestManyTogether: a row to which most questions of a time lead joins none of them.
func TestManyTogether(t *testing.T) {
	people, questions := "id,town\n", "person,at,label\n"
	for i := range mostTogether + 3 {
		people += fmt.Sprintf("p%d,t%d\n", i, i/(mostTogether+1))
		questions += fmt.Sprintf("p%d,2024-01-01,%d\n", i, i%2)
	}
	db := mustRead(t, folder(t, map[string]string{"people": people, "towns": "id\nt0\nt1\n"}),
		Options{Keys: []string{"people.town=towns.id"}})
	got := joined(t, db, questionsOf(t, db, questions))[time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)]
	want := fmt.Sprintf("p%d-p%d towns", mostTogether+1, mostTogether+2)
	if len(got) != 1 || got[0] != want {
		t.Errorf("edges are %q, want %q alone", got, want)
	}
}

// careers returns a database of people who change teams and pay each other, up to a time.
func careers(seed uint64, until time.Time) map[string]string {
	r := rand.New(rand.NewPCG(seed, 41))
	var people, teams, jobs, pays strings.Builder
	people.WriteString("id,age\n")
	for i := range 24 {
		fmt.Fprintf(&people, "p%02d,%d\n", i, 20+r.IntN(40))
	}
	teams.WriteString("id,size\n")
	for i := range 8 {
		fmt.Fprintf(&teams, "t%d,%d\n", i, r.IntN(9))
	}
	jobs.WriteString("person,team,since\n")
	pays.WriteString("payer,payee,paid_on,euro\n")
	for range 500 {
		at := time.Date(2023, 1, 1, r.IntN(365*24), 0, 0, 0, time.UTC)
		a, b, team, pay := r.IntN(24), r.IntN(24), r.IntN(8), r.IntN(2) == 0
		switch {
		case at.After(until):
		case pay:
			fmt.Fprintf(&pays, "p%02d,p%02d,%s,%d\n", a, b, at.Format(time.DateTime), 1+a)
		default:
			fmt.Fprintf(&jobs, "p%02d,t%d,%s\n", a, team, at.Format(time.DateTime))
		}
	}
	return map[string]string{"people": people.String(), "teams": teams.String(), "jobs": jobs.String(),
		"pays": pays.String()}
}

// TestEdgesAsOfTime: later rows change no edge of a question. Edges join only questions of the same time, so that what
// an energy passes along them is as old as the question.
func TestEdgesAsOfTime(t *testing.T) {
	keys := Options{Keys: []string{"jobs.person=people.id", "jobs.team=teams.id", "pays.payer=people.id",
		"pays.payee=people.id"}}
	for seed := range uint64(3) {
		text, times := "person,at,label\n", []time.Time{}
		for i := range 8 {
			times = append(times, time.Date(2023, time.Month(3+i), 1, 0, 0, 0, 0, time.UTC))
			for p := range 24 {
				text += fmt.Sprintf("p%02d,%s,%d\n", p, times[i].Format(time.DateTime), (p+i)%2)
			}
		}
		whole, found := mustRead(t, folder(t, careers(seed, ever)), keys), map[string]int{}
		ask := questionsOf(t, whole, text)
		got := joined(t, whole, ask)
		for _, at := range times {
			then := mustRead(t, folder(t, careers(seed, at)), keys)
			if want := joined(t, then, ask)[at]; !slices.Equal(got[at], want) {
				t.Fatalf("seed %d, %v: edges are %q, and %q without later rows", seed, at, got[at], want)
			}
			for _, e := range got[at] {
				found[e[strings.LastIndex(e, " ")+1:]]++
			}
		}
		if found["teams"] < 50 || found["pays"] < 50 {
			t.Errorf("seed %d: edges are %v, want 50 of each", seed, found)
		}
	}
}
