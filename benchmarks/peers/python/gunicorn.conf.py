"""Configures one worker that keeps connections open; the default one closes them after each response."""

bind = "127.0.0.1:0"
workers = 1
worker_class = "gthread"
threads = 32
keepalive = 75
# Loads the program, and so its root key, before the worker is forked.
preload_app = True
control_socket_disable = True


def when_ready(server):
    port = server.LISTENERS[0].sock.getsockname()[1]
    print("listening on http://127.0.0.1:%d" % port, flush=True)
