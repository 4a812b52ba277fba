"""A server that speaks the chat API of OpenAI over real HTTP, with scripted replies and faults.

    with ChatServer() as server:
        server.add("Yes [1].", Reply(status=429, retry_after=1), Reply("No.", fault="disconnect", after=1))
        ...                          # point a client at server.url
        assert server.requests[0].messages[-1]["content"] == "…"

It also gives embeddings, in the shapes of OpenAI and of Bedrock Titan, and replies to Bedrock's Converse,
whole and streamed. Only this machine is served.
"""

from __future__ import annotations

import json
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from atril.models.counting import estimate_tokens
from atril.testing.chat_wire import Fault, Reply, Request, converse, converse_events, events, head, usage
from atril.testing.embedders import HashEmbedder

__all__ = ["ChatServer", "Fault", "Reply", "Request", "Script"]

Answerer = Callable[[Request], str | Reply]
Script = str | Reply | Answerer
"""A text, a reply, or a function that makes one of the request."""


@dataclass(slots=True)
class _State:
    script: deque[Script] = field(default_factory=deque)
    always: Script | None = None
    requests: list[Request] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)
    closing: threading.Event = field(default_factory=threading.Event)
    embedder: HashEmbedder = field(default_factory=HashEmbedder)
    embedding_replies: deque[Reply] = field(default_factory=deque)

    def next(self, request: Request) -> Reply:
        with self.lock:
            self.requests.append(request)
            script = self.script.popleft() if self.script else self.always
        made = script(request) if callable(script) else script
        if made is None:
            problem = {"message": "nothing is scripted for this request", "type": "invalid_request_error"}
            return Reply(status=400, error=problem)
        return Reply(made) if isinstance(made, str) else made


class ChatServer:
    """Serves on a free port of 127.0.0.1 from `start` to `close`; a context manager does both."""

    def __init__(self, *, dimensions: int = 64) -> None:
        self._state = _State(embedder=HashEmbedder(dimensions))
        self._server: ThreadingHTTPServer | None = None

    def add(self, *script: Script) -> None:
        """Replies for the next requests, one each, in this order."""
        with self._state.lock:
            self._state.script.extend(script)

    def always(self, script: Script | None) -> None:
        """The reply to every request for which nothing was added; without one they get status 400."""
        self._state.always = script

    def fail_embedding(self, *replies: Reply) -> None:
        """Faults for the next requests for embeddings, by status or `fault`."""
        self._state.embedding_replies.extend(replies)

    @property
    def requests(self) -> list[Request]:
        """Everything that was asked so far, in order."""
        with self._state.lock:
            return list(self._state.requests)

    @property
    def address(self) -> str:
        if self._server is None:
            raise RuntimeError("the server is not running")
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def url(self) -> str:
        """What goes into `base_url`."""
        return f"{self.address}/v1"

    def start(self) -> ChatServer:
        state = self._state

        class Handler(_Handler):
            def setup(self) -> None:
                self.state = state
                super().setup()

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._server.block_on_close = False
        serve = self._server.serve_forever
        threading.Thread(target=serve, args=(0.02,), name="chat-server", daemon=True).start()
        return self

    def close(self) -> None:
        """Ends what stalls and stops; a second call does nothing."""
        self._state.closing.set()
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    def __enter__(self) -> ChatServer:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    state: _State

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = Request(self.path, headers, json.loads(raw or b"{}"))
        path = self.path.partition("?")[0]
        if path.endswith(("/chat/completions", "/converse", "/converse-stream")):
            self._chat(request)
        elif path.endswith(("/embeddings", "/invoke")):
            self._embed(request)
        else:
            self._error(Reply(status=404))

    def do_GET(self) -> None:
        self._json({"object": "list", "data": [{"id": "scripted", "object": "model"}]})

    def log_message(self, format: str, *args: Any) -> None:
        """Tests read `requests`; nothing goes to standard error."""

    def _chat(self, request: Request) -> None:
        reply = self.state.next(request)
        self._wait(reply.delay)
        if reply.status != 200:
            self._error(reply)
        elif request.path.endswith("/converse"):
            self._json(converse(request, reply))
        elif request.path.endswith("/converse-stream"):
            self._converse_stream(request, reply)
        elif request.streamed:
            self._stream(request, reply)
        else:
            self._whole(request, reply)

    def _whole(self, request: Request, reply: Reply) -> None:
        message = {"role": "assistant", "content": reply.text}
        choices = [{"index": 0, "message": message, "finish_reason": reply.finish}]
        body = {**head(request, "chat.completion"), "choices": choices}
        if spent := usage(request, reply):
            body["usage"] = spent
        match reply.fault:
            case None:
                self._json(body)
            case "no_choices":
                self._json({**body, "choices": []})
            case "malformed":
                self._send(json.dumps(body)[: -len(reply.text) - 20].encode())
            case "disconnect":
                self._drop()
            case "stall":
                self._wait(reply.seconds)
                self._drop()

    def _stream(self, request: Request, reply: Reply) -> None:
        self._start(200, "text/event-stream", {"Transfer-Encoding": "chunked"})
        for number, event in enumerate(events(request, reply)):
            if reply.fault is not None and number == reply.after:
                match reply.fault:
                    case "malformed":
                        event = event[:-3]
                    case "no_choices":
                        event = json.dumps({**head(request, "chat.completion.chunk"), "choices": []})
                    case "stall":
                        self._wait(reply.seconds)
                    case "disconnect":
                        self._drop()
                        return
            self._chunk(f"data: {event}\n\n".encode())
            self._wait(reply.pause)
        self._chunk(b"")

    def _converse_stream(self, request: Request, reply: Reply) -> None:
        self._start(200, "application/vnd.amazon.eventstream", {"Transfer-Encoding": "chunked"})
        for number, event in enumerate(converse_events(request, reply)):
            if reply.fault is not None and number == reply.after:
                self._wait(reply.seconds if reply.fault == "stall" else 0)
                self._drop()
                return
            self._chunk(event)
            self._wait(reply.pause)
        self._chunk(b"")

    def _embed(self, request: Request) -> None:
        with self.state.lock:
            self.state.requests.append(request)
            queued = self.state.embedding_replies
            reply = queued.popleft() if queued else Reply()
        self._wait(reply.delay)
        if reply.status != 200:
            self._error(reply)
            return
        if reply.fault is not None:
            self._drop()
            return
        titan = request.body.get("inputText")
        given = titan if titan is not None else request.body.get("input", "")
        texts = [given] if isinstance(given, str) else list(given)
        vectors = [self.state.embedder.vector(text).tolist() for text in texts]
        count = sum(estimate_tokens(text) for text in texts)
        if titan is not None:
            self._json({"embedding": vectors[0], "inputTextTokenCount": count})
            return
        rows = [{"object": "embedding", "index": i, "embedding": row} for i, row in enumerate(vectors)]
        spent = {"prompt_tokens": count, "total_tokens": count}
        # A server may give them in any order; `index` tells.
        self._json({"object": "list", "data": rows[::-1], "model": request.body.get("model"), "usage": spent})

    def _error(self, reply: Reply) -> None:
        problem = reply.error or {"message": f"scripted status {reply.status}", "type": "scripted"}
        more = {} if reply.retry_after is None else {"Retry-After": f"{reply.retry_after:g}"}
        self._send(json.dumps({"error": problem}).encode(), reply.status, more)

    def _json(self, body: dict[str, Any]) -> None:
        self._send(json.dumps(body).encode())

    def _send(self, data: bytes, status: int = 200, more: dict[str, str] | None = None) -> None:
        self._start(status, "application/json", {"Content-Length": str(len(data)), **(more or {})})
        self.wfile.write(data)

    def _start(self, status: int, kind: str, more: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": kind, **more}.items():
            self.send_header(name, value)
        self.end_headers()

    def _chunk(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))

    def _drop(self) -> None:
        self.close_connection = True

    def _wait(self, seconds: float) -> None:
        if seconds > 0:
            self.state.closing.wait(seconds)

    def handle(self) -> None:
        try:
            super().handle()
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # the client had enough
