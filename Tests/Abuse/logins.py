"""L2 to L6, L8, L9: what a login, an access key or a phone with the least rights can do, and keep."""

import datetime
import hashlib
import hmac
import http.client
import json
import os
import subprocess
import time

import lab
from doors import LOCAL, PASSPHRASE, POST, Door, context, open_post
from reads import own
from row import Row, Verdict, check_all, mesh
from sink import Sink

WORDS = "proxy-words-of-the-team"


def secrets(options):
    """Starts a node at `trace`, uses it, and searches everything it writes for its secrets."""
    made, verdict = mesh(options, 2), Verdict("")
    os.environ["MUSTER_LOG_LEVEL"] = "trace"
    node = open_post(made, "--proxy", f"http://user:{WORDS}@127.0.0.1:9", "--uplink",
                     "https://127.0.0.1:9")
    pia = Door().log_in("Pia")
    pia.ask("PUT", "/api/v1/me/safety", '{"safety":"help"}')
    hook = json.loads(own("PUT", "webhooks/board", {"url": "http://127.0.0.1:9/in?key=k3y0fTheHook"})[1])
    invite = json.loads(node.muster("invite", "--json"))["url"]
    key = json.loads(node.muster("access-key", "create", "--rights", "observer", "--user", "N0", "--json"))
    # The same node with a token on its loopback address.
    node.stop()
    made.start_on_loopback(node, "--http", f"127.0.0.1:{LOCAL}")
    del os.environ["MUSTER_LOG_LEVEL"]
    token = open(node.home + "/run/http-token").read().strip()
    line = http.client.HTTPConnection("127.0.0.1", LOCAL, timeout=30)
    line.request("GET", "/api/v1/users", headers={"Authorization": f"Bearer {token}"})
    verdict.expect(line.getresponse().status == 200, "the token is not accepted")
    line.close()
    tls = bytes(open(node.home + "/keys/browser.tls", "rb").read())
    size = int.from_bytes(tls[:4], "big")
    known = {
        "the token of the API": token,
        "a passphrase": PASSPHRASE, "a session": pia.cookie, "the proxy's password": WORDS,
        "a webhook's secret": hook["secret"], "a webhook's address": "k3y0fTheHook",
        "an access key": key["secret"], "an invite": invite.split("#")[-1].split("/")[-1],
        "the TLS key": ", ".join(map(str, tls[4:4 + size][:64]))}
    texts = {
        "the log": open(node.home + ".log", errors="replace").read(),
        "the audit log": open(node.home + "/audit.log", errors="replace").read()}
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            line = open(f"/proc/{process}/cmdline").read()
        except OSError:
            continue
        if "muster" in line and "--proxy" not in line:
            texts[f"the arguments of process {process}"] = line
    for place, text in texts.items():
        for name, secret in known.items():
            verdict.expect(secret not in text, f"{place} has {name}")
    verdict.expect(any(level in texts["the log"] for level in (" trace ", " debug ")),
                   "the log is not of the level trace")
    verdict.volume = f"{sum(map(len, texts.values())):,} bytes of logs, {len(known)} secrets"
    node.stop()
    made.start_on_loopback(node)
    check_all(verdict, made)
    return verdict


def removed(options):
    """Revokes a person and removes a login: what both could do, and made, ends."""
    made, verdict = mesh(options, 2), Verdict("")
    path = os.path.join(made.folder, "passphrase")
    node = open_post(made)
    node.muster("login", "add", "Ben", "--rights", "command", "--passphrase-file", path,
                "--user", "N1")
    ben, maria = Door().log_in("Ben"), Door().log_in("Maria")
    invite = body_of(maria, "POST", "/api/v1/invitations",
                     {"role": "command", "uses": 1000, "validSeconds": 31_536_000})
    with Sink() as sink:
        maria.ask("PUT", "/api/v1/webhooks/w", json.dumps(
            {"url": sink.url, "datasets": ["reports"], "events": ["ALERT"]}))
        text = node.muster("login", "remove", "Maria")
        own("POST", "reports", {"title": "After the removal"})
        time.sleep(3)
        verdict.expect(not sink.posts, f"the webhook of a removed login got {len(sink.posts)} posts")
    verdict.expect("webhook" in text.lower(), "`login remove` does not name the webhook")
    verdict.expect(maria.ask("GET", "/api/v1/users")[0] in (401, 403), "a removed login reads")
    if invite and "url" in invite:
        new = type(node)(made, 9)
        done = subprocess.run(
            [made.program, "join", invite["url"], "--callsign", "Mallory", "--timeout", "10s",
             "--home", new.home], capture_output=True, text=True)
        verdict.expect(done.returncode != 0, "the invite of a removed login admits a device")
    verdict.expect(ben.ask("GET", "/api/v1/users")[0] == 200, "Ben cannot read before the revocation")
    text = node.muster("revoke", "N1", "--yes")
    verdict.expect("login" in text.lower(), "`revoke` does not name the login of the person")
    lab.wait("the session of a revoked person ends",
             lambda: ben.ask("GET", "/api/v1/users")[0] != 200, 10)
    status = ben.ask("POST", "/api/v1/invitations", '{"role":"command"}')[0]
    verdict.expect(status in (401, 403), f"a revoked person's login makes an invite: {status}")
    status = ben.ask("PUT", "/api/v1/me/safety", '{"safety":"help"}')[0]
    verdict.expect(status in (200, 202, 204), f"a revoked person cannot call for help: {status}")
    verdict.volume = "one person revoked, one login removed"
    # The revoked laptop no longer converges.
    made.nodes.pop().stop()
    check_all(verdict, made)
    return verdict


def permanent(options):
    """Positions in and out of a zone, reports and audited acts, as fast as one login can."""
    made, verdict = mesh(options, 2), Verdict("")
    node = open_post(made)
    own("POST", "fences", {"name": "Leak", "kind": "hazard",
                           "circle": {"lat": 46.5, "lon": 7.5, "radiusMetres": 50}})
    pia = Door().log_in("Pia")
    before, statuses = node.frame_count(), {}
    # What others did first.
    marker = Door().log_in("Maria")
    marker.ask("POST", "/api/v1/reports", '{"title":"Marker"}')
    count = options.volume(1_500, 20_000)
    for number in range(count):
        body = {"lat": 46.5 + number % 2 / 100, "lon": 7.5, "accuracyMetres": 5}
        status = pia.ask("POST", "/api/v1/me/position", json.dumps(body))[0]
        statuses[status] = statuses.get(status, 0) + 1
    for number in range(400):
        pia.ask("DELETE", "/api/v1/reports/0")
    frames = node.frame_count() - before
    verdict.expect(frames <= 150, f"{count} positions made {frames} permanent frames")
    lines = [json.loads(line) for line in open(node.home + "/audit.log")]
    of_pia = sum(line.get("name") == "Pia" for line in lines)
    verdict.expect(of_pia <= 400, f"{of_pia} lines of the audit log are of one login")
    verdict.expect(any("reports" in json.dumps(line) and line.get("name") == "Maria" for line in lines),
                   "the audit log lost what another login did")
    help_ = pia.ask("PUT", "/api/v1/me/safety", '{"safety":"help"}')[0]
    verdict.expect(help_ == 204, f"afterwards the call for help is answered {help_}")
    verdict.volume = f"{count} positions, {frames} frames, {of_pia} lines of the audit log"
    check_all(verdict, made)
    return verdict


def moved(options):
    """Positions for a person with a login of their own, by the access key of another."""
    made, verdict = mesh(options, 2), Verdict("")
    node = open_post(made)
    key = json.loads(node.muster(
        "access-key", "create", "--rights", "member", "--user", "N1", "--json"))
    pia = Door().log_in("Pia")
    pia.ask("POST", "/api/v1/me/position", '{"lat":46.5,"lon":7.5}')
    lab.wait("the phone is listed", lambda: place_of("Pia"), 10)
    before = place_of("Pia")
    now = datetime.datetime.now(datetime.timezone.utc)
    signed(key, "/tracking/v0/trackers", {"TrackerName": "t"})
    status, text = signed(key, "/tracking/v0/trackers/t/positions", {"Updates": [
        {"DeviceId": "Pia", "Position": [7.5, 46.5005],
         "SampleTime": now.strftime("%Y-%m-%dT%H:%M:%SZ")}]})
    verdict.expect(status < 500, f"the update is answered {status}")
    time.sleep(1.5)
    verdict.expect(place_of("Pia") == before, f"an access key moved another person: {text[:200]}")
    status, _ = signed(key, "/tracking/v0/trackers/t/delete-positions", {"DeviceIds": ["Pia"]})
    verdict.expect(place_of("Pia") == before, f"an access key deleted another's track: {status}")
    verdict.volume = "one update and one deletion by an access key"
    check_all(verdict, made)
    return verdict


def webhook(options):
    """Reads a webhook's stored secret, and points the webhook elsewhere, as command."""
    made, verdict = mesh(options, 2), Verdict("")
    open_post(made)
    secret = json.loads(own("PUT", "webhooks/board", {"url": "http://127.0.0.1:9/in?key=1"})[1])["secret"]
    maria = Door().log_in("Maria")
    texts = [json.dumps(body_of(maria, "GET", "/api/v1/webhooks")),
             json.dumps(body_of(maria, "PUT", "/api/v1/webhooks/board", {"url": "http://127.0.0.1:9/x"})),
             json.dumps(body_of(maria, "PUT", "/api/v1/webhooks/board", {"url": "http://127.0.0.2:9/x"}))]
    for number, text in enumerate(texts):
        verdict.expect(secret not in text, f"answer {number} contains the stored secret")
    verdict.expect("secret" in texts[-1], "a webhook with another host got no new secret")
    verdict.volume = f"{len(texts)} requests"
    check_all(verdict, made)
    return verdict


def body_of(door, method, path, body=None):
    """Returns the JSON of an answer; None without one."""
    line = http.client.HTTPSConnection("127.0.0.1", POST, timeout=30, context=context())
    line.request(method, path, None if body is None else json.dumps(body),
                 {"Host": f"127.0.0.1:{POST}", "Content-Type": "application/json",
                  "Cookie": f"__Host-muster={door.cookie}"})
    text = line.getresponse().read()
    line.close()
    try:
        return json.loads(text)
    except ValueError:
        return None


def place_of(name):
    users = json.loads(own("GET", "users")[1])["items"]
    return next(((user.get("lat"), user.get("lon"), user["status"])
                 for user in users if user["callsign"] == name and user.get("lat")), None)


def signed(key, path, body):
    """Sends a request with AWS Signature Version 4."""
    text = json.dumps(body).encode()
    now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%dT%H%M%SZ")
    host, scope = f"127.0.0.1:{LOCAL}", f"{now[:8]}/x/geo/aws4_request"
    canonical = (f"POST\n{path}\n\nhost:{host}\nx-amz-date:{now}\n\nhost;x-amz-date\n"
                 + hashlib.sha256(text).hexdigest())
    secret = ("AWS4" + key["secret"]).encode()
    for part in scope.split("/"):
        secret = hmac.new(secret, part.encode(), hashlib.sha256).digest()
    to_sign = f"AWS4-HMAC-SHA256\n{now}\n{scope}\n{hashlib.sha256(canonical.encode()).hexdigest()}"
    signature = hmac.new(secret, to_sign.encode(), hashlib.sha256).hexdigest()
    line = http.client.HTTPConnection("127.0.0.1", LOCAL, timeout=30)
    line.request("POST", path, text, {
        "Host": host, "x-amz-date": now, "Content-Type": "application/json",
        "Authorization": f"AWS4-HMAC-SHA256 Credential={key['id']}/{scope}, "
                         f"SignedHeaders=host;x-amz-date, Signature={signature}"})
    answer = line.getresponse()
    text = answer.read().decode()
    line.close()
    return answer.status, text


ROWS = [
    Row("L2", "secrets at the log level trace", secrets),
    Row("L3", "a person revoked, a login removed (also L6)", removed),
    Row("L4", "what one login makes permanent (also L5)", permanent),
    Row("L8", "a position for another person", moved),
    Row("L9", "the secret of a webhook", webhook),
]
