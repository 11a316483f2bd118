"""A real HTTP server on the loopback interface that speaks the embeddings protocol, and is fed faults."""

import json
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from memcore.embedding import HashingEmbedder, OpenAIEmbedder

DIMENSION = 64


@dataclass
class Reply:
    """One answer that the server gives instead of vectors; `parts`: these bytes, after which it hangs up."""

    status: int = 200
    body: bytes = b"{}"
    headers: dict[str, str] = field(default_factory=dict)
    parts: Callable[[], Iterable[bytes | None]] | None = None


class EmbeddingServer:
    """Answers with hashed vectors, last text first; remembers what it was sent; gives queued replies first."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.replies: list[Reply] = []
        self.rewrite: Callable[[dict[str, Any]], Any] = lambda answer: answer
        self._embedder = HashingEmbedder(DIMENSION)
        self._ended = threading.Event()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                sent = self.rfile.read(int(self.headers["Content-Length"]))
                outer._respond(self, sent)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        self._thread.start()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def _respond(self, handler: BaseHTTPRequestHandler, sent: bytes) -> None:
        document = json.loads(sent)
        self.requests.append(
            {"path": handler.path, "headers": dict(handler.headers), "json": document, "from": handler.client_address}
        )
        reply = self.replies.pop(0) if self.replies else Reply(body=json.dumps(self._vectors(document)).encode())
        if reply.parts is not None:
            handler.close_connection = True
            with suppress(OSError):  # whoever asked has left
                for part in reply.parts():
                    if self._ended.is_set():
                        return
                    handler.wfile.write(part or b"")
            return
        handler.send_response(reply.status)
        for name, value in {"Content-Type": "application/json", **reply.headers}.items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(reply.body)))
        handler.end_headers()
        handler.wfile.write(reply.body)

    def _vectors(self, document: dict[str, Any]) -> Any:
        rows = self._embedder.embed(document["input"]).tolist()
        data = [{"object": "embedding", "index": place, "embedding": row} for place, row in enumerate(rows)]
        return self.rewrite({"object": "list", "model": document["model"], "data": data[::-1]})

    def pause(self, seconds: float) -> bytes:
        """Sends nothing for so long, or until the server is closed."""
        self._ended.wait(seconds)
        return b""

    def close(self) -> None:
        self._ended.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    running = EmbeddingServer()
    yield running
    running.close()


@pytest.fixture
def waits() -> list[float]:
    """The seconds that an embedder would have slept."""
    return []


@pytest.fixture
def remote(server: EmbeddingServer, waits: list[float]) -> Iterator[OpenAIEmbedder]:
    with OpenAIEmbedder(server.base_url, "stub-model", "sk-very-secret", sleep=waits.append) as embedder:
        yield embedder
