"""Reads one JSON command per line on standard input, and writes one JSON answer per line on standard output."""

import json
import os
import sys

# Send all output of the clients and their browser to standard error, so that standard output has only answers.
_answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)


def say(answer):
    _answers.write(json.dumps(answer) + "\n")
    _answers.flush()


def answer_each(carry_out, more_about=lambda error: {}):
    """Answers each command with the result of carry_out, or with the class and the text of its exception, and more."""
    for line in sys.stdin:
        try:
            answer = carry_out(json.loads(line))
        except Exception as error:  # the test asserts which exception is expected
            answer = {"error": type(error).__name__, "message": str(error), **more_about(error)}
        say(answer)
