"""An embedder behind an OpenAI-compatible URL (`POST {base_url}/embeddings`).

Only that URL is called: no redirect is followed, and neither proxies nor credentials are taken from the environment.
Neither the key nor a text nor the server's answer enters a message, since servers repeat what they were sent.
"""

from __future__ import annotations

import json
import os
import threading
import time
from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from memcore.embedding.port import LARGEST_DIMENSION, unit_rows
from memcore.embedding.text import plain_text
from memcore.errors import InvalidInputError, ProviderError, shown
from memcore.scope import checked_name

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from memcore.embedding.exchange import Answer, Exchange

__all__ = ["OpenAIEmbedder"]

_TRIES = 4
_QUERY_TRIES = 2  # a search waits for its query, and goes on without a vector
_FIRST_WAIT = 0.5
_LONGEST_WAIT = 8.0
_LONGEST_SILENCE = 3600
_SILENCES = 4
"""How many silences of the longest kind a request may last, unless told otherwise."""
_LARGEST_BATCH = 10_000
_LARGEST_ANSWER = 2**26
_BYTES_OF_A_NUMBER = 64
"""More than a number in JSON takes, with its indentation."""
_HINTS: dict[int, str] = {
    HTTPStatus.BAD_REQUEST: "; see whether the model knows this input, and shorten the texts or the batch",
    HTTPStatus.UNAUTHORIZED: "; check api_key",
    HTTPStatus.FORBIDDEN: "; check api_key",
    HTTPStatus.NOT_FOUND: "; check base_url (it usually ends in /v1) and model",
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "; shorten the texts or the batch",
}


class OpenAIEmbedder:
    """Vectors from an OpenAI-compatible endpoint; needs `memcore[openai]`. Safe to share between threads."""

    def __init__(
        self,
        base_url: str,
        model: str,
        api_key: str | None = None,
        *,
        dimension: int | None = None,
        batch: int = 20,
        timeout: float = 30.0,
        total_timeout: float | None = None,
        query_prefix: str = "",
        passage_prefix: str = "",
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Name the endpoint; nothing is sent before the first text.

        `dimension` None means: learnt from the first answer. `batch` is the most texts of one request, `timeout` the
        seconds that connecting, and each silence while reading, may last, `total_timeout` those of a request as a
        whole (None: four times `timeout`). An answer may have 64 MiB, or 64 bytes for each number of its vectors where
        that is more. The prefixes are for models that were trained with them. Answers of 429 and 5xx are asked for
        again, four times at most (twice for a question), after .5, 1 and 2 seconds or what `Retry-After` says, but no
        longer than 8; `sleep` is what waits.

        Raises:
            InvalidInputError: an argument is not usable.
        """
        self._url = _endpoint(base_url)
        self.name = _text("model", model)
        self._key = None if api_key is None else _header_text(api_key)
        self._dimension = None if dimension is None else _positive("dimension", dimension, LARGEST_DIMENSION)
        self._batch = _positive("batch", batch, _LARGEST_BATCH)
        self._timeout = _seconds("timeout", timeout, _LONGEST_SILENCE)
        total = _SILENCES * self._timeout if total_timeout is None else total_timeout
        self._total_timeout = _seconds("total_timeout", total, _SILENCES * _LONGEST_SILENCE)
        for field, prefix in (("query_prefix", query_prefix), ("passage_prefix", passage_prefix)):
            if not isinstance(prefix, str):
                raise InvalidInputError(f"{field}: {shown(prefix)} is not accepted; give a string")
        self._prefixes = {True: query_prefix, False: passage_prefix}
        if not callable(sleep):
            raise InvalidInputError(f"sleep: {shown(sleep)} is not accepted; give a function of seconds")
        self._sleep = sleep
        self._lock = threading.Lock()
        self._exchange: tuple[int, Exchange] | None = None

    def __repr__(self) -> str:
        return f"OpenAIEmbedder(base_url={self._url.removesuffix('/embeddings')!r}, model={self.name!r})"

    def __enter__(self) -> OpenAIEmbedder:  # noqa: PYI034  # Self would be typing's, and nobody subclasses this
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def knows_dimension(self) -> bool:
        """Whether `dimension` can be told without a request."""
        return self._dimension is not None

    @property
    def dimension(self) -> int:
        """The length of the vectors: as given, else asked of the endpoint once.

        Raises:
            ProviderError: the endpoint had to be asked and failed.
        """
        if self._dimension is None:
            self.embed(["dimension"])
        assert self._dimension is not None  # noqa: S101  # `embed` sets it or raises
        return self._dimension

    def embed(self, texts: Sequence[str], *, query: bool = False) -> NDArray[np.float32]:
        """Unit rows (n, dimension), in requests of at most `batch` texts.

        Raises:
            ProviderError: httpx2 is missing, or the endpoint is out of reach, refuses, or answers with no vectors.
        """
        import numpy as np

        prefix = self._prefixes[query]
        parts = []
        for start in range(0, len(texts), self._batch):
            part = [plain_text(prefix + text) for text in texts[start : start + self._batch]]
            vectors = _vectors(self._answer(part, tries=_QUERY_TRIES if query else _TRIES), len(part), self.name)
            dimension = self._dimension or _length(vectors, self.name)
            parts.append(unit_rows(vectors, rows=len(part), dimension=dimension, name=self.name, first=start))
            self._dimension = dimension
        return np.concatenate(parts) if parts else np.empty((0, self.dimension), dtype=np.float32)

    def close(self) -> None:
        """Close the connections; the next text opens new ones."""
        with self._lock:
            if self._exchange is not None and self._exchange[0] == os.getpid():
                self._exchange[1].close()
            self._exchange = None

    def _answer(self, texts: list[str], *, tries: int) -> Any:
        """What the endpoint says about `texts`, as parsed JSON, asked for again where that may help."""
        for attempt in range(tries):
            answer = self._post(texts)
            if answer.status == HTTPStatus.OK:
                try:
                    return json.loads(answer.body)
                except (ValueError, RecursionError) as error:
                    raise ProviderError(f"embedder {self.name!r}: the endpoint's answer is not JSON") from error
            if attempt + 1 < tries and _may_pass(answer.status):
                self._sleep(_wait(attempt, answer.headers.get("retry-after")))
                continue
            break
        if HTTPStatus.MULTIPLE_CHOICES <= answer.status < HTTPStatus.BAD_REQUEST:
            raise ProviderError(
                f"embedder {self.name!r}: the endpoint redirects ({answer.status}), which is not followed; "
                "give the final base_url"
            )
        raise ProviderError(
            f"embedder {self.name!r}: the endpoint answered with status {answer.status}{_HINTS.get(answer.status, '')}"
        )

    def _post(self, texts: list[str]) -> Answer:
        exchange = self._connections()
        from memcore.embedding.exchange import NotReachedError, SilentError, TooLargeError, TooLateError

        limit = max(_LARGEST_ANSWER, _BYTES_OF_A_NUMBER * len(texts) * (self._dimension or 0))
        headers = {"Content-Type": "application/json", "Accept": "application/json", "Accept-Encoding": "identity"}
        if self._key is not None:
            headers["Authorization"] = f"Bearer {self._key}"
        content = json.dumps({"model": self.name, "input": texts}, ensure_ascii=False, separators=(",", ":")).encode()
        try:
            return exchange.post(content, headers, silence=self._timeout, total=self._total_timeout, limit=limit)
        except SilentError as error:
            said = f"no answer within {self._timeout:g} s; raise timeout or lower batch"
            raise ProviderError(f"embedder {self.name!r}: {said}") from error
        except TooLateError as error:
            said = f"the answer took more than {self._total_timeout:g} s as a whole; raise total_timeout or lower batch"
            raise ProviderError(f"embedder {self.name!r}: {said}") from error
        except TooLargeError as error:
            said = f"the answer has more than {limit} bytes; check base_url and model, or lower batch"
            raise ProviderError(f"embedder {self.name!r}: {said}") from error
        except NotReachedError as error:
            said = f"the endpoint is out of reach ({error}); check base_url"
            raise ProviderError(f"embedder {self.name!r}: {said}") from error
        except KeyboardInterrupt:
            self._exchange = None  # whose locks the interrupt may have left taken
            raise

    def _connections(self) -> Exchange:
        """This process's connections: a forked child must not use its parent's sockets."""
        try:
            from memcore.embedding.exchange import Exchange
        except ImportError as error:
            raise ProviderError("OpenAIEmbedder needs the package httpx2; pip install 'memcore[openai]'") from error
        with self._lock:
            if self._exchange is None or self._exchange[0] != os.getpid():
                self._exchange = (os.getpid(), Exchange(self._url))
            return self._exchange[1]


def _may_pass(status: int) -> bool:
    return status == HTTPStatus.TOO_MANY_REQUESTS or status >= HTTPStatus.INTERNAL_SERVER_ERROR


def _wait(attempt: int, retry_after: str | None) -> float:
    """Seconds before the next try: what the server asks for in seconds, else doubling; never over the bound."""
    asked = float(retry_after) if retry_after is not None and retry_after.isdecimal() else _FIRST_WAIT * 2**attempt
    return min(asked, _LONGEST_WAIT)


def _vectors(answer: Any, count: int, name: str) -> list[Any]:
    """The vectors of `answer` in the order of its `index` fields, which must be 0 to count − 1."""
    try:
        by_index = {item["index"]: item["embedding"] for item in answer["data"]}
        complete = len(answer["data"]) == count and set(by_index) == set(range(count))
    except (TypeError, KeyError, AttributeError) as error:
        raise ProviderError(f"embedder {name!r}: the endpoint's answer has no data[].index and .embedding") from error
    if not complete:
        raise ProviderError(
            f"embedder {name!r}: the endpoint answered with {len(answer['data'])} vectors for {count} texts, "
            "or with other places than 0 to n − 1"
        )
    return [by_index[place] for place in range(count)]


def _length(vectors: list[Any], name: str) -> int:
    first = vectors[0]
    if not isinstance(first, list) or not first:
        raise ProviderError(f"embedder {name!r}: the endpoint's embedding is not a list of numbers")
    if len(first) > LARGEST_DIMENSION:
        raise ProviderError(f"embedder {name!r}: the endpoint's embedding has more than {LARGEST_DIMENSION} numbers")
    return len(first)


def _endpoint(base_url: object) -> str:
    shape = "give http(s)://host[:port][/path], without user, query or fragment"
    if not isinstance(base_url, str):
        raise InvalidInputError(f"base_url: {type(base_url).__name__} is not accepted; {shape}")
    try:
        parts = urlsplit(base_url)
        usable = parts.scheme in {"http", "https"} and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        usable = False
    if not usable or "@" in parts.netloc or parts.query or parts.fragment:
        raise InvalidInputError(f"base_url: this is not accepted; {shape}")  # the value may hold a password
    return base_url.rstrip("/") + "/embeddings"


def _text(field: str, value: object) -> str:
    name = checked_name(field, value)
    if not name.strip() or not name.isprintable():
        raise InvalidInputError(f"{field}: {shown(name)} is not accepted; give printable text")
    return name


def _header_text(key: object) -> str:
    if not isinstance(key, str) or not key.strip() or not key.isprintable() or not key.isascii():
        raise InvalidInputError("api_key: this is not accepted; give printable ASCII text, or None to send no key")
    return key


def _positive(field: str, value: object, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
        raise InvalidInputError(f"{field}: {shown(value)} is not accepted; give an integer from 1 to {most}")
    return value


def _seconds(field: str, value: object, most: int) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= most:
        raise InvalidInputError(f"{field}: {shown(value)} is not accepted; give seconds above 0 and up to {most}")
    return float(value)
