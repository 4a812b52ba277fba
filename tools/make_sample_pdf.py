"""Writes the PDF of the sample library: `python tools/make_sample_pdf.py`.

The sample has to be a real PDF with two pages of text, and nothing else about PDF is needed: the file is
put together here, from the standard fonts that every reader has, and comes out the same byte for byte.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from textwrap import wrap
from typing import Final

TARGET: Final = Path(__file__).parents[1] / "src" / "atril" / "samples" / "warranty-and-returns.pdf"
TITLE: Final = "Mirabrisa warranty and returns"
PAGE_WIDTH, PAGE_HEIGHT, MARGIN = 595, 842, 72
FOOTER_HEIGHT: Final = 40


@dataclass(frozen=True, slots=True)
class Style:
    font: str
    size: int
    leading: int
    before: int
    columns: int


TITLE_STYLE: Final = Style("F2", 20, 24, 0, 42)
HEADING: Final = Style("F2", 13, 17, 14, 60)
BODY: Final = Style("F1", 11, 15, 6, 84)

PAGES: Final = (
    (
        (TITLE_STYLE, TITLE),
        (BODY, "This policy applies to every bicycle, part and service sold by Bicicletas Mirabrisa, S. Coop., in "
               "its shop and on line. It adds to the rights that the law gives you and takes none of them away."),
        (HEADING, "1. Length of the warranty"),
        (BODY, "The frame and the fork are guaranteed for ten years from the date of delivery. All other parts of "
               "a new bicycle are guaranteed for three years. The battery of an electric model is guaranteed for "
               "two years or 700 full charges, whichever comes first."),
        (BODY, "Repairs made in our workshop are guaranteed for six months."),
        (HEADING, "2. What is covered"),
        (BODY, "The warranty covers defects of material and of manufacture. If a part is defective we repair it; if "
               "it cannot be repaired within 21 days we replace it, or return the price you paid, as you choose."),
        (HEADING, "3. What is not covered"),
        (BODY, "The warranty does not cover normal wear of tyres, chains, brake pads and grips, damage from "
               "accidents, rust caused by storage outdoors, or any change to the motor or its software."),
        (BODY, "Bicycles used in competition or rented to others are covered for one year only."),
        (HEADING, "4. The first service"),
        (BODY, "The first service is free if it is done within 90 days of delivery. The warranty of the parts "
               "depends on it: without that service it is reduced to two years."),
    ),
    (
        (HEADING, "5. How to make a claim"),
        (BODY, "Bring the bicycle and the receipt to the shop, or write to the workshop with three photographs of "
               "the defect. You receive an answer within five working days. Transport is paid by Mirabrisa when "
               "the claim is accepted."),
        (HEADING, "6. Returns"),
        (BODY, "A customer may return an unused bicycle within 30 days of delivery, with the receipt. Accessories "
               "may be returned within 60 days in their original packaging."),
        (BODY, "The refund is made within 14 days and by the same means of payment. Delivery costs are refunded "
               "only when the return is due to a defect or to our mistake."),
        (BODY, "Bicycles made to measure, opened tubes of sealant and gift cards cannot be returned."),
        (HEADING, "7. Exchanges"),
        (BODY, "The size of a frame may be exchanged once, free of charge, within 45 days of delivery, even if the "
               "bicycle has been used for up to 100 kilometres."),
        (HEADING, "8. Complaints"),
        (BODY, "If our answer does not satisfy you, ask for a complaint form in the shop. The board of the "
               "cooperative replies in writing within 30 days."),
    ),
)  # fmt: skip


def content(page: tuple[tuple[Style, str], ...], number: int) -> bytes:
    """The drawing instructions of one page."""
    lines = []
    height = PAGE_HEIGHT - MARGIN
    for style, text in page:
        height -= style.before
        for line in wrap(text, style.columns):
            height -= style.leading
            lines.append(_show(style.font, style.size, MARGIN, height, line))
    footer = f"Mirabrisa - warranty and returns - page {number} of {len(PAGES)}"
    lines.append(_show("F1", 9, MARGIN, FOOTER_HEIGHT, footer))
    return "\n".join(lines).encode("ascii")


def _show(font: str, size: int, x: int, y: int, text: str) -> str:
    escaped = text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
    return f"BT /{font} {size} Tf {x} {y} Td ({escaped}) Tj ET"


def document() -> bytes:
    """The file: a catalogue, the page tree, two fonts, the title, and two objects for each page."""
    first_page = 6
    kids = " ".join(f"{first_page + 2 * index} 0 R" for index in range(len(PAGES)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R /Lang (en) >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(PAGES)} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>",
        f"<< /Title ({TITLE}) >>".encode(),
    ]
    for index, page in enumerate(PAGES):
        stream = content(page, index + 1)
        resources = "<< /Font << /F1 3 0 R /F2 4 0 R >> >>"
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {PAGE_WIDTH} {PAGE_HEIGHT}] "
            f"/Resources {resources} /Contents {first_page + 2 * index + 1} 0 R >>".encode()
        )
        objects.append(b"<< /Length %d >>\nstream\n%b\nendstream" % (len(stream), stream))
    return _assemble(objects)


def _assemble(objects: list[bytes]) -> bytes:
    """Numbers the objects and appends the table of their offsets."""
    file = bytearray(b"%PDF-1.4\n")
    offsets = []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(file))
        file += b"%d 0 obj\n%b\nendobj\n" % (number, body)
    table = len(file)
    file += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    file += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    file += b"trailer\n<< /Size %d /Root 1 0 R /Info 5 0 R >>\n" % (len(objects) + 1)
    return bytes(file + b"startxref\n%d\n%%%%EOF\n" % table)


if __name__ == "__main__":
    TARGET.write_bytes(document())
