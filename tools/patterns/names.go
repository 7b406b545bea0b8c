// Prints the rows of crates/document/src/pattern/names.rs: every name that Go's regexp finds
// behind \p, in the form Go looks it up by, with the query that names the same
// set to regex-syntax and the number of runes Go keeps for it.
package main

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"sort"
	"strings"
	"unicode"
)

// key is the form in which Go looks a name up: no separators, one capital.
func key(name string) string {
	name = strings.NewReplacer("_", "", "-", "", " ", "").Replace(name)
	return strings.ToUpper(name[:1]) + strings.ToLower(name[1:])
}

func main() {
	queries := map[string]string{}
	add := func(name, query string) {
		// A name whose own key Go cannot find (scripts of two words) is left out.
		if _, err := regexp.Compile(`\p{` + name + `}`); err == nil {
			queries[key(name)] = query
		}
	}
	for name := range unicode.Scripts {
		add(name, "sc="+name)
	}
	for alias, name := range unicode.CategoryAliases {
		add(alias, "gc="+name)
	}
	for name := range unicode.Categories {
		add(name, "gc="+name)
	}
	for _, name := range []string{"Any", "Assigned", "ASCII"} {
		add(name, strings.ToLower(name))
	}
	var names []string
	for name := range queries {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		runes := 0
		for _, flags := range []syntax.Flags{syntax.Perl, syntax.Perl | syntax.FoldCase} {
			re, err := syntax.Parse(`\p{`+name+`}`, flags)
			if err != nil {
				panic(err)
			}
			runes = max(runes, len(re.Rune))
		}
		fmt.Printf("    (%q, %q, %d),\n", name, queries[name], runes)
	}
}
