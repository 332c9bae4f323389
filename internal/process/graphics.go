package process

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/planlock/planlock/internal/process/environ"
)

// graphics finds the devices of the graphics processors below a folder, in the
// order of their numbers: those of one maker, or else whatever can render.
func graphics(dev string) []string {
	for _, pattern := range []string{"nvidia[0-9]*", "dri/renderD*"} {
		if found, _ := filepath.Glob(filepath.Join(dev, filepath.FromSlash(pattern))); len(found) > 0 {
			slices.SortFunc(found, func(a, b string) int { return deviceNumber(a) - deviceNumber(b) })
			return found
		}
	}
	return nil
}

// drivers are the devices that libraries open beside those of the processors.
var drivers = []string{"nvidiactl", "nvidia-uvm", "nvidia-uvm-tools", "nvidia-modeset", "kfd"}

// shared parts the devices that were found below dev: what a command opens that
// may use the first n processors, and those of the other ones.
func shared(dev string, found []string, n int) (open, hidden []string) {
	n = min(n, len(found))
	if open, hidden = slices.Clone(found[:n]), found[n:]; n > 0 {
		for _, name := range drivers {
			open = append(open, dev+"/"+name)
		}
	}
	return open, hidden
}

// deviceNumber is the number at the end of a device's name.
func deviceNumber(path string) int {
	n, _ := strconv.Atoi(path[1+strings.LastIndexFunc(path, func(r rune) bool { return r < '0' || r > '9' }):])
	return n
}

// graphicsVariables tell libraries which graphics processors they may use, by
// their numbers.
var graphicsVariables = []string{"CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES"}

// withGraphics is an environment that tells libraries to use the first n
// graphics processors only.
func withGraphics(env []string, n int) []string {
	numbers := make([]string, n)
	for i := range numbers {
		numbers[i] = strconv.Itoa(i)
	}
	var lines []string
	for _, name := range graphicsVariables {
		lines = append(lines, name+"="+strings.Join(numbers, ","))
	}
	return environ.Merge(env, lines)
}
