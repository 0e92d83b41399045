"""Records the requests that a client logs."""

import logging
from urllib.parse import urlsplit


class RecordedRequests(logging.Handler):
    """Keeps "POST /path" for each request that craft-store's HTTP client, or httpx, logs."""

    def __init__(self):
        super().__init__()
        self._lines = []
        for name, level in (("craft_store.http_client", logging.DEBUG), ("httpx", logging.INFO)):
            logger = logging.getLogger(name)
            logger.setLevel(level)
            logger.addHandler(self)

    def emit(self, record):
        if record.msg.startswith(("HTTP %r for %r", "HTTP Request: %s %s")):
            method, url = record.args[:2]
            self._lines.append("%s %s" % (method, urlsplit(str(url)).path))

    def take(self):
        """Returns the requests since the last call."""
        lines, self._lines = self._lines, []
        return lines
