"""One HTTP request that ends whatever the server does: at a moment, and after so many bytes.

The timeouts of the client library are for each silence; a server that sends a byte now and then, in its headers too,
would be waited for without end. So the limits lie below it, where bytes come in.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any, NamedTuple

import httpcore2
import httpx2

if TYPE_CHECKING:
    import ssl
    from collections.abc import Mapping

__all__ = ["Answer", "Exchange", "NotReachedError", "SilentError", "TooLargeError", "TooLateError"]

_PIECE = 65_536
_KEPT_CONNECTIONS = 20
_KEPT_SECONDS = 5.0


class Answer(NamedTuple):
    """The status, the headers by their names in lower case, and the body."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class NotReachedError(Exception):
    """There is no such server, it does not speak HTTP, or the connection broke."""


class SilentError(Exception):
    """Nothing came for as long as a silence may last."""


class TooLateError(Exception):
    """The answer was not there at the end of the time for the whole."""


class TooLargeError(Exception):
    """More came than the answer may have."""


class _Limits(threading.local):
    """What is left to the request that this thread makes."""

    end = 0.0
    bytes_left = 0

    def seconds(self, silence: float | None) -> float:
        """How long the next step may last, in which `silence` is the longest wait."""
        left = self.end - time.monotonic()
        if left <= 0:
            raise TooLateError
        return left if silence is None else min(left, silence)

    def take(self, count: int) -> None:
        self.bytes_left -= count
        if self.bytes_left < 0:
            raise TooLargeError


class Exchange:
    """The connections to a server, kept between requests; threads may share them."""

    def __init__(self, url: str) -> None:
        parts = httpx2.URL(url)
        self._url = httpcore2.URL(scheme=parts.raw_scheme, host=parts.raw_host, port=parts.port, target=parts.raw_path)
        self._limits = _Limits()
        self._pool = httpcore2.ConnectionPool(
            ssl_context=httpx2.create_ssl_context(trust_env=False),
            max_connections=None,
            max_keepalive_connections=_KEPT_CONNECTIONS,
            keepalive_expiry=_KEPT_SECONDS,
            network_backend=_Backend(self._limits),
        )

    def post(self, content: bytes, headers: Mapping[str, str], *, silence: float, total: float, limit: int) -> Answer:
        """The answer, of at most `limit` bytes with its headers, after at most `total` seconds.

        Raises:
            NotReachedError: there was no answer in HTTP.
            SilentError: nothing came for `silence` seconds.
            TooLateError: not all of it came in time.
            TooLargeError: more came.
        """
        self._limits.end, self._limits.bytes_left = time.monotonic() + total, limit
        timeouts = dict.fromkeys(("connect", "read", "write", "pool"), silence)
        try:
            with self._pool.stream(
                "POST", self._url, headers=list(headers.items()), content=content, extensions={"timeout": timeouts}
            ) as response:
                body = b"".join(response.iter_stream())  # read to its end, or the connection could not be kept
        except httpcore2.TimeoutException as error:
            raise (TooLateError if time.monotonic() >= self._limits.end else SilentError) from error
        except (httpcore2.NetworkError, httpcore2.ProtocolError, httpcore2.UnsupportedProtocol) as error:
            raise NotReachedError(type(error).__name__) from error
        texts = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in response.headers}
        return Answer(response.status, texts, body)

    def close(self) -> None:
        """Close the connections."""
        self._pool.close()


class _Backend(httpcore2.NetworkBackend):
    """Opens connections that keep to the limits."""

    def __init__(self, limits: _Limits) -> None:
        self._limits = limits
        self._inner = httpcore2.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Any = None,
    ) -> httpcore2.NetworkStream:
        seconds = self._limits.seconds(timeout)
        stream = self._inner.connect_tcp(host, port, seconds, local_address, socket_options)
        return _Stream(stream, self._limits)


class _Stream(httpcore2.NetworkStream):
    """A connection, each of whose steps ends with the time for the whole."""

    def __init__(self, inner: httpcore2.NetworkStream, limits: _Limits) -> None:
        self._inner = inner
        self._limits = limits

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        found = self._inner.read(max_bytes, self._limits.seconds(timeout))
        self._limits.take(len(found))
        return found

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        for start in range(0, len(buffer), _PIECE):
            self._inner.write(buffer[start : start + _PIECE], self._limits.seconds(timeout))

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        stream = self._inner.start_tls(ssl_context, server_hostname, self._limits.seconds(timeout))
        return _Stream(stream, self._limits)

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)
