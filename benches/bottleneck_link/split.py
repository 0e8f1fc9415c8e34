"""Have an interface split TCP's bursts in software: switch its own segmentation off.

Usage: split.py INTERFACE, as root. As `ethtool -K INTERFACE tso off` would do.
"""

import ctypes
import fcntl
import socket
import struct
import sys

SIOCETHTOOL, ETHTOOL_STSO = 0x8946, 0x1F  # linux/sockios.h, linux/ethtool.h


def main() -> None:
    """Ask the driver."""
    value = ctypes.create_string_buffer(struct.pack("II", ETHTOOL_STSO, 0))
    request = struct.pack("16sP16x", sys.argv[1].encode(), ctypes.addressof(value))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, SIOCETHTOOL, request)


if __name__ == "__main__":
    main()
