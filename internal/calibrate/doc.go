// Package calibrate turns scores into statements that hold on data that was not trained on: probabilities, thresholds
// and sets. It knows neither nodes nor facts; package task/node and task/fact give it numbers.
//
//	b := calibrate.Scale(slopes)                     // softmax(b z) has the least log loss
//	w := calibrate.Logistic(terms, true, groups, n)  // σ(w·x), by group
//	limits := calibrate.ByGroup(scores, groups, n, 0.9)
package calibrate
