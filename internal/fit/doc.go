// Package fit fits what needs no epoch of training: regressions in closed form, trees, and the numbers that turn scores
// into statements.
//
// # Answers in closed form
//
// The minimiser of a quadratic energy, with a ridge regression on top that is solved at once (Solve):
//
//	H = f(S) X        f_λ(s) = 1/(1 + λ(1 − s)), the minimiser of ‖H − X‖² + λ tr(Hᵀ(I − S)H)
//	W = argmin ‖Z W − (Y − μ)‖² + ρ‖W‖²        Z: rows of H of labelled nodes, of several channels side by side
//
// A channel describes a node: by its features x, x smoothed (λ > 0) or sharpened over edges, x next to the means of
// neighbours, and its place in the graph. Every channel and every ρ is judged by the leave-one-out answer for every
// labelled node, which comes at no extra cost (Cook 1977):
//
//	ŷ₋ᵢ = yᵢ − αᵢ / Gᵢᵢ        G = (Z Zᵀ + ρI)⁻¹        α = G (Y − μ)
//
// The best few are averaged with the weights that are best left out, and the same left-out answers make probabilities
// (Calibration).
//
// # Trees
//
// Regression trees are boosted on binned columns: the learner of choice for tables, with numbers on all scales and
// gaps. The caller has the loss: a round takes its derivatives with respect to the scores of all rows and fits a tree
// to them for each output, so the scores may be answers, or the input π(X) of a graph energy.
//
//	t := fit.NewTable(rows, columns, row)                     // row(to, i) fills in row i, NaN for a gap
//	b := fit.NewBooster(t, outputs, fit.TreeOptions{})
//	for round := range rounds {
//		b.Round(round, g, h)                                  // rows×outputs: derivatives by b.Scores()
//	}
//
// The bits are the same for any number of threads.
//
// # Statements from scores
//
// Probabilities, thresholds and sets that hold on data that was not trained on. None of it knows nodes or facts:
//
//	b := fit.Scale(slopes)                     // softmax(b z) has the least log loss
//	w := fit.Logistic(terms, true, groups, n)  // σ(w·x), by group
//	limits := fit.ByGroup(scores, groups, n, 0.9)
package fit
