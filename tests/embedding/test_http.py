"""An OpenAI-compatible endpoint: what is sent, what comes back, and what happens when it does not."""

import logging
import sys
from collections.abc import Iterator
from itertools import chain, repeat

import numpy as np
import pytest

from embedding.conftest import DIMENSION, EmbeddingServer, Reply
from memcore.embedding import HashingEmbedder, OpenAIEmbedder, checked
from memcore.errors import InvalidInputError, ProviderError

KEY = "sk-very-secret"
PRIVATE = "the user's secret sentence"


def test_rows_come_back_in_the_order_of_the_texts_not_of_the_answer(remote: OpenAIEmbedder) -> None:
    texts = ["one", "two", "three"]
    np.testing.assert_allclose(remote.embed(texts), HashingEmbedder(DIMENSION).embed(texts), atol=1e-6)


def test_a_request_holds_model_texts_and_key_and_goes_to_the_embeddings_path(
    server: EmbeddingServer, remote: OpenAIEmbedder
) -> None:
    remote.embed(["上海"])
    (request,) = server.requests
    assert request["path"] == "/v1/embeddings"
    assert request["json"] == {"model": "stub-model", "input": ["上海"]}
    assert request["headers"]["Authorization"] == f"Bearer {KEY}"


def test_without_a_key_none_is_sent_even_if_the_environment_has_one(
    server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    with OpenAIEmbedder(server.base_url + "/", "m") as embedder:
        embedder.embed(["x"])
    assert "Authorization" not in server.requests[0]["headers"]
    assert server.requests[0]["path"] == "/v1/embeddings"


def test_no_request_has_more_texts_than_the_batch(server: EmbeddingServer, remote: OpenAIEmbedder) -> None:
    texts = [f"text {number}" for number in range(45)]
    rows = remote.embed(texts)
    assert [len(request["json"]["input"]) for request in server.requests] == [20, 20, 5]
    np.testing.assert_allclose(rows, HashingEmbedder(DIMENSION).embed(texts), atol=1e-6)


def test_prefixes_tell_questions_from_texts(server: EmbeddingServer) -> None:
    with OpenAIEmbedder(server.base_url, "m", query_prefix="query: ", passage_prefix="passage: ") as embedder:
        embedder.embed(["x"], query=True)
        embedder.embed(["x"])
    assert [request["json"]["input"] for request in server.requests] == [["query: x"], ["passage: x"]]


def test_the_dimension_is_learnt_once_and_not_before_it_is_asked(
    server: EmbeddingServer, remote: OpenAIEmbedder
) -> None:
    assert server.requests == []
    assert remote.dimension == DIMENSION
    assert remote.dimension == DIMENSION
    assert len(server.requests) == 1


def test_a_given_dimension_needs_no_request_and_is_held_to(server: EmbeddingServer) -> None:
    with OpenAIEmbedder(server.base_url, "m", dimension=8) as embedder:
        assert embedder.dimension == 8
        assert server.requests == []
        with pytest.raises(ProviderError, match=r"shape \(1, 64\); 1 texts need shape \(1, 8\)"):
            embedder.embed(["x"])


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_a_passing_failure_is_asked_again_with_growing_waits(
    server: EmbeddingServer, remote: OpenAIEmbedder, waits: list[float], status: int
) -> None:
    server.replies = [Reply(status)] * 3
    assert remote.embed(["x"]).shape == (1, DIMENSION)
    assert waits == [0.5, 1.0, 2.0]


def test_a_lasting_failure_is_given_up_after_four_tries_and_after_two_for_a_question(
    server: EmbeddingServer, remote: OpenAIEmbedder, waits: list[float]
) -> None:
    server.replies = [Reply(503)] * 4
    with pytest.raises(ProviderError, match="status 503"):
        remote.embed(["x"])
    assert (len(server.requests), len(waits)) == (4, 3)
    server.replies = [Reply(503)] * 4
    with pytest.raises(ProviderError, match="status 503"):
        remote.embed(["x"], query=True)
    assert len(server.requests) == 6


def test_the_server_says_how_long_to_wait_but_not_longer_than_eight_seconds(
    server: EmbeddingServer, remote: OpenAIEmbedder, waits: list[float]
) -> None:
    asked = ("3", "86400", "-1", "Wed, 21 Oct 2026 07:28:00 GMT")
    for said in asked:
        server.replies = [Reply(429, headers={"Retry-After": said})]
        remote.embed(["x"])
    assert waits == [3.0, 8.0, 0.5, 0.5]


@pytest.mark.parametrize(
    ("status", "hint"),
    [
        (400, "shorten"),
        (401, "check api_key"),
        (403, "check api_key"),
        (404, "check base_url"),
        (413, "shorten"),
        (418, "418"),
    ],
)
def test_a_refusal_is_not_asked_again_and_says_what_to_check(
    server: EmbeddingServer, remote: OpenAIEmbedder, waits: list[float], status: int, hint: str
) -> None:
    server.replies = [Reply(status, body=f"{PRIVATE} {KEY}".encode())]
    with pytest.raises(ProviderError, match=f"status {status}.*{hint}" if hint != "418" else "418") as raised:
        remote.embed([PRIVATE])
    assert waits == []
    assert PRIVATE not in str(raised.value)
    assert KEY not in str(raised.value)


def test_a_redirect_is_not_followed(server: EmbeddingServer, remote: OpenAIEmbedder) -> None:
    server.replies = [Reply(307, headers={"Location": f"{server.base_url}/elsewhere"})]
    with pytest.raises(ProviderError, match="redirects"):
        remote.embed(["x"])
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        (b"not json", "not JSON"),
        (b"\xff\xfe", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"[]", "no data"),
        (b'{"data": null}', "no data"),
        (b'{"data": [{"embedding": [1, 2]}]}', "no data"),
        (b'{"data": [{"index": [], "embedding": [1, 2]}]}', "no data"),
        (b'{"data": []}', "0 vectors for 1 texts"),
        (b'{"data": [{"index": 1, "embedding": [1]}]}', "other places"),
        (b'{"data": [{"index": 0, "embedding": [1]}, {"index": 0, "embedding": [2]}]}', "2 vectors for 1 texts"),
        (b'{"data": [{"index": 0, "embedding": "AACAPwAAgD8="}]}', "not a list of numbers"),
        (b'{"data": [{"index": 0, "embedding": []}]}', "not a list of numbers"),
        (b'{"data": [{"index": 0, "embedding": [NaN, 1]}]}', "NaN"),
        (b'{"data": [{"index": 0, "embedding": [0, 0]}]}', "all-zero"),
        (b'{"data": [{"index": 0, "embedding": [null, 1]}]}', "convertible"),
    ],
)
def test_an_answer_without_usable_vectors_says_what_is_wrong(
    server: EmbeddingServer, remote: OpenAIEmbedder, body: bytes, complaint: str
) -> None:
    server.replies = [Reply(body=body)]
    with pytest.raises(ProviderError, match=complaint):
        remote.embed(["x"])


def test_a_server_that_changes_its_dimension_is_noticed(server: EmbeddingServer, remote: OpenAIEmbedder) -> None:
    remote.embed(["x"])
    server.replies = [Reply(body=b'{"data": [{"index": 0, "embedding": [1, 2]}]}')]
    with pytest.raises(ProviderError, match=r"shape \(1, 2\)"):
        remote.embed(["x"])


def test_a_silent_server_is_waited_for_no_longer_than_the_timeout(server: EmbeddingServer) -> None:
    server.replies = [Reply(parts=lambda: iter(lambda: server.pause(60), None))]
    with OpenAIEmbedder(server.base_url, "m", timeout=0.05) as embedder:
        with pytest.raises(ProviderError, match=r"no answer within 0.05 s; raise timeout"):
            embedder.embed(["x"])
        assert embedder.embed(["x"]).shape == (1, DIMENSION)


@pytest.mark.parametrize("head", [b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 200 OK\r\n\r\n", b"HTTP/1.1 503 Busy\r\n\r\n"])
def test_a_server_that_never_ends_its_headers_or_answer_is_left_at_the_end_of_the_total(
    server: EmbeddingServer, head: bytes
) -> None:
    def drops() -> Iterator[bytes]:
        yield head
        while True:
            yield b"x"
            server.pause(0.005)

    server.replies = [Reply(parts=drops)]
    with OpenAIEmbedder(server.base_url, "m", timeout=60, total_timeout=0.1) as embedder:
        with pytest.raises(ProviderError, match=r"more than 0.1 s as a whole; raise total_timeout"):
            embedder.embed([PRIVATE])
        assert embedder.embed(["x"]).shape == (1, DIMENSION)


def test_an_answer_without_end_is_left_at_its_limit(server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memcore.embedding.http._LARGEST_ANSWER", 200_000)
    endless = chain([b"HTTP/1.1 200 OK\r\n\r\n"], repeat(b"[" * 65_536))
    server.replies = [Reply(parts=lambda: endless)]
    with OpenAIEmbedder(server.base_url, "m") as embedder:
        with pytest.raises(ProviderError, match=r"more than 200000 bytes; check base_url"):
            embedder.embed(["x"])
        assert embedder.embed(["x"]).shape == (1, DIMENSION)


def test_the_limit_grows_with_the_vectors_that_were_asked_for(
    server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memcore.embedding.http._LARGEST_ANSWER", 1)
    with OpenAIEmbedder(server.base_url, "m", dimension=DIMENSION) as embedder:
        assert embedder.embed(["text"] * 20).shape == (20, DIMENSION)


def test_a_request_keeps_its_connection_for_the_next(server: EmbeddingServer, remote: OpenAIEmbedder) -> None:
    server.replies = [Reply(503, body=b"busy" * 10_000), Reply()]
    with pytest.raises(ProviderError):
        remote.embed(["x"])
    remote.embed(["x"])
    assert len({request["from"] for request in server.requests}) == 1


def test_nobody_listening_is_a_provider_error_at_once(server: EmbeddingServer, waits: list[float]) -> None:
    url = server.base_url
    server.close()
    with OpenAIEmbedder(url, "m", sleep=waits.append) as embedder, pytest.raises(ProviderError, match="out of reach"):
        embedder.embed(["x"])
    assert waits == []


def test_the_key_is_in_no_text_about_the_embedder(
    server: EmbeddingServer, remote: OpenAIEmbedder, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    server.replies = [Reply(500)] * 4
    with pytest.raises(ProviderError) as raised:
        checked(remote).embed([PRIVATE])
    shown = f"{remote!r} {remote} {checked(remote)!r} {raised.value!r} {raised.getrepr()} {caplog.text}"
    assert "stub-model" in shown
    assert KEY not in shown
    assert PRIVATE not in caplog.text


@pytest.mark.parametrize(
    "base_url",
    ["", "localhost:8000/v1", "ftp://host/v1", "http://", "http://user:pw@host/v1", "http://host/v1?key=pw", "http://h:0/",
     "http://host:pw/v1", "http://h/#pw", None, 7],
)  # fmt: skip
def test_a_url_that_cannot_be_called_is_refused_without_being_shown(base_url: object) -> None:
    with pytest.raises(InvalidInputError, match=r"base_url: .* give http\(s\)://host") as raised:
        OpenAIEmbedder(base_url, "m")  # type: ignore[arg-type]
    assert "pw" not in str(raised.value)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("model", ""),
        ("model", None),
        ("api_key", "clé"),
        ("api_key", "a\nb"),
        ("api_key", ""),
        ("dimension", 0),
        ("dimension", True),
        ("batch", 0),
        ("batch", 2.5),
        ("timeout", 0),
        ("timeout", float("nan")),
        ("timeout", "30"),
        ("total_timeout", 0),
        ("total_timeout", True),
        ("total_timeout", float("inf")),
        ("query_prefix", None),
        ("passage_prefix", 7),
    ],
)
def test_an_unusable_argument_is_named(field: str, value: object) -> None:
    arguments = {"base_url": "http://127.0.0.1:9", "model": "m", field: value}
    with pytest.raises(InvalidInputError, match=f"{field}: .*give"):
        OpenAIEmbedder(**arguments)  # type: ignore[arg-type]


def test_a_closed_embedder_opens_new_connections_when_it_is_used_again(remote: OpenAIEmbedder) -> None:
    first = remote.embed(["x"])
    remote.close()
    remote.close()
    assert remote.embed(["x"]).tobytes() == first.tobytes()


def test_a_missing_client_library_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "httpx2", None)
    monkeypatch.delitem(sys.modules, "memcore.embedding.exchange", raising=False)
    with pytest.raises(ProviderError, match=r"pip install 'memcore\[openai\]'"):
        OpenAIEmbedder("http://127.0.0.1:9", "m").embed(["x"])
