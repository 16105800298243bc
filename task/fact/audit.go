package fact

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/fit"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
	"github.com/bloomgml/bloom/task"
)

// Audit ranks the facts that a model was trained and validated with by how little the model expects them.
//
// Overview: a model knows the facts of its training by heart, right or wrong. Every training fact is therefore judged
// as if the model had never seen it: a part of the facts is withheld, embeddings of entities settle again on the
// other facts, a path model sees a graph without them, and then both ends of the withheld facts are ranked, filtered.
// Some relations are harder than others, so a fact is compared with the other facts of its relation,
//
//	suspicion = ½ Σ_{tail, head} [ log rank − mean log rank of the facts of the relation ]
//
// Probabilities come from a belief that learns from the withheld facts and from as many with one end replaced, all of
// them ranked together; those of validation facts likewise.
//
// Chosen: this score, after trying ranks with and without withholding, the least, largest and mean rank of both ends,
// and subtracting none or some of the mean of the relation. With 5 % planted false facts, the first 5 % of the
// ranking contain (chance: 5 %) 79 % of them for complex in family:families=6 and 23 % in fb237_v1, whose entities
// have five facts each. If nothing is withheld it finds 5 % and none; BenchmarkAudit measures both.
type Audit struct {
	Facts     []Suspect       `json:"facts"`     // the most suspicious first
	Relations []SuspectShares `json:"relations"` // that with the largest share first
	Flagged   int             `json:"flagged"`   // how many of the first ones the shares count
}

// Suspect is a fact with its suspicion. The JSON keys are stable.
type Suspect struct {
	Rank      int     `json:"rank"` // by suspicion, from 1
	Head      string  `json:"head"`
	Relation  string  `json:"relation"`
	Tail      string  `json:"tail"`
	Part      string  `json:"part"`      // train or valid
	TailRank  float64 `json:"tail_rank"` // realistic, from 1
	HeadRank  float64 `json:"head_rank"`
	Suspicion float64 `json:"suspicion"` // 0 is usual for the relation; 1 is a rank e times as large
	// Probability is that the fact is true, if as many are false.
	Probability float64 `json:"probability"`
}

// String returns the fact as people write it.
func (s Suspect) String() string { return fmt.Sprintf("%s –%s→ %s", s.Head, s.Relation, s.Tail) }

// SuspectShares is how many facts of a relation are flagged.
type SuspectShares struct {
	Relation string  `json:"relation"`
	Facts    int     `json:"facts"`
	Flagged  int     `json:"flagged"`
	Share    float64 `json:"share"`
}

// AuditOptions says how much is audited. The zero value means everything.
type AuditOptions struct {
	Sample int // facts that are judged, drawn at random; 0 for all
}

// flaggedShare is the share of the facts, the most suspicious ones, that count as flagged.
const flaggedShare = 0.05

// Audit judges the training and the validation facts. The error is a *train.BadSetting for a distance by which
// entities cannot settle again.
func (t *Trained) Audit(ctx context.Context, o AuditOptions) (*Audit, error) {
	training, valid := t.drawn(o.Sample)
	a := &Audit{}
	err := t.auditPart(ctx, a, "train", training, nil, t.model.withheld)
	if err == nil {
		err = t.auditPart(ctx, a, "valid", valid, t.Data.False[0], func(ctx context.Context, d *dataset.Dataset,
			facts []graph.Triple) ([]metric.Ranked, error) {
			return t.model.rank(ctx, d, facts, metric.Full)
		})
	}
	a.sort()
	return a, err
}

// auditPart adds the facts of a part. rank ranks them together with wrong ones, which are drawn if none are given: a
// belief learns from both.
func (t *Trained) auditPart(ctx context.Context, a *Audit, part string, facts, wrong []graph.Triple,
	rank func(context.Context, *dataset.Dataset, []graph.Triple) ([]metric.Ranked, error)) error {
	some := spread(facts, mostDrawn, t.Config.Train.Seed)
	if len(wrong) == 0 {
		wrong = corrupted(t.Data, some, mat.Mix(t.Config.Train.Seed, 102))
	}
	ranked, err := rank(ctx, t.Data, slices.Concat(facts, wrong))
	if err != nil || len(ranked) == 0 {
		return err
	}
	learns := make(map[graph.Triple]bool, len(some)) // what a belief learns from, and whether it is given
	for _, f := range some {
		learns[f] = true
	}
	for _, f := range wrong {
		learns[f] = false
	}
	var list []fit.Example
	var given []metric.Ranked
	for _, r := range ranked {
		is, known := learns[r.Fact]
		if known {
			list = append(list, examples([]metric.Ranked{r}, is)...)
		}
		if is || !known {
			given = append(given, r)
		}
	}
	a.add(t.Data, part, given, learned(list, t.Data.Graph.NumRelations()))
	return nil
}

// add adds the facts of a part of d. How a relation usually ranks is measured part by part, as validation facts are
// not withheld: the model has never seen them.
func (a *Audit) add(d *dataset.Dataset, part string, ranked []metric.Ranked, x *belief) {
	doubts := suspicions(ranked, d.Graph.NumRelations())
	for i, r := range ranked {
		a.Facts = append(a.Facts, Suspect{Head: d.IDs.At(r.Fact.U), Relation: d.RelationName(r.Fact.R),
			Tail: d.IDs.At(r.Fact.V), Part: part, TailRank: r.Tail.Rank(metric.Realistic),
			HeadRank: r.Head.Rank(metric.Realistic), Suspicion: doubts[i], Probability: x.probability(r)})
	}
}

// drawn returns the facts to judge: all, or n training and validation facts in proportion to their numbers.
func (t *Trained) drawn(n int) (training, valid []graph.Triple) {
	training, valid = t.Data.Graph.Triples(), t.Data.Valid
	all := len(training) + len(valid)
	if n <= 0 || n >= all {
		return training, valid
	}
	seed := t.Config.Train.Seed
	k := n * len(training) / all
	return spread(training, k, seed), spread(valid, n-k, seed)
}

// spread returns the k facts with the smallest hashes, in their original order.
func spread(facts []graph.Triple, k int, seed uint64) []graph.Triple {
	ids := make([]int, len(facts))
	for i := range ids {
		ids[i] = i
	}
	slices.SortFunc(ids, func(a, b int) int { return cmp.Compare(mat.Mix(seed, uint64(a)), mat.Mix(seed, uint64(b))) })
	ids = ids[:min(k, len(ids))]
	slices.Sort(ids)
	list := make([]graph.Triple, len(ids))
	for i, id := range ids {
		list[i] = facts[id]
	}
	return list
}

// usual is how many facts with the overall mean log rank are added to the facts of a relation, which gives a relation
// with few facts a mean too.
const usual = 5

// suspicions returns the suspicions of ranked facts, as Audit defines them; relations is how many relations there
// are.
func suspicions(ranked []metric.Ranked, relations int) []float64 {
	log := func(r metric.Ranking) float64 { return math.Log(r.Rank(metric.Realistic)) }
	sum, count := make([]float64, relations), make([]float64, relations)
	total := 0.0
	for _, x := range ranked {
		both := log(x.Tail) + log(x.Head)
		total += both
		sum[x.Fact.R] += both
		count[x.Fact.R]++
	}
	list := make([]float64, len(ranked))
	for i, x := range ranked {
		r := x.Fact.R
		mean := (sum[r] + usual*total/float64(len(ranked))) / (count[r] + usual)
		list[i] = (log(x.Tail) + log(x.Head) - mean) / 2
	}
	return list
}

// sort puts the most suspicious facts first, numbers them, and counts relations.
func (a *Audit) sort() {
	slices.SortStableFunc(a.Facts, func(x, y Suspect) int { return cmp.Compare(y.Suspicion, x.Suspicion) })
	a.Flagged = int(math.Ceil(flaggedShare * float64(len(a.Facts))))
	at := map[string]int{}
	for i := range a.Facts {
		f := &a.Facts[i]
		f.Rank = i + 1
		r, ok := at[f.Relation]
		if !ok {
			r = len(a.Relations)
			at[f.Relation] = r
			a.Relations = append(a.Relations, SuspectShares{Relation: f.Relation})
		}
		a.Relations[r].Facts++
		if i < a.Flagged {
			a.Relations[r].Flagged++
		}
	}
	for i := range a.Relations {
		a.Relations[i].Share = float64(a.Relations[i].Flagged) / float64(a.Relations[i].Facts)
	}
	slices.SortStableFunc(a.Relations, func(x, y SuspectShares) int { return cmp.Compare(y.Share, x.Share) })
}

// AuditFile is where a run folder has its audit.
const AuditFile = "audit.csv"

// auditColumns is the header of AuditFile.
var auditColumns = []string{"rank", "head", "relation", "tail", "part", "tail_rank", "head_rank", "suspicion",
	"probability"}

// WriteCSV writes a row for every fact, the most suspicious first.
func (a *Audit) WriteCSV(w io.Writer) error {
	return task.WriteTable(w, auditColumns, slices.Values(a.Facts), func(f Suspect) []string {
		return []string{strconv.Itoa(f.Rank), f.Head, f.Relation, f.Tail, f.Part, task.Decimal(f.TailRank),
			task.Decimal(f.HeadRank), task.Decimal(f.Suspicion), task.Decimal(f.Probability)}
	})
}

// ReadAudit reads what Audit.WriteCSV has written. The error is a *files.Error.
func ReadAudit(name string, r io.Reader) (*Audit, error) {
	a := &Audit{}
	err := task.ReadTable(name, r, auditColumns, func(line int, row []string) (err error) {
		f := Suspect{Head: row[1], Relation: row[2], Tail: row[3], Part: row[4]}
		for i, to := range []*float64{&f.TailRank, &f.HeadRank, &f.Suspicion, &f.Probability} {
			if *to, err = strconv.ParseFloat(row[5+i], 64); err != nil || math.IsNaN(*to) || math.IsInf(*to, 0) ||
				i < 2 && *to < 1 || i == 3 && !(*to >= 0 && *to <= 1) {
				return files.ErrorAt(name, line, "%s %q is not a number that an audit has", auditColumns[5+i], row[5+i])
			}
		}
		a.Facts = append(a.Facts, f)
		return nil
	})
	if err != nil {
		return nil, err
	}
	a.sort()
	return a, nil
}
