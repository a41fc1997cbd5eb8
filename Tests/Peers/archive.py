"""The archive on several PostgreSQL servers, several of its programs on one, and full disks."""

import glob
import json
import os
import pwd
import secrets
import signal
import socket
import subprocess
import tempfile
import urllib.request

import row
from row import Row, free_port, lab, output, wait

# Operations, and reports of each.
COUNT, REPORTS = 4, 2
PASSWORD = "sesame-of-the-shards"


class Cluster:
    """A throw-away PostgreSQL server, as the user postgres. Its write-ahead log can be in another
    folder, and then keeps no segments for later use."""

    def __init__(self, folder, name, wal=None):
        self.programs = sorted(glob.glob("/usr/lib/postgresql/*/bin"))[-1]
        self.folder = os.path.join(folder, name)
        self.port = free_port()
        self.url = f"postgres://muster@127.0.0.1:{self.port}/postgres"
        secret = self.folder + ".password"
        with open(secret, "w", encoding="utf-8") as file:
            file.write(PASSWORD)
        os.chmod(secret, 0o644)
        self.log = self.folder + ".log"
        self.as_postgres(
            "initdb", "-D", self.folder, "-U", "muster", "--auth=scram-sha-256", "--pwfile", secret,
            "--no-sync", "--encoding=UTF8", "--locale=C", "--wal-segsize=1",
            *(("--waldir", wal) if wal else ()))
        self.options = " -c wal_recycle=off" if wal else ""
        self.start()
        if wal:
            for _ in range(int(self.query("SELECT count(*) FROM pg_ls_waldir()"))):
                self.query("SELECT pg_logical_emit_message(false, '', ''), pg_switch_wal()")
            self.query("CHECKPOINT")

    def words(self, program, *words):
        return ("setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--",
                os.path.join(self.programs, program), *words)

    def as_postgres(self, program, *words):
        output(*self.words(program, *words))

    def start(self):
        options = (f"-c listen_addresses=127.0.0.1 -c port={self.port} -c max_connections=40"
                   " -c unix_socket_directories='' -c log_statement=all" + self.options)
        self.as_postgres("pg_ctl", "-D", self.folder, "-w", "-l", self.log, "-o",
                         options, "start")

    def stop(self):
        self.as_postgres("pg_ctl", "-D", self.folder, "-w", "-m", "immediate", "stop")

    def query(self, sql):
        return output("psql", self.url, "-XAtqc", sql).strip()

    def frames(self):
        return int(self.query("SELECT count(*) FROM muster.frames"))

    def has_ended(self):
        words = self.words("pg_ctl", "-D", self.folder, "status")
        # 3: no server runs.
        return subprocess.run(words, capture_output=True, check=False).returncode == 3

    def recover(self):
        """Starts the server if it has ended, as systemd does, and waits until it answers."""
        def answers():
            if self.has_ended():
                self.start()
            return subprocess.run(["psql", self.url, "-XAtqc", "SELECT 1"], capture_output=True,
                                  check=False).returncode == 0
        wait("PostgreSQL answers", answers, 60, 0.2)


class Archive:
    """The program over a database, and homes of operations that feed it."""

    def __init__(self, muster, folder, url):
        self.program = os.path.join(os.path.dirname(os.path.abspath(muster)), "muster-archive")
        self.muster, self.folder, self.url = muster, folder, url
        self.homes = []

    def environment(self, home):
        return dict(os.environ, MUSTER_STATE=home + ".state")

    def found(self, name):
        """Founds an operation with a few reports and a position."""
        home = os.path.join(self.folder, name)
        for words in (
            ("init", name, "--callsign", "Anna"), ("position", "set", "46.06,14.51"),
            *(("report", "add", "--title", f"Smoke {number} of {name}", "--at", "46.05,14.5")
              for number in range(REPORTS)),
        ):
            output(self.muster, *words, "--home", home, env=self.environment(home))
        self.homes.append(home)
        return home

    def begin(self, *words, home=None, errors=subprocess.PIPE):
        more = ("--home", home) if home else ()
        return subprocess.Popen(
            [self.program, *words, *more, "--database", self.url],
            stdout=subprocess.PIPE if errors == subprocess.PIPE else subprocess.DEVNULL,
            stderr=errors, text=True, env=self.environment(home or self.folder))

    def run(self, *words, home=None):
        process = self.begin(*words, home=home)
        text, errors = process.communicate(timeout=120)
        if process.returncode != 0:
            raise SystemExit(f"muster-archive {' '.join(words)}: {errors}")
        return text

    def halves(self):
        """The remainders of the partition rule of two shards that the operations have."""
        if not self.homes:
            return set()
        ids = [json.loads(output(
            self.muster, "status", "--json", "--home", home, env=self.environment(home)
        ))["operation"] for home in self.homes]
        values = ", ".join(f"(decode('{operation}', 'hex'))" for operation in ids)
        parts = "".join(
            f"CREATE TEMPORARY TABLE part{number} PARTITION OF parts"
            f" FOR VALUES WITH (MODULUS 2, REMAINDER {number});" for number in range(2))
        return set(output("psql", self.url, "-XAtqc", f"""
            CREATE TEMPORARY TABLE parts (operation bytea) PARTITION BY HASH (operation); {parts}
            INSERT INTO parts VALUES {values};
            SELECT DISTINCT tableoid::regclass FROM parts""").split())

    def bundle(self, home):
        path = home + ".bundle"
        output(self.muster, "bundle", "create", path, "--home", home, env=self.environment(home))
        return path

    def frames(self, home):
        status = json.loads(output(
            self.muster, "status", "--json", "--home", home, env=self.environment(home)))
        return status["frames"]


def scene(muster, names):
    """The clusters of a row, in a folder that they and this process may read."""
    lab.run("ip", "link", "set", "lo", "up")
    folder = tempfile.mkdtemp(prefix="muster-archive-")
    owner = pwd.getpwnam("postgres")
    os.chown(folder, owner.pw_uid, owner.pw_gid)
    # As the documentation advises: no password is an argument of a program.
    os.environ["PGPASSFILE"] = os.path.join(folder, "passwords")
    with open(os.environ["PGPASSFILE"], "w", encoding="utf-8") as file:
        file.write(f"127.0.0.1:*:*:muster:{PASSWORD}\n")
    os.chmod(os.environ["PGPASSFILE"], 0o600)
    return folder, [Cluster(folder, name) for name in names]


def shards(muster, result):
    folder, clusters = scene(muster, ("coordinator", "east", "west"))
    coordinator, *others = clusters
    try:
        archive = Archive(muster, folder, coordinator.url)
        while len(archive.homes) < COUNT or len(archive.halves()) < 2:
            archive.found(f"Flood{len(archive.homes)}")
        count = len(archive.homes)
        # Half of the operations are archived before the frames move, the others after.
        for home in archive.homes[:count // 2]:
            archive.run("import", home=home)
        output(os.path.join(row.ROOT, "Scripts/archive-shards.py"),
               *(cluster.url for cluster in clusters))
        # The coordinator logs every statement, but none with a password.
        with open(coordinator.log, encoding="utf-8") as log:
            text = log.read()
        result.check("CREATE SCHEMA" in text, "the log of the coordinator has no statements")
        result.check(PASSWORD not in text, "the log of the coordinator has a password")
        # Two programs at once, fed with the same: each frame is stored once.
        both = [archive.begin("import", bundle, home=home) for home in archive.homes[count // 2:]
                for bundle in [archive.bundle(home)] * 2]
        for process in both:
            _, errors = process.communicate(timeout=120)
            result.check(process.returncode == 0, errors)
        wanted = sum(archive.frames(home) for home in archive.homes)
        counts = [int(one.query("SELECT count(*) FROM muster.frames")) for one in others]
        result.equal("frames at the shards", sum(counts), wanted)
        result.equal("frames through the coordinator",
                     int(coordinator.query("SELECT count(*) FROM muster.frames")), wanted)
        split = [set(one.query("SELECT DISTINCT operation FROM muster.frames").split())
                 for one in others]
        result.check(not split[0] & split[1], "an operation is at two shards")
        status = json.loads(archive.run("status", "--json"))
        result.equal("frames that `status` counts", sum(one["frames"] for one in status), wanted)
        # Search, export and verification go through the coordinator.
        for home in archive.homes:
            archive.run("project", home=home)
        found = json.loads(archive.run("search", "smoke", "--json", "--area=46.05,14.5,500"))
        result.equal("reports that a search finds", len(found), REPORTS * count)
        bundle = os.path.join(folder, "back.bundle")
        archive.run("export", bundle, home=archive.homes[0])
        fresh = int(json.loads(archive.run(
            "import", bundle, "--json", home=archive.homes[0]))["frames"]["new"])
        result.equal("frames of an export that were not archived", fresh, 0)
        lost_shard(archive, others, result)
        result.figure(f"{wanted} frames of {count} operations at {counts} frames a shard")
    finally:
        for cluster in clusters:
            cluster.stop()


def lost_shard(archive, others, result):
    """While a shard is down, the operations of the other one are archived."""
    before = [int(one.query("SELECT count(*) FROM muster.frames")) for one in others]
    others[0].stop()
    states = {}
    for home in archive.homes:
        output(archive.muster, "report", "add", "--title", "Later", "--home", home,
               env=archive.environment(home))
        process = archive.begin("import", home=home)
        _, errors = process.communicate(timeout=120)
        states[home] = process.returncode
        lines = errors.strip().splitlines()
        result.check(process.returncode == 0 or len(lines) == 1, f"no clear line: {errors}")
    result.check(0 in states.values() and 1 in states.values(), f"{states}")
    others[0].start()
    for home in archive.homes:
        archive.run("import", home=home)
    after = [int(one.query("SELECT count(*) FROM muster.frames")) for one in others]
    result.check(sum(after) - sum(before) >= len(archive.homes), f"{before}, then {after}")
    result.equal("frames after the shard came back", sum(after),
                 sum(archive.frames(home) for home in archive.homes))


# A disk that is small, and the reports that it has no room for.
DISK_MEBIBYTES, LONG_REPORTS = 64, 150


class SmallDisk:
    """A file system of its own that the user postgres may write."""

    def __init__(self, folder):
        self.folder, self.ballast = folder, os.path.join(folder, "ballast")
        owner = pwd.getpwnam("postgres")
        os.mkdir(folder)
        output("mount", "-t", "tmpfs", "-o",
               f"size={DISK_MEBIBYTES}m,mode=700,uid={owner.pw_uid},gid={owner.pw_gid}", "tmpfs",
               folder)

    def fill(self):
        with open(self.ballast, "ab", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(4096))
            except OSError:
                pass

    def free(self):
        os.remove(self.ballast)

    def unmount(self):
        output("umount", "-l", self.folder)


class Post:
    """A node that runs, with reports that need room."""

    def __init__(self, archive, home):
        self.home, self.port = home, free_port()
        self.process = subprocess.Popen(
            [archive.muster, "run", "--home", home, "--listen", "127.0.0.1:0", "--no-multicast",
             "--http", f"127.0.0.1:{self.port}", "--trust-local"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=archive.environment(home))
        wait("the node runs", lambda: socket.socket().connect_ex(("127.0.0.1", self.port)) == 0)

    def add_reports(self):
        for number in range(LONG_REPORTS):
            body = {"title": f"Long {number}", "description": secrets.token_urlsafe(12_000)}
            request = urllib.request.Request(
                f"http://127.0.0.1:{self.port}/api/v1/reports", json.dumps(body).encode(),
                {"Content-Type": "application/json"})
            urllib.request.urlopen(request, timeout=60).close()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(timeout=60)


def full_disk(muster, result):
    """The disk of the tables is full; then that of the write-ahead log, which ends the server."""
    folder, _ = scene(muster, ())
    for name in ("tables", "log"):
        disk = SmallDisk(os.path.join(folder, name))
        inside, outside = os.path.join(disk.folder, "inside"), os.path.join(folder, name + "-other")
        cluster = (Cluster(disk.folder, "inside", outside) if name == "tables"
                   else Cluster(folder, name + "-other", inside))
        try:
            archive = Archive(muster, folder, cluster.url)
            post = Post(archive, archive.found(f"Flood{name}"))
            try:
                filled(archive, cluster, disk, post, result)
            finally:
                post.stop()
        finally:
            if not cluster.has_ended():
                cluster.stop()
            disk.unmount()


def complaints(log):
    with open(log, encoding="utf-8") as file:
        return file.read().strip().splitlines()


def filled(archive, cluster, disk, post, result):
    archive.run("import", home=post.home)
    before, stored = archive.frames(post.home), cluster.frames()
    result.equal("frames before the disk is full", stored, before)
    post.add_reports()
    disk.fill()
    process = archive.begin("import", home=post.home)
    _, errors = process.communicate(timeout=120)
    result.equal("exit code while the disk is full", process.returncode, 1)
    lines = errors.strip().splitlines()
    # A full disk may prevent the connection: PostgreSQL then cannot write the file of its caches.
    result.check(len(lines) == 1 and "PostgreSQL" in errors, f"not one clear line: {errors}")
    result.figure(lines[0] if lines else "no line")
    log = post.home + ".follow"
    with open(log, "w", encoding="utf-8") as file:
        follower = archive.begin("follow", "--every", "1", home=post.home, errors=file)
        try:
            wait("the follower reports the fault", lambda: complaints(log), 60)
            disk.free()
            cluster.recover()
            wanted = archive.frames(post.home)
            wait("the follower continues", lambda: cluster.frames() == wanted, 120, 0.5)
            wait("it reports that", lambda: complaints(log)[-1].endswith("archiving again"))
        finally:
            follower.terminate()
            follower.wait(timeout=60)
        result.check(len(complaints(log)) <= 4, f"too many lines: {complaints(log)}")
    result.figure(f"{wanted - stored} frames later")
    archive.run("project", home=post.home)
    states = json.loads(archive.run("status", "--json"))[0]["stateHash"], json.loads(output(
        archive.muster, "status", "--json", "--home", post.home,
        env=archive.environment(post.home)))["stateHash"]
    result.equal("state hash of the archive", *states)


ROWS = [
    Row("shards", "an archive whose frames are on two further PostgreSQL servers",
        ("postgresql", "postgresql-postgis", "util-linux"), shards),
    Row("disk", "an archive whose PostgreSQL has a full disk",
        ("postgresql", "postgresql-postgis", "util-linux"), full_disk),
]
