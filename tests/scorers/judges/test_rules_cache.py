"""What the rules judge keeps of passages that it has read."""

import threading

from scorers.judges.rules_cache import PassageCache


def test_the_cache_gives_the_same_index_and_forgets_the_oldest() -> None:
    cache = PassageCache(characters=10)

    first = cache.index("aaaa")
    cache.index("bbbb")
    assert cache.index("aaaa") is first

    cache.index("cccc")
    assert cache.index("aaaa") is first
    assert cache.index("long" * 10) is not cache.index("long" * 10)
    assert cache.index("aaaa") is not first


def test_the_cache_may_be_used_by_several_threads() -> None:
    cache = PassageCache(characters=50)
    texts = [f"text number {n}" for n in range(20)] * 20
    threads = [
        threading.Thread(target=lambda: [cache.index(text) for text in texts]) for _ in range(4)
    ]

    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert cache.index(texts[0]).text == texts[0]
