"""Sends requests to a service of a node as they are, signed with botocore's signer, and states the first answer that is
not the service's."""

import datetime
import http.client
import json
import urllib.parse

import botocore.auth
import botocore.awsrequest
import botocore.credentials
import botocore.serialize

REGION = "eu-west-1"


class Raw:
    """Sends requests as they are, signed with botocore's signer."""

    def __init__(self, node, service="geo"):
        self.node = node
        self.service = service

    def send(self, method, path, body=b"", key=None, skew=0, headers=None, tamper=None, signed=True, alter=dict):
        """Returns the status, the headers and the parsed body."""
        key = key or self.node
        request = botocore.awsrequest.AWSRequest(
            method=method, url=self.node["url"] + path, data=body,
            headers={"Content-Type": "application/json", **(headers or {})})
        if signed:
            signer = Signer(key, skew, self.service)
            signer.add_auth(request)
        sent = tamper(body) if tamper else body
        place = urllib.parse.urlsplit(self.node["url"])
        connection = http.client.HTTPConnection(place.hostname, place.port, timeout=30)
        connection.request(method, path, body=sent, headers=alter(request.headers.items()))
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        return answer.status, answer.headers, json.loads(text or b"{}")


class Signer(botocore.auth.SigV4Auth):
    """Signs with a clock that differs by some seconds."""

    def __init__(self, key, skew, service):
        super().__init__(botocore.credentials.Credentials(key["id"], key["secret"]), service, REGION)
        self.skew = skew

    def _modify_request_before_signing(self, request):
        moment = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=self.skew)
        request.context["timestamp"] = moment.strftime("%Y%m%dT%H%M%SZ")
        super()._modify_request_before_signing(request)


def expect(condition, *words):
    if not condition:
        print("failed:", *words)
        raise SystemExit(1)


def expect_fault(answer, status, kind, *words, reason=None):
    expect(answer[0] == status and answer[1]["x-amzn-errortype"] == kind and answer[2].get("message"), *words, answer[0],
           answer[1].items(), answer[2])
    if kind == "ValidationException":
        expect({"reason", "fieldList"} <= set(answer[2]), *words, answer[2])
    if reason:
        expect(answer[2]["reason"] == reason, *words, answer[2])


def serialized(service, operation, parameters):
    """Returns the method, the path and the body that botocore makes of parameters, which it does not check."""
    model = service.operation_model(operation)
    serializer = botocore.serialize.create_serializer("rest-json", include_validation=False)
    request = serializer.serialize_to_request(parameters, model)
    query = urllib.parse.urlencode(request.get("query_string") or {}, doseq=True, quote_via=urllib.parse.quote)
    path = request["url_path"] + ("?" + query if query else "")
    body = request["body"]
    return request["method"], path, body if isinstance(body, bytes) else body.encode()


BAD_BODIES = (b"{", b"}", b"[]", b"[{}]", b"\xff", b"\xc0\x80", b"\x00", b'{"a":1,"a":2}', b"[" * 10_000,
              b'{"a":' * 10_000,
              b"null1", b"7", b"-", b'"x"', b"true", b"{} {}", b"{}x", b"{'a':1}", b'{"a":01}', b'{"a":NaN}', b'{"a":}',
              b'{"a":"\n"}', b'{"a":"\\x"}', b"{,}", b'{"a":1,}', b"<a/>", b"a=1&b=2")


def unknown_paths(path):
    """Paths near that of an operation, which are those of none, or have an empty name."""
    place, _, query = path.partition("?")
    parts = place.split("/")
    yield from (place + end + "?" + query for end in ("/", "//", "/x/x/x", ";", "%20", "%2F"))
    yield from ("/".join(parts[:2] + [version] + parts[3:]) for version in ("v1", "V0", "v00", "", "v0%20", "0"))


def walk_signatures(raw, method, path, body):
    """One operation with a signature that does not belong to it."""
    def altered(change):
        return lambda headers: {**dict(headers), "Authorization": change(dict(headers)["Authorization"])}

    refused = (403, "InvalidSignatureException")
    incomplete = (400, "IncompleteSignatureException")
    cases = [
        (altered(lambda text: text[:-1] + ("0" if text[-1] != "0" else "1")), *refused),
        (altered(lambda text: text[:-64] + text[-64:].upper()), *refused),
        (altered(lambda text: text[:-1]), *refused),
        (altered(lambda text: text[:-64]), *refused),
        (altered(lambda text: text + "0"), *refused),
        (altered(lambda text: text.replace(REGION, "us-east-1")), *refused),
        (altered(lambda text: text.replace("AWS4-HMAC-SHA256", "AWS4-HMAC-SHA1")), *incomplete),
        (altered(lambda text: text.replace("aws4_request", "aws5_request")), *incomplete),
        (altered(lambda text: text.replace("host;", "")), *incomplete),
        (altered(lambda text: text.split("Signature=")[0]), *incomplete),
        (altered(lambda text: text.split("SignedHeaders=")[0]), *incomplete),
        (altered(lambda text: "Basic QTpC"), *incomplete),
        (altered(lambda text: text.replace(raw.node["id"], "MSTRAAAAAAAAAAAAAAAA")), 403,
         "UnrecognizedClientException"),
        (altered(lambda text: text.replace(f"/{raw.service}/", "/s3/")), *refused),
        (altered(lambda text: text.replace(f"/{raw.service}/", "/geo/geo/")), *incomplete),
        (altered(lambda text: text.replace("Signature=", "Signature=0,Signature=")), *incomplete),
        (altered(lambda text: text.replace("content-type;", "")), *refused),
        (lambda headers: {**dict(headers), "X-Amz-Date": "20200101T000000Z"}, *incomplete),
        (lambda headers: {**dict(headers), "X-Amz-Date": "now"}, *incomplete),
        (lambda headers: {**dict(headers), "X-Amz-Date": dict(headers)["X-Amz-Date"][:9] + "000000Z"}, *refused),
        (lambda headers: {**dict(headers), "Content-Type": "text/plain"}, *refused),
        (lambda headers: {**dict(headers), "Host": "elsewhere.test"}, *refused),
        (lambda headers: {k: v for k, v in headers if k != "Authorization"}, 403,
         "MissingAuthenticationTokenException")]
    for number, (alter, status, kind) in enumerate(cases):
        expect_fault(raw.send(method, path, body, alter=alter), status, kind, method, path, "signature", number)
    return len(cases)
