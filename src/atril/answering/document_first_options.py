"""The numbers of the document-first pipeline."""

from __future__ import annotations

from typing import Final

from pydantic import BaseModel, ConfigDict, Field, model_validator

GENERAL_LABELS: Final = ("Información General", "General Information", "Общая информация")


class DocumentFirstOptions(BaseModel):
    """Which documents are candidates, how many are looked into, and from when their pages are good enough.

    `excellent` and `acceptable` are on the scale of `PageGate`, 0..1.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    general_labels: tuple[str, ...] = Field(
        default=GENERAL_LABELS,
        description="Labels of the documents that are for everybody, whatever label is asked for.",
    )
    listed: int = Field(default=40, ge=2, le=500, description="Documents that the reader may choose from.")
    excellent: float = Field(
        default=0.75, ge=0, le=1, description="From here the second document is not looked into."
    )
    lead: float = Field(
        default=0.05, ge=0, le=1, description="How much better the second document must be to be taken."
    )
    acceptable: float = Field(default=0.60, ge=0, le=1, description="Below this the quality is low.")

    @model_validator(mode="after")
    def _in_order(self) -> DocumentFirstOptions:
        if self.acceptable > self.excellent:
            raise ValueError("acceptable is above excellent")
        return self
