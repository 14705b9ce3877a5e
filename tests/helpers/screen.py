"""The screen of a terminal as an SVG picture: tmux capture-pane -e -p | screen.py COLUMNS >PICTURE.

The pictures of the guides were made so, of runs in a terminal of tmux. Only the colours that cctr
uses are known.
"""
import html
import re
import sys

WIDTH, HEIGHT, MARGIN = 8.4, 19, 14
COLOURS = {"31": "#ff7b72", "32": "#56d364", "33": "#e3b341", "90": "#8b949e"}


def spans(line, colour):
    """-> the line as tspan elements, and the colour that goes on after it."""
    out = []
    for part in re.split(r"(\x1b\[[0-9;]*m)", line):
        if part.startswith("\x1b"):
            colour = COLOURS.get(part[2:-1].split(";")[-1])
        elif part:
            fill = f' fill="{colour}"' if colour else ""
            text = html.escape(part, quote=False).replace(" ", "\u00a0")
            out.append(f"<tspan{fill}>{text}</tspan>" if colour else text)
    return "".join(out), colour


lines = sys.stdin.read().rstrip().split("\n")
width = int(int(sys.argv[1]) * WIDTH) + 2 * MARGIN
height = len(lines) * HEIGHT + 2 * MARGIN
print(f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">')
print(f'<rect width="{width}" height="{height}" rx="8" fill="#0d1117"/>')
print('<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, DejaVu Sans Mono, monospace" '
      'font-size="14" fill="#c9d1d9">')
now = None
for at, text in enumerate(lines):
    made, now = spans(text, now)
    if made:
        print(f'<text x="{MARGIN}" y="{MARGIN + HEIGHT * (at + 1) - 5}">{made}</text>')
print("</g>\n</svg>")
