package main

import (
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/internal/keys"
	"github.com/bloomgml/bloom/recipe"
)

// completes lists the completions of the word that is being typed, for commands by their path and for flags by their
// name: a flag means the same everywhere.
var (
	completesArgs = map[string]cobra.CompletionFunc{
		"bloom train":        configFiles,
		"bloom estimate":     configFiles,
		"bloom tune":         configFiles,
		"bloom config check": configFiles,
		"bloom config show":  configFiles,
		"bloom recipe show":  firstOnly(recipeNames),
		"bloom energy":       firstOnly(energyNames),
		"bloom data get":     dataNames,
		"bloom data info":    firstOnly(dataNames),
		"bloom data export":  firstOnly(dataNames),
		"bloom data generate": firstOnly(cobra.FixedCompletions([]string{"company"},
			cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveNoSpace)),
		"bloom data blocks": firstOnly(dataNames),
		"bloom predict":     runFolders,
		"bloom embed":       runFolders,
		"bloom explain":     runFolders,
		"bloom certify":     runFolders,
		"bloom audit":       runFolders,
		"bloom add":         runFolders,
		"bloom forget":      runFolders,
		"bloom what-if":     runFolders,
		"bloom report":      runFolders,
	}
	completesFlags = map[string]cobra.CompletionFunc{
		"recipe": recipeNames,
		"data":   dataNames,
		"set":    settings,
		"resume": runFolders,
	}
)

// complete teaches cmd and the commands below it to complete.
func complete(cmd *cobra.Command) {
	if f := completesArgs[cmd.CommandPath()]; f != nil {
		cmd.ValidArgsFunction = f
	}
	for name, f := range completesFlags {
		if cmd.Flags().Lookup(name) != nil {
			_ = cmd.RegisterFlagCompletionFunc(name, f) // fails only if it was registered before
		}
	}
	for _, sub := range cmd.Commands() {
		complete(sub)
	}
}

// firstOnly completes the first argument alone.
func firstOnly(f cobra.CompletionFunc) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return f(cmd, args, typed)
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

// recipeNames completes to recipes and baselines.
func recipeNames(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var names []string
	for _, line := range recipeLines() {
		names = append(names, cobra.CompletionWithDesc(line.Name, line.Summary))
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// energyNames completes to recipes and files.
func energyNames(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var names []string
	for _, r := range recipe.All() {
		names = append(names, cobra.CompletionWithDesc(r.Name, r.Summary))
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
