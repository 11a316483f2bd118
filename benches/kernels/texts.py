"""The best texts by BM25, one text added, and the terms of Chinese text.

    python -m benches.kernels texts [--sizes 100000,1000000] [--rounds N] [--threads N]

Texts are sentences of Zipf words, lognormal in length, of 18 words on average, a third of them from one of 400 topics
of 60 words each; a query has 3 to 6 words of one topic and 2 ordinary ones; seed 42. All are asked for the top 24, with
the words given as they are: k1 1.2, b .75, Lucene's idf. The note tells in how many of 50 queries the scores are those
of bm25s, which counts in float32.
"""

from __future__ import annotations

import argparse
import os
import sqlite3
from typing import TYPE_CHECKING, Any

import numpy as np

from benches.kernels.timing import OURS, in_turn, once_for_each_count_of_threads, print_row, versions
from benches.results import Goal
from memcore import Bm25Index, tokenize
from memcore.compute import bm25_scores, token_streams

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    Search = Callable[[list[str]], NDArray[np.float64]]

K = 24
K1, B = 1.2, 0.75
QUERIES = 200
COMPARED = 50
WORDS = 50_000
TOPICS, TOPIC_WORDS = 400, 60
SIZES = "100000,1000000"
BEST = ("bm25s", "tantivy")
CHINESE = (
    "用户上周末和家人一起去了杭州西湖，中午在湖边的小餐馆吃了龙井虾仁和东坡肉，觉得味道不错。"
    "张伟明喜欢喝乌龙茶，花名是小飞侠，目前在上海的一家人工智能公司担任后端工程师，主要负责数据库和检索系统。"
    "她下个月打算搬到深圳南山区，因为新的办公室离地铁站很近，每天通勤只要二十分钟。"
    "项目会议改到星期三下午三点，请提前准备季度报告和预算表格，客户希望看到更详细的市场分析。"
    "小猫昨天晚上打翻了花瓶，水流了一地，好在没有弄湿书架上的那些旧书和照片。"
)


def sentences(rng: np.random.Generator, count: int) -> tuple[list[list[str]], list[list[str]]]:
    """Texts and queries as lists of words."""
    words = np.array([f"w{number}" for number in range(WORDS)])
    chances = 1.0 / np.arange(1, WORDS + 1)
    chances /= chances.sum()
    topics = np.array([rng.choice(WORDS - 100, TOPIC_WORDS, replace=False) + 100 for _ in range(TOPICS)])
    lengths = np.maximum(1, np.rint(rng.lognormal(np.log(18) - 0.125, 0.5, count)).astype(np.int64))
    drawn = rng.choice(WORDS, int(lengths.sum()), p=chances)
    topic = np.repeat(rng.integers(0, TOPICS, count), lengths)
    of_topic = rng.random(len(drawn)) < 1 / 3
    drawn[of_topic] = topics[topic[of_topic], rng.integers(0, TOPIC_WORDS, int(of_topic.sum()))]
    texts = [part.tolist() for part in np.split(words[drawn], np.cumsum(lengths)[:-1])]
    queries = []
    for _ in range(QUERIES):
        chosen = rng.choice(topics[rng.integers(TOPICS)], rng.integers(3, 7), replace=False)
        queries.append(list(dict.fromkeys(words[np.concatenate([chosen, rng.choice(WORDS, 2, p=chances)])].tolist())))
    return texts, queries


def of_memcore(texts: Sequence[Sequence[str]]) -> Bm25Index:
    index = Bm25Index(K1, B)
    index.add_streams(np.arange(len(texts)), [" ".join(text) for text in texts])
    return index


def of_tantivy(texts: Sequence[Sequence[str]], threads: int) -> tuple[Any, Any]:
    import tantivy

    builder = tantivy.SchemaBuilder()
    builder.add_integer_field("id", stored=True)
    builder.add_text_field("body", stored=False, tokenizer_name="whitespace")
    index = tantivy.Index(builder.build())
    writer = index.writer(400_000_000, threads)
    for number, text in enumerate(texts):
        writer.add_document(tantivy.Document(id=number, body=" ".join(text)))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    return index, tantivy


def searches(
    texts: Sequence[Sequence[str]], there: dict[str, str], threads: int
) -> tuple[Bm25Index, dict[str, Search]]:
    """By each library: the words of a query to the scores of the best, highest first."""
    ours = of_memcore(texts)
    found: dict[str, Search] = {
        OURS: lambda query: ours.search(" ".join(query), K)[1],
        "memcore, all scores": lambda query: bm25_scores([ours], query, k1=K1, b=B)[0][1],
    }
    if "bm25s" in there:
        import bm25s

        numbers = {word: number for number, word in enumerate(sorted({word for text in texts for word in text}))}
        coded = bm25s.tokenization.Tokenized([[numbers[word] for word in text] for text in texts], numbers)
        retriever = bm25s.BM25(method="lucene", k1=K1, b=B, backend="numba" if "numba" in there else "numpy")
        retriever.index(coded, show_progress=False)

        def by_bm25s(query: list[str]) -> NDArray[np.float64]:
            scores = retriever.retrieve([query], k=K, show_progress=False, n_threads=0).scores
            return np.asarray(scores[0] * (K1 + 1), np.float64)

        found["bm25s"] = by_bm25s
    if "tantivy" in there:
        index, tantivy = of_tantivy(texts, threads)
        searcher, schema = index.searcher(), index.schema
        either = tantivy.Occur.Should

        def by_tantivy(query: list[str]) -> NDArray[np.float64]:
            terms = [(either, tantivy.Query.term_query(schema, "body", word, "freq")) for word in query]
            hits = searcher.search(tantivy.Query.boolean_query(terms), K, count=False).hits
            return np.array([score for score, _ in hits])

        found["tantivy"] = by_tantivy
    return ours, found


def of_fts5(texts: Sequence[Sequence[str]]) -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE VIRTUAL TABLE texts USING fts5(body, content='', tokenize='ascii')")
    rows = ((number, " ".join(text)) for number, text in enumerate(texts))
    connection.executemany("INSERT INTO texts(rowid, body) VALUES (?, ?)", rows)
    connection.execute("INSERT INTO texts(texts) VALUES ('optimize')")
    connection.commit()
    return connection


def by_fts5(connection: sqlite3.Connection, query: Sequence[str]) -> NDArray[np.float64]:
    asked = "SELECT -rank FROM texts WHERE texts MATCH ? ORDER BY rank LIMIT ?"
    return np.array([score for (score,) in connection.execute(asked, (" OR ".join(query), K))])


def best_texts(
    texts: list[list[str]], queries: list[list[str]], options: argparse.Namespace, there: dict[str, str]
) -> None:
    count, threads = len(texts), options.threads
    ours, by_name = searches(texts, there, threads)
    connection = of_fts5(texts)
    print(f"\n{count:,} texts: memcore takes {ours.memory_bytes / count:.0f} B a text")
    notes = {}
    alike: dict[str, int] = {}
    if "bm25s" in there:
        truth = [by_name["bm25s"](query) for query in queries[:COMPARED]]
        for name in (OURS, "tantivy"):
            if name in by_name:
                answers = [by_name[name](query) for query in queries[:COMPARED]]
                pairs = [(a, b[b > 0]) for a, b in zip(answers, truth, strict=True)]
                alike[name] = sum(len(a) == len(b) and np.allclose(a, b, rtol=1e-4) for a, b in pairs)
                notes[name] = f"as bm25s in {alike[name]} of {COMPARED}"
    calls: dict[str, Callable[[int], object]] = {
        name: (lambda turn, search=search: search(queries[turn % QUERIES])) for name, search in by_name.items()
    }
    label = f"top {K} of {count:,} texts, {threads} thread{'s' * (threads > 1)}"
    medians = in_turn(calls, options.rounds, threads)
    goals = [Goal.times(1.3, BEST, medians, "the best")]
    goals += [Goal.at_least(f"as bm25s in {COMPARED} of {COMPARED}", alike[OURS], COMPARED)] if alike else []
    print_row(label, medians, goals, notes)
    few = {OURS: calls[OURS], "SQLite FTS5": lambda turn: by_fts5(connection, queries[turn % QUERIES])}
    medians = in_turn(few, max(5, options.rounds // 8), threads)
    print_row(f"{label}, the same beside FTS5", medians, [Goal.times(1.3, ["SQLite FTS5"], medians)])
    added(ours, connection, count, there, options)


def added(
    ours: Bm25Index, connection: sqlite3.Connection, count: int, there: dict[str, str], options: argparse.Namespace
) -> None:
    """One text, after which the next search sees it: of an index that commits, the commit is a part of it."""
    rng = np.random.default_rng(7)

    def text(turn: int) -> str:
        return " ".join([f"new{turn}", *(f"w{number}" for number in rng.integers(0, WORDS, 17))])

    rounds = max(5, options.rounds // 2)
    waiting = [(number, text(number)) for number in range(count, count + 4 * (rounds + 2))]

    def into_ours(_turn: int) -> None:
        number, words = waiting.pop()
        ours.add(np.array([number]), [words])

    def into_fts5(_turn: int) -> None:
        connection.execute("INSERT INTO texts(rowid, body) VALUES (?, ?)", waiting.pop())
        connection.commit()

    calls: dict[str, Callable[[int], object]] = {OURS: into_ours, "SQLite FTS5, in memory": into_fts5}
    if "tantivy" in there:
        import tantivy

        index, _ = of_tantivy([["w1"]], 1)
        writer = index.writer(20_000_000, 1)

        def into_tantivy(_turn: int) -> None:
            number, words = waiting.pop()
            writer.add_document(tantivy.Document(id=number, body=words))
            writer.commit()
            index.reload()

        calls["tantivy, an empty index"] = into_tantivy
    medians = in_turn(calls, rounds, options.threads)
    ours.add(np.array([2 * count]), ["zebra"])
    seen = ours.search("zebra", 1)[0].tolist() == [2 * count]
    alone = in_turn({OURS: into_ours}, rounds, options.threads)[OURS]
    note = "the next search sees it" if seen else "NOT seen by the next search"
    note += f"; {alone:.3f} ms where no peer has emptied the caches between"
    goals = [Goal.at_most("at most 0.05 ms", medians[OURS], 0.05), Goal.so("seen by the next search", seen)]
    print_row(f"one text added to {count:,}", medians, goals, {OURS: note})


def tokens(there: dict[str, str], options: argparse.Namespace) -> None:
    lines = [CHINESE[at : at + 40] for at in range(0, len(CHINESE), 40)] * 20
    characters = sum(map(len, lines))
    tokenize(CHINESE)
    calls: dict[str, Callable[[int], object]] = {
        OURS: lambda _turn: token_streams(lines),
        "memcore, lists of terms": lambda _turn: [tokenize(line) for line in lines],
    }
    if "jieba" in there:
        import jieba

        jieba.setLogLevel(60)
        jieba.initialize()
        calls["jieba"] = lambda _turn: [" ".join(jieba.cut(line)) for line in lines]
        calls["jieba, dictionary alone"] = lambda _turn: [" ".join(jieba.cut(line, HMM=False)) for line in lines]
    medians = in_turn(calls, options.rounds, options.threads)
    notes = {name: f"{characters / median / 1e3:.2f} M characters/s" for name, median in medians.items()}
    notes[OURS] += ", with every pair of neighbours"
    title = f"streams of the terms of {characters} Chinese characters"
    print_row(title, medians, [Goal.times(40, ["jieba"], medians)], notes)


def main(options: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m benches.kernels texts", description=__doc__.split("\n")[0])
    parser.add_argument("--sizes", default=SIZES, help="numbers of texts, with commas between")
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--threads", type=int, help="one count of threads only")
    given = parser.parse_args(options)
    if given.threads is None:
        once_for_each_count_of_threads("texts", options)
        return
    print(f"\n{given.threads} of {os.cpu_count()} threads, load {os.getloadavg()[0]:.1f}")
    there = versions(["bm25s", "numba", "tantivy", "jieba"])
    print(f"SQLite {sqlite3.sqlite_version}")
    tokens(there, given)
    for size in given.sizes.split(","):
        texts, queries = sentences(np.random.default_rng(42), int(size))
        best_texts(texts, queries, given, there)
