package main

import (
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/internal/keys"
)

// complete teaches cmd and the commands below it to complete: first arguments by what they are called in the usage
// line, and values of flags by the name of the flag, which means the same everywhere.
func complete(cmd *cobra.Command) {
	_, args, _ := strings.Cut(cmd.Use, " ")
	for _, x := range []struct {
		called string
		names  cobra.CompletionFunc
	}{{"RUN", runFolders}, {"[CONFIG]", configFiles}, {"[FILE]", configFiles}, {"FILE", configFiles},
		{"RECIPE", recipeNames}, {"[NAME]", recipeNames}, {"NAME", dataNames}, {"[DATA]", dataNames},
		{"DIR", runFolders}} {
		if strings.HasPrefix(args, x.called) {
			cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, typed string) ([]string,
				cobra.ShellCompDirective) {
				if len(args) > 0 && !strings.HasSuffix(cmd.Use, "...") && !strings.HasSuffix(cmd.Use, "...]") {
					return nil, cobra.ShellCompDirectiveNoFileComp
				}
				return x.names(cmd, args, typed)
			}
			break
		}
	}
	for name, names := range map[string]cobra.CompletionFunc{"recipe": recipeNames, "data": dataNames, "set": settings,
		"resume": runFolders} {
		if cmd.Flags().Lookup(name) != nil {
			_ = cmd.RegisterFlagCompletionFunc(name, names) // fails only if it was registered before
		}
	}
	for _, sub := range cmd.Commands() {
		complete(sub)
	}
}

// configFiles returns the files that hold configs.
func configFiles(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return []string{"yaml", "yml", "json"}, cobra.ShellCompDirectiveFilterFileExt
}

// runFolders completes to folders.
func runFolders(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// recipeNames completes to recipes, baselines and files.
func recipeNames(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var names []string
	for _, line := range recipeLines() {
		names = append(names, cobra.CompletionWithDesc(line.Name, line.Summary))
	}
	return names, cobra.ShellCompDirectiveDefault
}

// dataNames completes to the catalogue, the generators and files.
func dataNames(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	if strings.ContainsRune(typed, filepath.Separator) {
		return nil, cobra.ShellCompDirectiveDefault
	}
	var names []string
	for _, row := range listData() {
		names = append(names, cobra.CompletionWithDesc(row.Name, row.Title))
	}
	return names, cobra.ShellCompDirectiveDefault
}

// settings completes to keys with an equals sign, and after that to the words that a key takes.
func settings(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	path, _, valued := strings.Cut(typed, "=")
	var list []string
	for _, k := range config.Keys() {
		switch {
		case !valued && k.Kind != keys.Section:
			list = append(list, cobra.CompletionWithDesc(k.Path+"=", k.Doc))
		case valued && k.Path == path:
			for _, word := range k.Words {
				list = append(list, path+"="+word)
			}
			if k.Kind == keys.Flag {
				list = append(list, path+"=true", path+"=false")
			}
		}
	}
	if valued {
		return list, cobra.ShellCompDirectiveNoFileComp
	}
	return list, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}
