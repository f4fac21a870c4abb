import json
import os
import sys
import threading
import time
import urllib.request
import warnings
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace

from http_message_signatures import (
    HTTPMessageSignaturesException,
    HTTPMessageVerifier,
    HTTPSignatureKeyResolver,
    InvalidSignature,
    algorithms,
)
from http_message_signatures.signatures import SignatureVerifyWarning

BASE_URL = os.environ.get("TOCSIN_BASE_URL", "http://127.0.0.1:8080")
# The host of the webhook URL in lowercase, with its port if it is not 443.
AUTHORITY = os.environ.get("AUTHORITY", "hooks.example.com")
PORT = int(os.environ.get("PORT", "3000"))

KEYS_URL = BASE_URL + "/api/notifications/v1/webhook-http-signature/public-keys"
BODY_MAX_BYTES = 256 * 1024
COVERED = ("@method", "@authority", "@path", "content-digest", "content-type")


class KeysUnavailable(Exception):
    """The public keys cannot be fetched now; Tocsin sends the notification again later."""


class PublicKeys(HTTPSignatureKeyResolver):
    """The listed public keys of the server: kept for 300 s, fetched for an unknown ID at most every 30 s."""

    def __init__(self):
        self.lock = threading.Lock()
        self.keys = {}
        self.fetched_at = float("-inf")

    def resolve_public_key(self, key_id):
        with self.lock:
            age = time.monotonic() - self.fetched_at
            if age > 300 or (key_id not in self.keys and age > 30):
                self.fetch()
            return self.keys.get(key_id)

    def fetch(self):
        try:
            with urllib.request.urlopen(KEYS_URL, timeout=5) as response:
                listed = json.loads(response.read(64 * 1024))["keys"]
            self.keys = {key["keyId"]: key["publicKeyPem"].encode() for key in listed}
        except (OSError, ValueError, KeyError) as error:
            raise KeysUnavailable(str(error)) from error
        self.fetched_at = time.monotonic()


class Verifier(HTTPMessageVerifier):
    # `created` may be 60 s in the future. The library adds the same to the largest age.
    max_clock_skew = timedelta(seconds=60)
    # A proxy may add its own signature. Tocsin's has the label sig1 and no tag.
    allow_label_only_selection = True


warnings.simplefilter("ignore", SignatureVerifyWarning)
verifier = Verifier(signature_algorithm=algorithms.ED25519, key_resolver=PublicKeys())


def verify(request, body):
    """Raises InvalidSignature unless Tocsin signed this request, with this body, for AUTHORITY."""
    message = SimpleNamespace(
        method=request.command,
        # The host is our own, whatever `Host` says. The path is as received, still percent-encoded; `request.path` is
        # not, since Python removes leading slashes from it.
        url=f"https://{AUTHORITY}{request.requestline.split(' ')[1]}",
        headers=request.headers,
    )
    try:
        [verified] = verifier.verify(
            message,
            max_age=timedelta(seconds=240),
            expect_label="sig1",
            require_components=COVERED,
            body=body,
        )
    except InvalidSignature as error:
        # The library wraps what a key resolver raises.
        if isinstance(error.__cause__, KeysUnavailable):
            raise error.__cause__
        raise
    if verified.parameters.get("alg") != "ed25519":
        raise InvalidSignature("alg must be ed25519")


def process(notification_id, body):
    """Replace this: store the notification, unless it is already stored."""
    sys.stdout.buffer.write(notification_id.encode() + b" " + body + b"\n")
    sys.stdout.buffer.flush()


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 10

    def do_POST(self):
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdigit()):
            return self.respond(411)
        if int(length) > BODY_MAX_BYTES:
            return self.respond(413)
        body = self.rfile.read(int(length))
        try:
            verify(self, body)
        except KeysUnavailable as error:
            self.log_error("%s", error)
            return self.respond(503)
        except HTTPMessageSignaturesException as error:
            self.log_error("%s", error)
            return self.respond(401)
        try:
            process(self.headers.get("Notification-Id", ""), body)
        except Exception as error:
            self.log_error("%s", error)
            return self.respond(500)
        self.respond(204)

    def respond(self, status):
        self.send_response(status)
        if status != 204:
            self.send_header("Content-Length", "0")
        if status in (411, 413):
            # The body was not read.
            self.send_header("Connection", "close")
            self.close_connection = True
        self.end_headers()


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", PORT), Receiver)
    print(f"receiving on port {PORT}", flush=True)
    server.serve_forever()
