package notify

import (
	"os/exec"
	"runtime"
)

// balloon shows a message on Windows: its text is in a variable, so that nothing
// in it is a script.
const balloon = `Add-Type -AssemblyName System.Windows.Forms, System.Drawing; $n = New-Object System.Windows.Forms.NotifyIcon; ` +
	`$n.Icon = [System.Drawing.SystemIcons]::Information; $n.Visible = $true; ` +
	`$n.ShowBalloonTip(3000, 'planlock', $env:PLANLOCK_TEXT, 'Info'); Start-Sleep -Seconds 3; $n.Dispose()`

// desktop is the program that shows a text on the desktop, with its arguments;
// none where none is there.
func desktop(text string) []string {
	args := map[string][]string{
		"darwin":  {"osascript", "-e", "on run argv", "-e", `display notification (item 1 of argv) with title "planlock"`, "-e", "end run", text},
		"windows": {"powershell", "-NoProfile", "-NonInteractive", "-Command", balloon},
	}[runtime.GOOS]
	if args == nil {
		args = []string{"notify-send", "--app-name=planlock", "--", text} // as the summary, in which nothing is markup
	}
	if _, err := exec.LookPath(args[0]); err != nil {
		return nil
	}
	return args
}
