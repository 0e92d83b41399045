"""Teaches Schemathesis how to write a body of assertions."""

import schemathesis


@schemathesis.serializer("application/x.ubuntu.assertion")
def assertions(ctx, value):
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogatepass")
