package userkey_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/cmd/internal/userkey"
)

// TestCommandsAtOnceHaveOneKey begins many times at once in a folder that is not
// there.
func TestCommandsAtOnceHaveOneKey(t *testing.T) {
	folder := userkey.Folder{Dir: filepath.Join(t.TempDir(), "state", "keys")}
	const commands = 32
	var all sync.WaitGroup
	found := make([]record.Key, commands)
	for i := range commands {
		all.Go(func() {
			keys, err := folder.Use()
			if err != nil {
				t.Error(err)
			}
			found[i], _ = keys.Public()
		})
	}
	all.Wait()
	for _, key := range found {
		if key == "" || key != found[0] {
			t.Fatalf("keys %q and %q, want one", key, found[0])
		}
	}
	entries, err := os.ReadDir(folder.Dir)
	if err != nil || len(entries) != 1 {
		t.Fatalf("the folder holds %v (%v), want one file", entries, err)
	}
	for path, want := range map[string]os.FileMode{folder.Dir: 0o700, filepath.Join(folder.Dir, "1.pem"): 0o600} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); runtime.GOOS != "windows" && got != want {
			t.Errorf("%s has mode %o, want %o", path, got, want)
		}
	}
}

// TestRenewedKeysAreKept makes two further keys.
func TestRenewedKeysAreKept(t *testing.T) {
	folder := userkey.Folder{Dir: filepath.Join(t.TempDir(), "keys")}
	if keys, err := folder.Read(); err != nil || keys.Signer != nil {
		t.Fatalf("a folder that is not there has the keys %v, %v", keys, err)
	}
	var made []record.Key
	for _, make := range []func() (userkey.Keys, error){folder.Use, folder.Renew, folder.Renew} {
		keys, err := make()
		if err != nil {
			t.Fatal(err)
		}
		key, earlier := keys.Public()
		if len(earlier) != len(made) {
			t.Fatalf("%d earlier keys, want %d", len(earlier), len(made))
		}
		for i, was := range earlier {
			if was != made[len(made)-1-i] {
				t.Errorf("earlier key %d is %s, want the latest first", i, was)
			}
		}
		made = append(made, key)
	}
	if keys, err := folder.Use(); err != nil || filepath.Base(keys.File) != "3.pem" {
		t.Errorf("the key of %s signs (%v), want that of 3.pem", keys.File, err)
	}
}

// TestKeysThatProveNothing are refused by name, and never made anew.
func TestKeysThatProveNothing(t *testing.T) {
	cases := map[string]struct {
		spoil func(t *testing.T, dir, file string) error
		want  string
	}{
		"others may read the file":    {func(_ *testing.T, _, file string) error { return os.Chmod(file, 0o640) }, "chmod 600"},
		"others may write the folder": {func(_ *testing.T, dir, _ string) error { return os.Chmod(dir, 0o770) }, "chmod 700"},
		"no PEM": {func(_ *testing.T, _, file string) error { return os.WriteFile(file, []byte("x"), 0o600) },
			"holds no key in PEM"},
		"a link": {func(_ *testing.T, dir, file string) error {
			elsewhere := filepath.Join(filepath.Dir(dir), "elsewhere")
			if err := os.Rename(file, elsewhere); err != nil {
				return err
			}
			return os.Symlink(elsewhere, file)
		}, "is no file of a key"},
		"a key of another kind": {func(_ *testing.T, _, file string) error {
			const x25519 = "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VuBCIEIHcHbQpzGKV9PBbBclGyZkXfTC+H68CZKrF3+6UduSwq\n-----END PRIVATE KEY-----\n"
			return os.WriteFile(file, []byte(x25519), 0o600)
		}, "of another kind"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if runtime.GOOS == "windows" {
				t.Skip("modes and links are other things there")
			}
			folder := userkey.Folder{Dir: filepath.Join(t.TempDir(), "keys")}
			keys, err := folder.Use()
			if err != nil {
				t.Fatal(err)
			}
			if err := c.spoil(t, folder.Dir, keys.File); err != nil {
				t.Fatal(err)
			}
			for _, use := range []func() (userkey.Keys, error){folder.Read, folder.Use, folder.Renew} {
				if keys, err := use(); err == nil || keys.Signer != nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("got %v, %v, want an error with %q", keys.File, err, c.want)
				}
			}
		})
	}
}

// TestKnownKeys reads a file as people write it.
func TestKnownKeys(t *testing.T) {
	file := filepath.Join(t.TempDir(), "known")
	key := "ed25519:" + strings.Repeat("0a", 32)
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("# of the team\n\n" + key + "  ana of the team\r\n")
	known, err := userkey.Known(file)
	if err != nil || len(known) != 1 || known[record.Key(key)] != "ana of the team" {
		t.Errorf("got %v, %v", known, err)
	}
	write("# of the team\nana " + key + "\n")
	if _, err := userkey.Known(file); err == nil || !strings.Contains(err.Error(), "known:2: ") {
		t.Errorf("got %v, want an error of line 2", err)
	}
}
