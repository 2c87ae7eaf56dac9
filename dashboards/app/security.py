"""Who may look: whoever has the token, in a page of our own, and nobody else's page.

A dashboard can stop searches, and any page that a browser shows can send requests to this machine.
So every request needs a cookie that only the printed address gives, must name a host that is ours,
and, if it changes anything, must come from a page of ours.
"""

import gzip
import hmac
import ipaddress
import socket
from urllib.parse import urlsplit

from flask import Flask, Response, redirect, request

from mrtune.errors import UsageError

LOOPBACK = ("localhost", "127.0.0.1", "::1")
SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
WORTH_PACKING = 2048  # bytes


def check_host(host: str, token: str | None) -> None:
    """Refuse to serve others without a token."""
    if token is None and host not in LOOPBACK:
        raise UsageError(
            f"--host {host} lets other machines in: leave --no-token out, or serve on 127.0.0.1"
        )


def protect(server: Flask, host: str, port: int, token: str | None, hashes: list[str]) -> None:
    """Put every request and every answer through our rules."""
    names = {*LOOPBACK, host, socket.gethostname(), socket.getfqdn()}
    cookie = f"mrtune-{port}"

    @server.before_request
    def admit() -> Response | None:
        if not _is_ours(request.host, names):
            return _refusal("this name is not one of the dashboard's: open the printed address")
        if request.method not in SAFE_METHODS and not _same_origin():
            return _refusal("this request comes from another page")
        if token is None:
            return None
        given = request.args.get("token")
        if given is not None and hmac.compare_digest(given.encode(), token.encode()):
            return _welcome(cookie, token)
        if hmac.compare_digest(request.cookies.get(cookie, "").encode(), token.encode()):
            return None
        return _refusal("open the address that `mrtune dashboard` printed: it carries the token")

    @server.after_request
    def harden(response: Response) -> Response:
        response.headers |= {
            "Content-Security-Policy": _policy(hashes),
            "X-Content-Type-Options": "nosniff",
            "X-Frame-Options": "DENY",
            "Referrer-Policy": "no-referrer",
            "Cross-Origin-Opener-Policy": "same-origin",
        }
        return _packed(response)


def _is_ours(host: str, names: set[str]) -> bool:
    """Whether a Host header is no trick: a number cannot be pointed elsewhere, a name can."""
    name = urlsplit(f"//{host}").hostname or ""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return name in names
    return True


def _same_origin() -> bool:
    site = request.headers.get("Sec-Fetch-Site", "same-origin")
    origin = request.headers.get("Origin")
    return site == "same-origin" and (origin is None or urlsplit(origin).netloc == request.host)


def _welcome(cookie: str, token: str) -> Response:
    """Exchange the token of the address for a cookie, and the address for one without it."""
    left = "&".join(p for p in request.query_string.decode().split("&") if p[:6] != "token=")
    target = request.path + (f"?{left}" if left else "")
    response = redirect("/" + target.lstrip("/"))
    assert isinstance(response, Response)
    response.set_cookie(cookie, token, httponly=True, samesite="Strict")
    return response


def _refusal(reason: str) -> Response:
    return Response(f"mrtune: {reason}\n", status=403, mimetype="text/plain")


def _policy(hashes: list[str]) -> str:
    rules = {
        "default-src": "'none'",
        "script-src": " ".join(["'self'", *hashes]),
        "style-src": "'self' 'unsafe-inline'",  # plotly and Dash style what they draw
        "img-src": "'self' data: blob:",
        "font-src": "'self'",
        "connect-src": "'self'",
        "base-uri": "'none'",
        "form-action": "'none'",
        "frame-ancestors": "'none'",
    }
    return "; ".join(f"{name} {value}" for name, value in rules.items())


def _packed(response: Response) -> Response:
    """Compress an answer that is worth it, for a browser that can read it."""
    packs = "gzip" in request.headers.get("Accept-Encoding", "")
    if not packs or response.status_code != 200 or "Content-Encoding" in response.headers:
        return response
    response.direct_passthrough = False
    content = response.get_data()
    if len(content) >= WORTH_PACKING:
        response.set_data(gzip.compress(content, 5))
        response.headers["Content-Encoding"] = "gzip"
        response.vary.add("Accept-Encoding")
    return response
