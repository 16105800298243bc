// Package metric measures predictions: classes and numbers of nodes, and how facts stood (Report).
//
//	p := metric.Predictions{Logits: logits, Classes: 7, Labels: labels, Pick: split.Test}
//	m, _ := metric.ByName("accuracy")
//	m.Nodes(p)
//
// Numbers are fractions, not percentages. What is not defined (a mean of nothing, the ROC-AUC of
// one class) is NaN. All functions read host slices and modify none.
//
// # Ranks
//
// Candidates count where true answers stand among the candidates of their questions: one rule for what is a
// candidate, for ties and for NaN, which every model of facts and pairs is measured by.
//
//	among := metric.Candidates{Known: metric.NewKnown(train, valid, test)}
//	r := among.Place(scores, fact, 0, number)
//	r.Rank(metric.Realistic)
package metric
