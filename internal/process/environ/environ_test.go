package environ

import (
	"errors"
	"os"
	osexec "os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func TestEnvironment(t *testing.T) {
	t.Setenv("PLANLOCK_TEST_SECRET", "s")
	t.Setenv("PLANLOCK_TEST_NAMED", "n")
	for _, name := range []string{"LD_PRELOAD", "BASH_ENV", "GIT_DIR", "GIT_CONFIG_PARAMETERS"} {
		t.Setenv(name, "")
	}
	t.Setenv("GIT_AUTHOR_NAME", "me")
	got := For([]string{"PLANLOCK_TEST_NAMED", "LD_PRELOAD", "BASH_ENV", "GIT_DIR", "git_config_parameters", "GIT_AUTHOR_NAME", "A=B"})
	names := make(map[string]bool)
	for _, assignment := range got {
		name, _, _ := strings.Cut(assignment, "=")
		if names[name] {
			t.Errorf("%s is there twice", name)
		}
		names[name] = true
	}
	for name, want := range map[string]bool{
		"PATH": true, "PLANLOCK_TEST_NAMED": true, "GIT_AUTHOR_NAME": true, "GIT_OPTIONAL_LOCKS": true, "GIT_TERMINAL_PROMPT": true,
		"PLANLOCK_TEST_SECRET": false, "LD_PRELOAD": false, "BASH_ENV": false, "GIT_DIR": false,
		"GIT_CONFIG_PARAMETERS": false,
	} {
		if names[name] != want {
			t.Errorf("%s is there: %v", name, names[name])
		}
	}
}

func TestLookPassesOverRelativeFolders(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs files that can be run")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "tool"), []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if path, err := Look("tool", dir, []string{"PATH=.::" + "bin"}); !errors.Is(err, osexec.ErrNotFound) {
		t.Errorf("found %q, %v", path, err)
	}
	for _, name := range []string{"./tool", filepath.Join(dir, "tool")} {
		if path, err := Look(name, dir, nil); path != filepath.Join(dir, "tool") {
			t.Errorf("found %q, %v", path, err)
		}
	}
}

func TestSecretNames(t *testing.T) {
	for name, want := range map[string]bool{
		"TOKEN": true, "GITHUB_TOKEN": true, "api_key": true, "APIKEY": true, "AWS_SECRET_ACCESS_KEY": true, "DB_PASSWORD": true, "PASSWD": true,
		"GPG_PASSPHRASE": true, "GOOGLE_APPLICATION_CREDENTIALS": true, "KEYS": true, "TOKEN_OF_DEPLOYMENT": true,
		"PATH": false, "KEYBOARD": false, "TOKENIZER": false, "SECRETARY": false, "GOPRIVATE": false, "": false,
		"S": false,
	} {
		if Secret(name) != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
	for _, name := range append(append([]string{}, base...), baseWindows...) {
		if Secret(name) {
			t.Errorf("%s, which every command gets, is taken for a secret", name)
		}
	}
}

// TestRuntimeFolderIsTheUsers has the folder of the user's services named to no
// command, unless the plan says so.
func TestRuntimeFolderIsTheUsers(t *testing.T) {
	t.Setenv("XDG_RUNTIME_DIR", "/run/user/1000")
	const want = "XDG_RUNTIME_DIR=/run/user/1000"
	for named, there := range map[string]bool{"": false, "XDG_RUNTIME_DIR": true} {
		if got := slices.Contains(For([]string{named}), want); got != there {
			t.Errorf("named %q it is there: %v, want %v", named, got, there)
		}
	}
}
