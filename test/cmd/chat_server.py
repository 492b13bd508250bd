"""chat_server.py KERNEL PORT_FILE [CERTIFICATE] - an OpenAI chat server for tests: the name of the model says how it behaves.
Requests are logged beside PORT_FILE, one JSON line each."""
import gzip
import http.server
import json
import os
import socket
import ssl
import sys
import threading
import time

right = open(sys.argv[1]).read()
wrong = right.replace("p / tl.sum", "2.0 * p / tl.sum")
log = open(sys.argv[2] + ".log", "a")
lock = threading.Lock()
seen = {}


def fenced(code):
    return "Sure.\n```python\n" + code + "```\n"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *a):
        pass

    def send(self, status, body, kind="application/json", **headers):
        body = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for k, v in headers.items():
            self.send_header(k.replace("_", "-"), v)
        self.end_headers()
        self.wfile.write(body)

    def chunk(self, data):
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()

    def event(self, o):
        self.chunk(b"data: " + (o if isinstance(o, bytes) else json.dumps(o).encode()) + b"\n\n")

    def begin_stream(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream; charset=utf-8")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

    def error(self, status, message, **headers):
        self.send(status, {"error": {"message": message, "type": "x", "code": None}}, **headers)

    def do_GET(self):
        self.error(405, "POST it")

    def do_POST(self):
        raw = self.rfile.read(int(self.headers["Content-Length"]))
        q = json.loads(raw)
        model = q["model"]
        with lock:
            seen[model] = turn = seen.get(model, 0) + 1
            log.write(json.dumps({"path": self.path, "key": self.headers.get("Authorization"), "request": q}) + "\n")
            log.flush()
        try:
            self.answer(q, model, turn, q.get("n", 1))
        except (BrokenPipeError, ConnectionResetError):
            pass

    def answer(self, q, model, turn, n):
        texts = [fenced([wrong, right][i % 2]) for i in range(n)]
        if model == "right" or (model == "closes" and n == 1):
            texts = [fenced(right)] * n
        if model in ("ignores-n", "ignores-n-busy"):
            n, texts = 1, [fenced([wrong, right][turn % 2])]
            if model == "ignores-n-busy" and turn in (3, 4, 5):
                return self.error(503, "busy")
        if model == "busy" and turn < 3:
            return self.error([429, 500][turn - 1], "come back", Retry_After="1")
        if model == "broken":
            return self.error(500, "always\x1b[31m")
        if model == "stranger":
            return self.error(404, "The model `stranger` does not exist")
        if model == "locked":
            return self.error(401, "no key")
        if model == "strict":
            for k in ("chat_template_kwargs", "stream_options", "max_tokens"):
                if k in q:
                    return self.error(400, "Unsupported parameter: '%s'" % k)
        if model == "never":
            return self.error(400, "temperature must be a fish")
        if model == "redirect-scheme":
            return self.send(307, b"", Location="ftp://127.0.0.1/x")
        if model == "redirect-file":
            return self.send(302, b"", Location="file:///etc/passwd")
        if model == "redirect-loop":
            return self.send(307, b"", Location=self.path)
        if model == "redirect" and "moved" not in self.path:
            return self.send(307, b"", Location="/moved" + self.path)
        if model == "whole":
            choices = [{"index": i, "message": {"role": "assistant", "content": t}, "finish_reason": "stop"} for i, t in enumerate(texts)]
            return self.send(200, {"choices": choices, "usage": {"completion_tokens": 30 * n}})
        if model == "packed":
            choices = [{"index": i, "message": {"content": t}, "finish_reason": "stop"} for i, t in enumerate(texts)]
            return self.send(200, gzip.compress(json.dumps({"choices": choices}).encode()), Content_Encoding="gzip")
        if model == "bomb":
            return self.send(200, gzip.compress(b" " * (80 << 20)), Content_Encoding="gzip")
        if model == "typeless":
            lines = [json.dumps({"choices": [{"index": i, "delta": {"content": t}}]}) for i, t in enumerate(texts)]
            return self.send(200, ("\ufeff" + "".join("data: %s\n\n" % x for x in lines + ["[DONE]"])).encode(), "text/plain")
        if model == "garbage":
            return self.send(200, b"<html>hello</html>", "text/html")
        if model == "no-choices":
            return self.send(200, {"object": "chat.completion"})
        if model == "empty":
            return self.send(200, b"")
        if model == "hangs":
            time.sleep(30)
        if model == "huge":
            self.begin_stream()
            while True:
                self.chunk(b"x" * 1048576)
        self.begin_stream()
        if model == "garbage-stream":
            return self.event(b'{"choices": [')
        if model == "error-in-stream" and turn == 1:
            return self.event({"error": {"message": "overloaded"}})
        if model == "wrong-index":
            return self.event({"choices": [{"index": 99, "delta": {"content": "x"}}]})
        self.chunk(b": a comment\n\nevent: message\nid: 1\n")
        for i, text in enumerate(texts):
            if model == "truncated":
                text = text[: len(text) // 2]
            if model == "slow":
                time.sleep(0.5)
            if model in ("closes", "closes-for-good") and (i == 1 or model == "closes-for-good") and turn < 4:
                self.event({"choices": [{"index": i, "delta": {"content": "```py"}, "finish_reason": None}]})
                self.close_connection = True
                self.connection.shutdown(socket.SHUT_RDWR)
                return
            if model == "closes-for-good":
                self.connection.shutdown(socket.SHUT_RDWR)
                return
            step = max(1, len(text) // 7)
            self.event({"choices": [{"index": i, "delta": {"role": "assistant", "content": ""}, "finish_reason": None}]})
            for k in range(0, len(text), step):
                data = json.dumps({"choices": [{"index": i, "delta": {"content": text[k : k + step]}, "finish_reason": None}]}).encode()
                self.chunk(b"data:" + data[:9])  # events do not keep to the pieces of the transport
                self.chunk(data[9:] + b"\r\n\r\n")
            self.event({"choices": [{"index": i, "delta": {}, "finish_reason": "length" if model == "truncated" else "stop"}]})
        self.event({"choices": [], "usage": {"completion_tokens": 11 * n}})
        self.event(b"[DONE]")
        self.chunk(b"")


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *a):
        pass


server = Server(("127.0.0.1", 0), Handler)
if len(sys.argv) > 3:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[3])
    server.socket = context.wrap_socket(server.socket, server_side=True)
with open(sys.argv[2] + ".part", "w") as f:
    f.write(str(server.server_address[1]))
os.rename(sys.argv[2] + ".part", sys.argv[2])
server.serve_forever()
