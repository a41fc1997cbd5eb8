"""Prometheus scrapes a node while it works."""

import json
import os
import subprocess
import urllib.parse
import urllib.request

from row import Row, free_port, lab, output, wait

REPORTS = 50

CONFIGURATION = """
global: {scrape_interval: 1s}
scrape_configs:
  - job_name: muster
    authorization: {credentials_file: TOKEN}
    static_configs: [{targets: ["127.0.0.1:PORT"]}]
"""


def prometheus(muster, result):
    lab.run("ip", "link", "set", "lo", "up")
    made = lab.Lab(muster, 1)
    node = made.nodes[0]
    port, web = free_port(), free_port()
    node.start("--http", f"127.0.0.1:{port}", "--no-multicast", "--listen", "127.0.0.1:0")
    token = os.path.join(node.home, "run/http-token")
    request = urllib.request.Request(f"http://127.0.0.1:{port}/metrics", headers={
        "Authorization": f"Bearer {open(token, encoding='utf-8').read().strip()}"})
    with urllib.request.urlopen(request, timeout=30) as answer:
        kind, text = answer.headers["Content-Type"], answer.read()
    result.check(kind.startswith("text/plain; version=0.0.4"), f"the type is {kind!r}")
    checked = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True)
    result.check(checked.returncode == 0 and not checked.stderr,
                 f"promtool: {(checked.stdout + checked.stderr).decode()[:600]}")

    path = os.path.join(made.folder, "prometheus.yml")
    with open(path, "w", encoding="utf-8") as file:
        file.write(CONFIGURATION.replace("TOKEN", token).replace("PORT", str(port)))
    output("promtool", "check", "config", path)
    server = subprocess.Popen(
        ["prometheus", f"--config.file={path}", f"--web.listen-address=127.0.0.1:{web}",
         f"--storage.tsdb.path={made.folder}/tsdb"],
        stdout=subprocess.DEVNULL, stderr=open(os.path.join(made.folder, "prometheus.log"), "w"))
    try:
        ask = lambda query: [
            (one["metric"], float(one["value"][1])) for one in asked(web, query)]
        wait("Prometheus scrapes the node", lambda: [v for _, v in ask("up")] == [1.0])
        series = ask('count({job="muster"})')[0][1]
        for number in range(REPORTS):
            node.call("POST", "reports", {"title": f"No. {number}"})
        wait("the number of reports arrives",
             lambda: [v for _, v in ask("muster_reports")] == [REPORTS], 30)
        lost = asked(web, "sum(up == 0)")
        result.equal("scrapes that failed", lost, [])
        result.figure(f"{series:.0f} series; {REPORTS} reports are counted")
    finally:
        server.kill()
        server.wait()


def asked(port, query):
    try:
        with urllib.request.urlopen(
                f"http://127.0.0.1:{port}/api/v1/query?query={urllib.parse.quote(query)}",
                timeout=10) as answer:
            return json.load(answer)["data"]["result"]
    except OSError:
        return []


ROWS = [Row("prometheus", "Prometheus scrapes a node", ("prometheus", "iproute2"), prometheus)]
