package method

import "testing"

// TestBare checks that commands which a shell reads alike are the same, and that
// no others are.
func TestBare(t *testing.T) {
	same := [][2]string{
		{"exit 3", "exit 3 "},
		{"exit 3", "  exit \t 3\n"},
		{"exit 3", "exit 3 # once more"},
		{"exit 3", "# once more\nexit 3"},
		{"a\nb", "a # first\n\n  b"},
		{"echo 'a  b'", "echo  'a  b'"},
		{"cat <<E\na\nE", "cat <<E\na\nE\n"},
	}
	for _, c := range same {
		if bare(c[0]) != bare(c[1]) {
			t.Errorf("%q and %q are %q and %q", c[0], c[1], bare(c[0]), bare(c[1]))
		}
	}
	differ := [][2]string{
		{"exit 3", "exit 33"},
		{"a b", "ab"},
		{"a b", "a\nb"},
		{"echo 'a  b'", "echo 'a b'"},
		{`echo "a  b"`, `echo "a b"`},
		{`echo "a # b"`, `echo "a # c"`},
		{`echo a\ b`, `echo a\  b`},
		{`echo a\#b`, `echo a\#c`},
		{"echo a#b", "echo a#c"},
		{"echo $#", "echo $"},
		{`echo "a\"  b"`, `echo "a\" b"`},
		{`echo "$(echo "a  b")"`, `echo "$(echo "a b")"`},
		{"cat <<E\na  b\nE", "cat <<E\na b\nE"},
		{"echo 'a\n\nb'", "echo 'a\nb'"},
	}
	for _, c := range differ {
		if bare(c[0]) == bare(c[1]) {
			t.Errorf("%q and %q are the same: %q", c[0], c[1], bare(c[0]))
		}
	}
	if got := bare("exit 3;# x"); got != "exit 3;" {
		t.Errorf("a comment behind a sign is read: %q", got)
	}
}
