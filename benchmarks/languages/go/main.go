// A parser in Go, asked over stdin: `harness PEER FOLDER`. The questions and the answers are
// those of benchmarks/languages/protocol.py.
package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/jimsmart/grobotstxt"
	"github.com/temoto/robotstxt"
)

const toldNothing = 'e'

// What is parsed ends here, so that no parsing can be left out.
var sink any

func main() {
	if len(os.Args) != 3 {
		fail("harness PEER FOLDER")
	}
	peer, folder := os.Args[1], os.Args[2]
	kinds := map[string]func() parser{
		"grobotstxt":       func() parser { return grobots{} },
		"temoto/robotstxt": func() parser { return temoto{} },
	}
	kind, known := kinds[peer]
	if !known {
		fail("`" + peer + "` is no peer")
	}
	serve(peer, harness{folder: folder, parser: kind(), sites: map[string]*site{}})
}

func fail(why string) {
	fmt.Fprintln(os.Stderr, "error: "+why)
	os.Exit(1)
}

// --- peers ----------------------------------------------------------------------------------

// A parser, as its documentation says it is used.
type parser interface {
	// What a site's body and URLs are for this parser; made outside the clock.
	prepare(*site)
	parseOnly(*site) bool
	// What answers about the URL of an index; nil when there is none.
	parse(*site) func(int) bool
}

// Google's parser in Go: keeps nothing, and parses anew for every answer.
type grobots struct{}

func (grobots) prepare(s *site) { s.text = string(s.body) }

func (grobots) parseOnly(s *site) bool {
	grobotstxt.Parse(s.text, &listener{})
	return true
}

func (grobots) parse(s *site) func(int) bool {
	return func(at int) bool { return grobotstxt.AgentAllowed(s.text, s.token, s.urls[at]) }
}

// Hears of every line and keeps a number.
type listener struct{ sum int }

func (l *listener) HandleRobotsStart()                               {}
func (l *listener) HandleRobotsEnd()                                 { sink = l.sum }
func (l *listener) HandleUserAgent(line int, _ string)               { l.sum += line }
func (l *listener) HandleAllow(line int, _ string)                   { l.sum += line }
func (l *listener) HandleDisallow(line int, _ string)                { l.sum += line }
func (l *listener) HandleSitemap(line int, _ string)                 { l.sum += line }
func (l *listener) HandleUnknownAction(line int, _ string, _ string) { l.sum += line }

// Keeps all groups, finds one for a crawler, and takes the path of a URL, not the URL.
type temoto struct{}

func (temoto) prepare(s *site) {
	for _, url := range s.urls {
		_, rest, _ := strings.Cut(url, "://")
		s.paths = append(s.paths, rest[strings.IndexByte(rest, '/'):])
	}
}

func (temoto) parseOnly(s *site) bool {
	data, err := robotstxt.FromBytes(s.body)
	sink = data
	return err == nil
}

func (temoto) parse(s *site) func(int) bool {
	data, err := robotstxt.FromBytes(s.body)
	if err != nil {
		return nil
	}
	group := data.FindGroup(s.token)
	return func(at int) bool { return group.Test(s.paths[at]) }
}

// --- questions ------------------------------------------------------------------------------

type harness struct {
	folder   string
	parser   parser
	contacts []*site
	sites    map[string]*site
}

// What one question took, and what was answered: the answers of the last pass, and how many of
// all passes were "allowed".
type reply struct {
	nanos   int64
	allowed int
	answers []byte
}

func serve(peer string, h harness) {
	hello(peer)
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		r := h.replyTo(strings.Split(lines.Text(), " "))
		fmt.Printf("{\"ns\": %d, \"allowed\": %d, \"answers\": \"%s\"}\n", r.nanos, r.allowed, r.answers)
	}
}

func hello(peer string) {
	version := "?"
	info, _ := debug.ReadBuildInfo()
	for _, module := range info.Deps {
		if strings.HasSuffix(module.Path, "/"+peer) {
			version = strings.TrimPrefix(module.Version, "v")
		}
	}
	fmt.Printf("{\"peer\": %q, \"version\": %q, \"runtime\": \"Go %s\"}\n",
		peer, version, strings.TrimPrefix(runtime.Version(), "go"))
}

func (h *harness) replyTo(words []string) reply {
	switch words[0] {
	case "parse":
		contacts := h.allContacts()
		return measured(len(contacts), number(words[1]), func(at int) bool {
			return h.parser.parseOnly(contacts[at])
		})
	case "contact":
		contacts := h.allContacts()
		return measured(len(contacts), number(words[1]), func(at int) bool {
			return h.parsedAndAsked(contacts[at])
		})
	case "load":
		h.site(words[1])
		return reply{}
	case "first":
		s := h.site(words[1])
		return measured(1, number(words[2]), func(int) bool { return h.parsedAndAsked(s) })
	case "answer":
		// Parsed and asked twice before the clock starts: what is made once is made.
		ask := h.parser.parse(h.site(words[1]))
		measured(1, 2, ask)
		return measured(number(words[2]), number(words[3]), ask)
	}
	fail("`" + strings.Join(words, " ") + "` is no question")
	return reply{}
}

// Panics when there is nothing to ask, as parsers do that cannot answer.
func (h *harness) parsedAndAsked(s *site) bool {
	return h.parser.parse(s)(0)
}

func measured(count, passes int, ask func(int) bool) reply {
	answers, allowed := make([]byte, count), 0
	start := time.Now()
	for pass := 0; pass < passes; pass++ {
		for at := range answers {
			answers[at] = answer(ask, at)
			if answers[at] == '1' {
				allowed++
			}
		}
	}
	return reply{time.Since(start).Nanoseconds(), allowed, answers}
}

func answer(ask func(int) bool, at int) (told byte) {
	defer func() {
		if recover() != nil {
			told = toldNothing
		}
	}()
	if ask(at) {
		return '1'
	}
	return '0'
}

// --- inputs ---------------------------------------------------------------------------------

// A body, a product token, and URLs; `text` and `paths` for who takes these.
type site struct {
	body  []byte
	text  string
	token string
	urls  []string
	paths []string
}

func (h *harness) allContacts() []*site {
	if h.contacts == nil {
		entries := unpacked(filepath.Join(h.folder, "contacts.pack"))
		for at := 0; at < len(entries); at += 3 {
			h.contacts = append(h.contacts, h.siteOf(entries[at:at+3]))
		}
	}
	return h.contacts
}

func (h *harness) site(file string) *site {
	if h.sites[file] == nil {
		h.sites[file] = h.siteOf(unpacked(filepath.Join(h.folder, file+".pack")))
	}
	return h.sites[file]
}

func (h *harness) siteOf(entries [][]byte) *site {
	s := &site{body: entries[0], token: string(entries[1])}
	for _, url := range entries[2:] {
		s.urls = append(s.urls, string(url))
	}
	h.parser.prepare(s)
	return s
}

// The entries of a pack: for each its length in decimal, a line feed, its bytes.
func unpacked(path string) (entries [][]byte) {
	pack, err := os.ReadFile(path)
	if err != nil {
		fail(err.Error())
	}
	for len(pack) > 0 {
		head, rest, _ := bytes.Cut(pack, []byte("\n"))
		length := number(string(head))
		entries, pack = append(entries, rest[:length:length]), rest[length:]
	}
	return entries
}

func number(word string) int {
	value, err := strconv.Atoi(word)
	if err != nil {
		fail("`" + word + "` is no number")
	}
	return value
}
