// Parsers in Go behind the protocol of the robots.txt test suite: `adapter PEER`.
package main

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"

	"github.com/jimsmart/grobotstxt"
	"github.com/temoto/robotstxt"
)

const longestQuestion = 4 << 20

type question struct {
	ID     string `json:"id"`
	Robots []byte `json:"robots"`
	Agent  string `json:"agent"`
	URL    string `json:"url"`
}

type answer struct {
	ID      string `json:"id"`
	Allowed *bool  `json:"allowed,omitempty"`
	Cannot  string `json:"cannot,omitempty"`
}

func main() {
	ask := map[string]func(question) (bool, error){
		"grobotstxt":       askGrobotstxt,
		"temoto/robotstxt": askTemoto,
	}[os.Args[1]]
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, longestQuestion)
	out := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		var asked question
		if err := json.Unmarshal(lines.Bytes(), &asked); err != nil {
			panic(err)
		}
		told := answer{ID: asked.ID}
		if allowed, err := ask(asked); err != nil {
			told.Cannot = err.Error()
		} else {
			told.Allowed = &allowed
		}
		if err := out.Encode(told); err != nil {
			panic(err)
		}
	}
}

func askGrobotstxt(asked question) (bool, error) {
	return grobotstxt.AgentAllowed(string(asked.Robots), asked.Agent, asked.URL), nil
}

// Takes the path of a URL, not the URL.
func askTemoto(asked question) (bool, error) {
	data, err := robotstxt.FromBytes(asked.Robots)
	if err != nil {
		return false, err
	}
	_, rest, _ := strings.Cut(asked.URL, "://")
	path := "/"
	if at := strings.IndexByte(rest, '/'); at >= 0 {
		path = rest[at:]
	}
	return data.TestAgent(path, asked.Agent), nil
}
