// Package tabular is what is kept of the tables that a data set was imported from: how their columns became features,
// so that later rows become features in the same way, and the values as they came, so that an export gives them back.
package tabular
