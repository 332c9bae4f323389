package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// mostStolen is the part of the processors that others may take while a row is
// measured.
const mostStolen = 0.05

// A meter measures groups of rows, one after another.
type meter struct {
	settings
	until time.Time // up to then rows are measured again that others disturbed
	clock func() processors
	all   table
}

// measure measures a group of rows on a machine at rest. If others disturbed
// it, it does so again as long as there is time; what it measured before is
// dropped whatever it was.
func (m *meter) measure(group func(*table) error) error {
	for {
		rest()
		var rows table
		before := m.clock()
		if err := group(&rows); err != nil || len(rows) == 0 {
			return err
		}
		stolen, known := m.clock().stolenSince(before)
		if stolen > mostStolen && time.Now().Before(m.until) {
			fmt.Fprintf(os.Stderr, "limits: others took %.0f%% of the processors, %q is measured again\n", 100*stolen,
				rows[0].goal)
			continue
		}
		for i := range rows {
			if known {
				rows[i].stolen = fmt.Sprintf("%.0f%%", 100*stolen)
			}
		}
		m.all = append(m.all, rows...)
		return nil
	}
}

// processors says how long the processors worked for this machine, and how long
// they did not although it wanted them to, as a host of several machines
// decided; in ticks.
type processors struct{ worked, stolen float64 }

// clock reads it; zero where nobody says it.
func clock() processors {
	text, _ := os.ReadFile("/proc/stat") // only Linux has it
	return parseStat(string(text))
}

// parseStat takes it from the first line of /proc/stat; see proc_stat(5).
func parseStat(text string) (p processors) {
	line, _, _ := strings.Cut(text, "\n")
	for i, field := range strings.Fields(line) {
		ticks, err := strconv.ParseFloat(field, 64)
		switch {
		case err != nil || i == 4 || i == 5 || i > 8: // the name, the times of idleness, and what is counted twice
		case i == 8:
			p.stolen = ticks
		default:
			p.worked += ticks
		}
	}
	return p
}

// stolenSince is the part of the wanted time since before that others had.
func (p processors) stolenSince(before processors) (part float64, known bool) {
	stolen := p.stolen - before.stolen
	wanted := p.worked - before.worked + stolen
	if wanted <= 0 {
		return 0, false
	}
	return stolen / wanted, true
}
