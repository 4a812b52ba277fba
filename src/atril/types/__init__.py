"""The frozen values that cross rooms.

Offsets are code points in a document's canonical text; `start` is inclusive and `end` exclusive. Pages
and chunk numbers are 1-based. Scores are described where they are made: they rank within one search only.
"""

from atril.types.answers import (
    Answer,
    AnswerExplanation,
    Citation,
    Exchange,
    Issue,
    IssueKind,
    Stage,
    Tokens,
    Turn,
)
from atril.types.conversations import (
    Conversation,
    LoggedMessage,
    MessageRole,
    Transcript,
)
from atril.types.documents import (
    Chunk,
    ChunkType,
    Document,
    ListedTable,
    Page,
    StoredChunk,
    TableShape,
)
from atril.types.reports import (
    AddReport,
    Failure,
    FailureReason,
    Progress,
    ProgressStage,
    ReadingWarning,
    ReferenceReport,
    ReindexReport,
    UnresolvedName,
)
from atril.types.results import (
    ChunkMetadata,
    Explanation,
    Hit,
    HitExplanation,
    QueryExplanation,
    SearchMode,
    SearchResult,
)
from atril.types.scope import (
    DEFAULT_COLLECTION,
    DEFAULT_TENANT,
    Scope,
)

__all__ = [
    "DEFAULT_COLLECTION",
    "DEFAULT_TENANT",
    "AddReport",
    "Answer",
    "AnswerExplanation",
    "Chunk",
    "ChunkMetadata",
    "ChunkType",
    "Citation",
    "Conversation",
    "Document",
    "Exchange",
    "Explanation",
    "Failure",
    "FailureReason",
    "Hit",
    "HitExplanation",
    "Issue",
    "IssueKind",
    "ListedTable",
    "LoggedMessage",
    "MessageRole",
    "Page",
    "Progress",
    "ProgressStage",
    "QueryExplanation",
    "ReadingWarning",
    "ReferenceReport",
    "ReindexReport",
    "Scope",
    "SearchMode",
    "SearchResult",
    "Stage",
    "StoredChunk",
    "TableShape",
    "Tokens",
    "Transcript",
    "Turn",
    "UnresolvedName",
]
