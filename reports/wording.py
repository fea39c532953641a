"""The words of a report in the reader's language. Sentences live in `reports/strings/<lang>.yaml`, not in code.

What the model itself says, such as a cause, a limit or a piece of advice, comes in English;
`reports/phrases/<lang>.yaml` holds each such phrase, with places for what varies in it, and its translation.
"""

import re
from functools import cache
from pathlib import Path

import yaml

STRINGS = Path(__file__).parent / "strings"
PHRASES = Path(__file__).parent / "phrases"
_PLACE = re.compile(r"\\{(\w+)\\}")


class Wording:
    """Sentences of one language, by key, with named places for values."""

    def __init__(self, lang: str = "en"):
        """Raise a ValueError that names the languages there are when `lang` is not one of them."""
        if lang not in languages():
            raise ValueError(f'lang = "{lang}" is not a language of the reports; there are: {", ".join(languages())}')
        self.lang = lang
        self._sentences = sentences(lang)

    def __call__(self, key: str, /, **values: object) -> str:
        """Return the sentence `key` with `values` in their places. A key that does not exist is a KeyError."""
        return self._sentences[key].format(**values)

    def plural(self, key: str, number: int) -> str:
        """Return the sentence `key` with `number`, in its singular form `key_one` for one."""
        return self(f"{key}_one" if number == 1 else key, number=f"{number:,}")

    def known(self, key: str) -> bool:
        """Tell whether there is a sentence `key`."""
        return key in self._sentences

    def name_of(self, group: str, term: str) -> str:
        """Return the word for a term of the data (`group.term`), or the term itself where the language has none."""
        return self._sentences.get(f"{group}.{term}", term)

    def phrase(self, text: str) -> str:
        """Return what the model says in English in the reader's language; as it is where no translation is known."""
        exact, patterns = phrases(self.lang)
        if text in exact:
            return exact[text]
        for pattern, translation in patterns:
            found = pattern.fullmatch(text)
            if found is not None:
                return translation.format(**{name: self.phrase(value) for name, value in found.groupdict().items()})
        return text


@cache
def languages() -> tuple[str, ...]:
    """Return the languages that reports can be written in."""
    return tuple(sorted(path.stem for path in STRINGS.glob("*.yaml")))


@cache
def sentences(lang: str) -> dict[str, str]:
    """Return every sentence of a language, keys flattened to `section.name`."""
    flat: dict[str, str] = {}

    def flatten(prefix: str, node: object) -> None:
        if isinstance(node, dict):
            for key, value in node.items():
                flatten(f"{prefix}.{key}" if prefix else str(key), value)
        else:
            flat[prefix] = str(node).strip()

    flatten("", yaml.safe_load((STRINGS / f"{lang}.yaml").read_text(encoding="utf-8")))
    return flat


@cache
def phrases(lang: str) -> tuple[dict[str, str], list[tuple[re.Pattern[str], str]]]:
    """Return the translations of a language: whole phrases, and patterns with places, the most literal ones first."""
    path = PHRASES / f"{lang}.yaml"
    if not path.exists():
        return {}, []
    known: dict[str, str] = yaml.safe_load(path.read_text(encoding="utf-8"))
    exact = {english: translation for english, translation in known.items() if "{" not in english}
    patterns = [
        (re.compile(_PLACE.sub(r"(?P<\1>.+?)", re.escape(english)), re.DOTALL), translation)
        for english, translation in known.items()
        if "{" in english
    ]
    return exact, sorted(patterns, key=lambda each: -len(_literal(each[0].pattern)))


def _literal(pattern: str) -> str:
    return re.sub(r"\(\?P<\w+>\.\+\?\)", "", pattern)
