"""The embedding model that ships with Atril. Importing it loads nothing heavy; the first text does."""

from atril.models.bundled.embedder import BundledEmbedder, Precision

__all__ = ["BundledEmbedder", "Precision"]
