// Package ranking counts where true answers stand among the candidates of their questions: one rule for what is a
// candidate, for ties and for NaN, which every model of facts and pairs is measured by.
//
//	among := ranking.Candidates{Known: ranking.NewKnown(train, valid, test)}
//	r := among.Place(scores, fact, 0, number)
//	r.Rank(ranking.Realistic)
package ranking
