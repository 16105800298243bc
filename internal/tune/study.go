// Package tune searches for good settings: of the keys of a config, or of anything else with a numeric objective.
//
//	space, err := tune.ReadSpace("space.yaml", text)
//	study := tune.Study{Space: space, Trials: 50, Pruner: tune.Median{}, File: "study.jsonl"}
//	result, err := study.Run(ctx, func(ctx context.Context, t *tune.Trial) (float64, error) {
//		return score(t.Value("train.rate").(float64)), nil
//	})
//
// A Sampler chooses the point of the space that each trial tries, from the study's seed, the trial's number and how
// earlier trials went: Random, or TPE, which is Bayesian. A Pruner ends trials that go badly.
//
// The study is its file, which only grows: one JSON object a line, first what the study is and then every trial that
// has ended. A killed study resumes from it. Trials that had not ended are run again, with the same random
// numbers; with one job at a time, a study that was stopped and continued tries the same points as one that was not.
package tune

import (
	"context"
	"errors"
	"slices"

	"github.com/bloomgml/bloom/mat"
)

// Study is a search.
type Study struct {
	Space     Space
	Sampler   Sampler   // nil means TPE{}
	Pruner    Pruner    // nil ends no trial early
	Direction Direction // the zero value maximizes
	Seed      uint64    // of the sampler
	// how many come to an end: complete, pruned or failed; those before the study was continued count
	Trials int
	Jobs   int // trials at the same time; 0 means 1

	File string // to write, and to resume from if it exists; may be empty
	Name string // what is searched for; empty means bloom
	// what the values depend on besides the point; a study can only be continued with the same
	About map[string]string

	// Progress is called after every trial, one call at a time; may be nil.
	Progress func(Record)
	// Notice is called with notices about the file for a person, a sentence each; may be nil.
	Notice func(string)
}

// Objective tries a point and says how good it is. It returns the error of Trial.Report, or the error of the context
// if that ends.
type Objective func(context.Context, *Trial) (float64, error)

// Result is the result of a study.
type Result struct {
	Space     Space
	Direction Direction
	Trials    []Record // by number
}

// Best returns the complete trial with the best value, the first if several tie; nil if none is complete.
func (r *Result) Best() *Record {
	if ranked := r.Ranked(); len(ranked) > 0 {
		return &ranked[0]
	}
	return nil
}

// Ranked returns the complete trials, the best first.
func (r *Result) Ranked() []Record {
	var list []Record
	for _, t := range r.Trials {
		if t.State == Complete {
			list = append(list, t)
		}
	}
	slices.SortStableFunc(list, func(a, b Record) int { return order(r.Direction, &a, &b) })
	return list
}

// Count returns the number of trials in a state.
func (r *Result) Count(s State) (n int) {
	for _, t := range r.Trials {
		if t.State == s {
			n++
		}
	}
	return n
}

// Run tries points until there are Trials of them. An error of the objective fails its trial and nothing else. The
// error of Run comes from the context, from the file, or from a Study that makes no sense; results found until then,
// if any, are returned with it.
func (s Study) Run(ctx context.Context, objective Objective) (*Result, error) {
	if err := s.fill(); err != nil {
		return nil, err
	}
	lanes, err := mat.NewLanes(s.Jobs)
	if err != nil {
		return nil, err
	}
	r := &run{Study: s}
	if err := r.open(); err != nil {
		return nil, err
	}
	r.runTrials(ctx, lanes, objective)
	if err = r.err; r.file != nil {
		err = errors.Join(err, r.file.Close())
	}
	if err == nil {
		err = ctx.Err()
	}
	result := &Result{Space: r.Space, Direction: r.Direction}
	for _, t := range r.trials {
		result.Trials = append(result.Trials, *t)
	}
	return result, err
}

// fill puts defaults instead of zero values and looks for mistakes.
func (s *Study) fill() error {
	if s.Sampler == nil {
		s.Sampler = TPE{}
	}
	if s.Name == "" {
		s.Name = "bloom"
	}
	s.Jobs = max(1, s.Jobs)
	return s.Space.Check()
}
