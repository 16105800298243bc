// Package analysis says what is in a data set without training on it: counts, degrees, homophily, and signs that its
// test is easier than it seems.
//
//	about := analysis.Describe(d)
//	about.Homophily.Adjusted, about.Warnings
package analysis
