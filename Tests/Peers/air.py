"""Sends requests of phones from standard input, `[[host, port, [[method, path, headers, body]]]]`,
several phones at once, each in order. Prints the statuses and the slowest answer as JSON."""

import collections
import concurrent.futures
import http.client
import json
import sys
import time

AT_ONCE = 32


def send(phone):
    host, port, requests = phone
    found = []
    connection = http.client.HTTPConnection(host, port, timeout=60)
    for method, path, headers, body in requests:
        began = time.monotonic()
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        answer.read()
        found.append((answer.status, time.monotonic() - began))
        if headers.get("Connection") == "close":
            connection.close()
    connection.close()
    return found


def sent(phones):
    """Sends all requests; returns the count of each status, and the slowest answer in seconds."""
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        answers = [one for found in pool.map(send, phones) for one in found]
    statuses = collections.Counter(str(status) for status, _ in answers)
    return {"statuses": statuses, "slowest": max(took for _, took in answers)}


if __name__ == "__main__":
    print(json.dumps(sent(json.load(sys.stdin))))
