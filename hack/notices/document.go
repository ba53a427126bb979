package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

const heading = `Third-party software in this program

Numbers in brackets refer to the texts below. "go mod download MODULE@VERSION" fetches the source
of a module.

`

// texts collects different texts, each under a number.
type texts struct {
	numbers map[string]int
	written strings.Builder
}

// document writes the list of modules, and then each of their texts once.
func document(modules []module) string {
	var list strings.Builder
	all := texts{numbers: map[string]int{}}
	list.WriteString(heading)
	for _, m := range modules {
		fmt.Fprintf(&list, "%s %s (%s)", m.path, m.version, strings.Join(m.licenses, ", "))
		if numbers := all.of(m); numbers != nil {
			fmt.Fprintf(&list, " %v", numbers)
		}
		list.WriteString("\n")
		if m.note != "" {
			fmt.Fprintf(&list, "    %s\n", m.note)
		}
	}
	return list.String() + all.written.String()
}

// of returns the numbers of a module's texts.
func (t *texts) of(m module) []int {
	var numbers []int
	for _, name := range slices.Sorted(maps.Keys(m.texts)) {
		if number := t.number(name, m.texts[name]); !slices.Contains(numbers, number) {
			numbers = append(numbers, number)
		}
	}
	return numbers
}

// number returns the number of a text, and writes it if it is new. Line ends and space around a
// text make no other text of it.
func (t *texts) number(name, text string) int {
	text = strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n"))
	number, known := t.numbers[text]
	if !known {
		number = len(t.numbers) + 1
		t.numbers[text] = number
		fmt.Fprintf(&t.written, "\n%s\n[%d] %s\n\n%s\n", strings.Repeat("=", 80), number, name, text)
	}
	return number
}
