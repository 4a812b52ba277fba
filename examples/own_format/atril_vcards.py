"""Contact cards (.vcf) as documents: a reader for Atril in twenty lines."""

from atril.documents.parsing import ParsedDocument

LABELS = {"FN": "Name", "ORG": "Company", "TEL": "Phone", "EMAIL": "Mail", "NOTE": "Note"}


def read_vcards(name: str, data: bytes) -> ParsedDocument:
    lines: list[str] = []
    cards = 0
    for line in data.decode("utf-8", errors="replace").splitlines():
        field, _, value = line.partition(":")
        field = field.partition(";")[0].upper()
        if field == "FN":
            cards += 1
            lines.append(f"\n## {value}\n")
        elif field in LABELS:
            lines.append(f"- {LABELS[field]}: {value}")
    return ParsedDocument("\n".join(lines), f"Contacts of {name}", "vcf", {"cards": str(cards)})
