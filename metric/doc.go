// Package metric measures predictions: classes and numbers of nodes, and how facts stood (Report).
//
//	p := metric.Predictions{Logits: logits, Classes: 7, Labels: labels, Pick: split.Test}
//	m, _ := metric.ByName("accuracy")
//	m.Nodes(p)
//
// Numbers are fractions, not percentages. What is not defined (a mean of nothing, the ROC-AUC of
// one class) is NaN. All functions read host slices and modify none.
package metric
