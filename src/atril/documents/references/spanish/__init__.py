"""References in Spanish legislation: articles, provisions, their paragraphs, and the norms they belong to.

`walk` goes once through the text from anchor to anchor ("artículo", "disposición adicional", "apartado",
"título", the name of a norm). `lists` and `divisions` read what follows an anchor, `naming` and `norms` the
norm behind it; `quotes`, `amendments` and `belonging` find the norm of what names none. Each reads a bounded
stretch, so that the time is linear in the length of the text.

Compiling these patterns takes longer than loading any other room: import this package when a Spanish text is
at hand.
"""

from __future__ import annotations

from atril.documents.references.spanish.walk import find_spanish

__all__ = ["find_spanish"]
