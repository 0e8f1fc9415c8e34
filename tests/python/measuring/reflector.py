"""A STAMP reflector (RFC 8762) that keeps each packet for a while, and says so.

python reflector.py ADDRESS PORT SECONDS
"""

import socket
import struct
import sys
import time

NTP_BEFORE_1970_S = 2_208_988_800
ERROR = 1
"""An error estimate: 2^-32 s, of a clock that nothing synchronizes."""


def now() -> bytes:
    """Give the time as NTP writes it."""
    seconds, nanos = divmod(time.time_ns(), 10**9)
    return struct.pack("!II", seconds + NTP_BEFORE_1970_S, (nanos << 32) // 10**9)


def main() -> None:
    """Answer, for ever."""
    address, port, seconds = sys.argv[1:]
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as end:
        end.bind((address, int(port)))
        while True:
            asked, sender = end.recvfrom(1500)
            came = now()
            time.sleep(float(seconds))
            number, of_sender = asked[:4], asked[:14]
            answer = number + now() + struct.pack("!HH", ERROR, 0) + came + of_sender
            end.sendto(answer.ljust(len(asked), b"\0"), sender)


if __name__ == "__main__":
    main()
