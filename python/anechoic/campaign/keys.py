"""Keys of a Dask cluster, made for one run: who has them is let in, nobody else is."""

import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_ROLES = ("scheduler", "worker", "client")
_NAMES = ("tls_ca_file", *(f"tls_{role}_{part}" for role in _ROLES for part in ("key", "cert")))

Keys = Mapping[str, str]
"""Keys and certificates by the names that Dask has for them: what they say, or their files."""


def made() -> Keys:
    """Make keys, which stand in memory alone."""
    from distributed.security import Security

    made = Security.temporary()  # type: ignore[no-untyped-call]
    return {name: getattr(made, name) for name in _NAMES}


def security(keys: Keys) -> Any:
    """Give what Dask asks of a connection: these keys, at either end."""
    from distributed.security import Security

    return Security(require_encryption=True, **keys)  # type: ignore[no-untyped-call]


class KeyFolder:
    """Keys in files that only their owner may read, for programs on other machines."""

    def __init__(self, keys: Keys, shared: Path) -> None:
        """Write them into a private folder in one that all of the machines see."""
        self._folder = Path(tempfile.mkdtemp(prefix=".anechoic-keys-", dir=shared))
        self.keys = {name: self._written(name, text) for name, text in keys.items()}

    def close(self) -> None:
        """Remove them."""
        shutil.rmtree(self._folder, ignore_errors=True)

    def environment(self) -> dict[str, str]:
        """Give the environment of a client that has them."""
        names = {"CA_FILE": "ca_file", "CLIENT__KEY": "client_key", "CLIENT__CERT": "client_cert"}
        return {
            f"DASK_DISTRIBUTED__COMM__TLS__{variable}": self.keys[f"tls_{name}"]
            for variable, name in names.items()
        }

    def _written(self, name: str, text: str) -> str:
        path = self._folder / name
        path.touch(0o600)
        path.write_text(text, "utf-8")
        return str(path)
