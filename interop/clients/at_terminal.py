"""Runs a command in its own terminal and answers its questions.

Argument: a JSON object with "command" (words), "environment", and "answers": a list of [question, text]. Each text is
typed the instant its question appears. Prints a JSON object: everything that the terminal showed, whether it would have
echoed at each question, and the exit code.
"""

import json
import os
import pty
import sys
import termios

asked = json.loads(sys.argv[1])
child, terminal = pty.fork()
if child == 0:
    os.execve(asked["command"][0], asked["command"], asked["environment"])

shown = b""
echoes = []
waiting = list(asked["answers"])
seen = 0
while True:
    try:
        chunk = os.read(terminal, 4096)
    except OSError:
        # The other end is closed.
        break
    if not chunk:
        break
    shown += chunk
    while waiting and (at := shown.find(waiting[0][0].encode(), seen)) >= 0:
        question, text = waiting.pop(0)
        echoes.append(bool(termios.tcgetattr(terminal)[3] & termios.ECHO))
        os.write(terminal, text.encode())
        seen = at + len(question)

_, status = os.waitpid(child, 0)
print(json.dumps({"shown": shown.decode(), "echoes": echoes, "code": os.waitstatus_to_exitcode(status)}))
