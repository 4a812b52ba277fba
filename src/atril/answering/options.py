"""The numbers of the unified pipeline."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class UnifiedOptions(BaseModel):
    """How much is searched for, kept and shown to the model. Scores are on the scale of a hybrid search, 0..1."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    prefetch: int = Field(
        default=20, ge=1, le=1000, description="Points from the words and from the meaning of a query."
    )
    per_collection: int = Field(
        default=10,
        ge=1,
        le=1000,
        description="Passages of one collection per query, where several are searched.",
    )
    per_query: int = Field(default=20, ge=1, le=1000, description="Passages per query.")
    across_queries: int = Field(default=30, ge=1, le=1000, description="Passages of all queries together.")
    to_model: int = Field(default=25, ge=1, le=200, description="Passages that the model reads.")
    retry_extra: int = Field(
        default=5, ge=0, le=200, description="More passages when the model has asked for something."
    )
    references_per_chunk: int = Field(
        default=3, ge=0, le=100, description="References followed from one passage."
    )
    references: int = Field(
        default=15, ge=0, le=200, description="Passages that references and parts of articles may add."
    )
    reference_factor: float = Field(
        default=0.8, ge=0, le=1, description="What a reference keeps of the score of what refers to it."
    )
    carried_score: float = Field(
        default=0.5, ge=0, le=1, description="Score of passages carried over from the last answer."
    )
    planning_messages: int = Field(
        default=4, ge=0, le=100, description="Messages of the conversation that the reader sees."
    )
    planning_characters: int = Field(default=200, ge=20, description="Characters of each of them.")
    history_messages: int = Field(
        default=6, ge=0, le=100, description="Messages of the conversation that the model sees."
    )
    quote_floor: float = Field(
        default=0.34,
        ge=0,
        le=1,
        description="Share of a sentence's information that a quote must hold to support it.",
    )
