"""The tree of errors.

    AtrilError
    ├── InvalidArgument        a value the caller passed cannot be used
    │   ├── InvalidSetting     the same in `ATRIL_*` or `atril.toml`
    │   ├── InvalidProfile     the same in a file of a profile
    │   └── LimitExceeded      a limit above what the operation allows
    ├── NotFound
    │   ├── DocumentNotFound
    │   ├── AmbiguousName      several documents answer to one name
    │   ├── ConversationNotFound
    │   ├── ProfileNotFound
    │   ├── PathNotFound       nothing at the path given to `sync`
    │   ├── NotAFolder         a file where a folder is needed
    │   └── EmptyFolder        the folder given to `sync` has lost every document at once
    ├── HomeError              the home folder cannot be used as it is
    │   ├── HomeLocked         another process owns it
    │   ├── HomeTooNew         written by a later release
    │   ├── NotAHome           the path is a file, or a folder with somebody's files in it
    │   ├── HomeDamaged        the records cannot be read
    │   ├── EmbedderMismatch   built with another embedding model
    │   └── HomeOutdated       built by an earlier release whose words were analysed otherwise
    ├── MissingExtra           what was configured needs a part that is not installed
    ├── UnreadableDocument     one file could not be read; carries a reason
    └── ModelUnavailable       a model is missing or does not answer
        ├── NoReply                a model behind an API gave no usable reply
        └── TokenizerUnavailable   what measures passages for the model cannot be loaded

An error carries the key of its message and the fields that fill it: `str(error)` is English for logs and
programs, `error.localized("es")` is for people. Raise with keyword fields only.
"""

from __future__ import annotations

from typing import ClassVar

from atril.messages import message
from atril.types import FailureReason


class AtrilError(Exception):
    """Everything Atril raises on purpose."""

    key: ClassVar[str] = "error.unexpected"

    def __init__(self, **fields: object) -> None:
        self.fields = fields
        super().__init__(self.localized("en"))

    def localized(self, language: str | None) -> str:
        """What was wrong, where, and what to do, in the reader's language."""
        return message(self.key, language, **self.fields)

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (type(self), self.fields)


def _rebuild(kind: type[AtrilError], fields: dict[str, object]) -> AtrilError:
    return kind(**fields)


class InvalidArgument(AtrilError):
    """Fields: `name`, `value`, `allowed` (what would be accepted: as it stands, or a key of the messages' table
    `allowed` such as "allowed.range"), and what fills that."""

    key = "error.invalid_argument"

    def localized(self, language: str | None) -> str:
        allowed = self.fields.get("allowed")
        if isinstance(allowed, str) and allowed.startswith("allowed."):
            told = message(allowed, language, **self.fields)
            return message(self.key, language, **{**self.fields, "allowed": told})
        return super().localized(language)


class LimitExceeded(InvalidArgument):
    """Fields: `name`, `value`, `allowed` (the maximum)."""

    key = "error.limit_exceeded"


class InvalidSetting(InvalidArgument):
    """Fields: `name`, `value`, and `problem`, a key of the messages' table `setting`."""

    key = "error.invalid_setting"

    def localized(self, language: str | None) -> str:
        problem = message(f"setting.{self.fields['problem']}", language, **self.fields)
        return message(self.key, language, name=self.fields["name"], problem=problem)


class InvalidProfile(InvalidArgument):
    """Fields: `file`, `name` (of the key), `problem` (a key of the messages' table `profile`), and what fills that."""

    key = "error.invalid_profile"

    def localized(self, language: str | None) -> str:
        problem = message(f"profile.{self.fields['problem']}", language, **self.fields)
        return message(
            self.key, language, file=self.fields["file"], name=self.fields["name"], problem=problem
        )


class NotFound(AtrilError):
    """Something asked for by name is not there."""


class DocumentNotFound(NotFound):
    """Fields: `name`, `similar` (comma-separated names, empty when none is like it)."""

    key = "error.document_not_found"

    def localized(self, language: str | None) -> str:
        unknown = not self.fields["similar"]
        return message("error.document_unknown" if unknown else self.key, language, **self.fields)


class AmbiguousName(NotFound):
    """Fields: `name`, `matches` (comma-separated names)."""

    key = "error.ambiguous_name"


class ConversationNotFound(NotFound):
    """Fields: `id`."""

    key = "error.conversation_not_found"


class ProfileNotFound(NotFound):
    """Fields: `name`, `available` (comma-separated names of those that ship)."""

    key = "error.profile_not_found"


class PathNotFound(NotFound):
    """Fields: `path`."""

    key = "error.path_not_found"


class NotAFolder(NotFound):
    """Fields: `path`."""

    key = "error.not_a_folder"


class EmptyFolder(NotFound):
    """Fields: `path`, `count` (of the library's documents that came from it)."""

    key = "error.empty_folder"


class HomeError(AtrilError):
    """The home folder cannot be used as it is."""


class HomeLocked(HomeError):
    """Fields: `home`, `pid` (of the owner)."""

    key = "error.home_locked"


class HomeTooNew(HomeError):
    """Fields: `home`, `found`, `known` (schema revisions)."""

    key = "error.home_too_new"


class HomeDamaged(HomeError):
    """Fields: `home`, `detail`."""

    key = "error.home_damaged"


class NotAHome(HomeError):
    """Fields: `home`."""

    key = "error.not_a_home"


class EmbedderMismatch(HomeError):
    """Fields: `home`, `found` (the home's model), `wanted` (the configured one)."""

    key = "error.embedder_mismatch"


class HomeOutdated(HomeError):
    """Fields: `home`."""

    key = "error.home_outdated"


class MissingExtra(AtrilError):
    """Fields: `what` (the setting or command that needs it), `extra`."""

    key = "error.missing_extra"


class UnreadableDocument(AtrilError):
    """One file could not be read. Fields: `reason`, `detail` (English, technical, may be empty), and
    `hint`, a key of the messages' table `hint` that tells better than the reason what to do."""

    def __init__(self, *, reason: FailureReason, detail: str = "", hint: str = "") -> None:
        self.reason = reason
        self.detail = detail
        self.hint = hint
        super().__init__(reason=reason, detail=detail, hint=hint)

    def localized(self, language: str | None) -> str:
        text = message(f"hint.{self.hint}" if self.hint else f"reason.{self.reason}", language)
        return f"{text} ({self.detail})" if self.detail else text


class ModelUnavailable(AtrilError):
    """Fields: `model`, `detail`, `remedy`."""

    key = "error.model_unavailable"


class NoReply(ModelUnavailable):
    """Fields: `model`, `problem` (a key of the messages' table `no_reply`), `requests` (sent in vain), and what
    fills the problem."""

    key = "error.no_reply"

    def localized(self, language: str | None) -> str:
        problem = message(f"no_reply.{self.fields['problem']}", language, **self.fields)
        return message(self.key, language, model=self.fields["model"], problem=problem)


class TokenizerUnavailable(ModelUnavailable):
    """Fields: `tokenizer` (as the embedder names it), `detail`."""

    key = "error.tokenizer_unavailable"
