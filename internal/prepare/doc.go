// Package prepare makes data ready for training: features on one scale, spoilt on purpose where a run tries how it
// bears that, and relations split by the types of their ends.
package prepare
