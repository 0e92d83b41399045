"""One JSON command a line on standard input, one JSON answer a line on standard output."""

import json
import os
import sys

# Whatever the clients and their browser print goes to standard error, so that standard output has only answers.
_answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)


def say(answer):
    _answers.write(json.dumps(answer) + "\n")
    _answers.flush()


def answer_each(carry_out, more_about=lambda error: {}):
    """Answers each command with what carry_out returns; an exception becomes its class, its text and more."""
    for line in sys.stdin:
        try:
            answer = carry_out(json.loads(line))
        except Exception as error:  # whoever asked asserts which one it should have been
            answer = {"error": type(error).__name__, "message": str(error), **more_about(error)}
        say(answer)
