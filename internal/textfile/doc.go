// Package textfile reads text, packed or not, line by line or as a table, and keeps to limits.
package textfile
