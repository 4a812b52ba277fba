"""PDF files of a few hundred bytes, written by hand so that a test shows all there is in them."""

from __future__ import annotations

from collections.abc import Sequence

Placed = tuple[float, float, str]
"""Text at a distance in points from the left and from the bottom of a 612 × 792 page."""

_PIXEL = b"<< /Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8 /Length 1 >>"


def pdf(
    pages: Sequence[Sequence[Placed] | str | bytes],
    *,
    size: int = 11,
    encrypted: bool = False,
    catalog: str = "",
    title: str = "",
    widgets: Sequence[str] = (),
) -> bytes:
    """A PDF with one page per entry.

    An entry is texts where they stand, the word "scan" for a page-wide picture, or drawing instructions as
    they are (`/F1` is the font, `/Clear` a graphics state without ink). `catalog` is added to the catalogue,
    `widgets` are form fields, as dictionaries, of the first page.
    """
    forms = f"/AcroForm << /Fields [{_numbers(5, len(widgets))}] >>" if widgets else ""
    root = f"<< /Type /Catalog /Pages 2 0 R {catalog} {forms} >>"
    objects: list[bytes] = [root.encode(), b"", _FONT, _stream(_PIXEL, b"\x80")]
    objects += [widget.encode() for widget in widgets]
    kids: list[str] = []
    for page in pages:
        content = page if isinstance(page, bytes) else _SCAN if page == "scan" else _texts(page, size)
        annotations = f"/Annots [{_numbers(5, len(widgets))}]" if widgets and not kids else ""
        objects.append(_stream(f"<< /Length {len(content)} >>".encode(), content))
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {len(objects)} 0 R "
            "/Resources << /Font << /F1 3 0 R >> /XObject << /Im1 4 0 R >> "
            f"/ExtGState << /Clear << /ca 0 >> >> >> {annotations} >>".encode()
        )
        kids.append(f"{len(objects)} 0 R")
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(kids)} >>".encode()
    if encrypted:
        # Keys that no password opens are as good as a password nobody knows.
        objects.append(
            b"<< /Filter /Standard /V 1 /R 2 /P -4 /O <" + b"41" * 32 + b"> /U <" + b"42" * 32 + b"> >>"
        )
    if title:
        objects.append(f"<< /Title ({title}) >>".encode())
    return _file(objects, encrypted=encrypted, info=bool(title))


_SCAN = b"q 612 0 0 792 0 0 cm /Im1 Do Q"
_FONT = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"


def lines(*texts: str, top: float = 740) -> list[Placed]:
    """One text under the other, at the left margin."""
    return [(72, top - 14 * number, text) for number, text in enumerate(texts)]


def _numbers(first: int, count: int) -> str:
    return " ".join(f"{number} 0 R" for number in range(first, first + count))


def _texts(placed: Sequence[Placed] | str, size: int) -> bytes:
    parts = [b"BT /F1 %d Tf" % size]
    for x, y, text in placed:
        escaped = (
            str(text).encode("cp1252").replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)")
        )
        parts.append(b"1 0 0 1 %g %g Tm (" % (x, y) + escaped + b") Tj")
    return b"\n".join([*parts, b"ET"])


def _stream(dictionary: bytes, content: bytes) -> bytes:
    return dictionary + b"\nstream\n" + content + b"\nendstream"


def _file(objects: Sequence[bytes], *, encrypted: bool, info: bool) -> bytes:
    data = b"%PDF-1.4\n"
    offsets = []
    for number, body in enumerate(objects, 1):
        offsets.append(len(data))
        data += b"%d 0 obj\n" % number + body + b"\nendobj\n"
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    lock = b" /Encrypt %d 0 R /ID [<00> <00>]" % len(objects) if encrypted else b""
    about = b" /Info %d 0 R" % len(objects) if info else b""
    return (
        data
        + b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
        + table
        + b"trailer << /Size %d /Root 1 0 R" % (len(objects) + 1)
        + lock
        + about
        + b" >>\nstartxref\n%d\n%%%%EOF\n" % len(data)
    )
