"""A process that speaks S3 on the address it is given, and keeps its objects in memory.

A line on its input closes its port, the next one opens it again; it ends with its input.
"""

import sys

from moto.server import ThreadedMotoServer


def main(host: str) -> None:
    server = ThreadedMotoServer(host, port=0, verbose=False)
    server.start()
    port = server.get_host_and_port()[1]
    print(port, flush=True)  # noqa: T201
    for _ in sys.stdin:
        server.stop()
        print("shut", flush=True)  # noqa: T201
        sys.stdin.readline()
        server = ThreadedMotoServer(host, port, verbose=False)
        server.start()
        print("open", flush=True)  # noqa: T201


if __name__ == "__main__":
    main(sys.argv[1])
