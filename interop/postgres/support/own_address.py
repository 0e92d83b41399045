"""Runs Patroni with its own source address, by which proxies recognise the member, as if it had its own machine.

python3 own_address.py ADDRESS CONFIGURATION
"""

import runpy
import socket
import sys

address = sys.argv.pop(1)
connect = socket.socket.connect


def connect_from_address(self, destination):
    if self.family == socket.AF_INET:
        self.bind((address, 0))
    return connect(self, destination)


socket.socket.connect = connect_from_address
runpy.run_module("patroni", run_name="__main__", alter_sys=True)
