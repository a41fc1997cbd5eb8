"""A receiver of webhooks."""

import http.server
import threading
import time


class Sink:
    """A receiver of posts on loopback, which answers each after some seconds; has the time and the body of
    each."""

    def __init__(self, answer_seconds=0):
        self.answer_seconds = answer_seconds

    def __enter__(self):
        posts, answer_seconds = [], self.answer_seconds
        self.posts = posts

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                posts.append((time.perf_counter(), body))
                time.sleep(answer_seconds)
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/"
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
