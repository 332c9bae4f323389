#!/usr/bin/env python3
"""An executor in Python: it writes the file that the step declares."""
import json, sys

def say(**event):
    print(json.dumps(event), flush=True)

request = json.loads(sys.stdin.readline())
if request["type"] == "version":
    say(type="version", name="scribe", version="1.0")
    sys.exit()
words = {"1.1": ("w", "Hello\n"), "1.2": ("a", "reader\n")}
if request["step"] not in words:
    say(type="result", ok=False, error="this step is not known")
    sys.exit()
mode, text = words[request["step"]]
with open("greeting.txt", mode) as file:
    file.write(text)
say(type="log", text="attempt %d" % request["attempt"])
say(type="result", ok=True, output="written")
