"""A throw-away PostgreSQL server, and the programs of this repository beside it."""

import os
import resource
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = Path(os.environ.get("MUSTER_PROGRAMS", ROOT / ".build" / "release"))
SERVER = max(Path("/usr/lib/postgresql").glob("*/bin/initdb")).parent


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Cluster:
    """A server with its own folder and port. It runs as `postgres` if this process is root.

    A `folder` that is given is kept, and a database in it is used again.
    """

    def __init__(self, *settings, folder=None):
        self.is_kept = folder is not None
        self.folder = Path(folder or tempfile.mkdtemp(prefix="mpg-"))
        self.folder.mkdir(parents=True, exist_ok=True)
        self.data, self.port = self.folder / "data", free_port()
        self.settings, self.server = settings, None
        if os.getuid() == 0:
            shutil.chown(self.folder, "postgres")
        if not self.data.exists():
            self.run("initdb", "-D", self.data, "-U", "muster", "--auth=trust", "--encoding=UTF8",
                     "--locale=C", "--no-sync")
        self.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
        if not self.is_kept:
            shutil.rmtree(self.folder)

    @property
    def url(self):
        return f"postgres://muster@127.0.0.1:{self.port}/postgres"

    def words(self, program, *words):
        user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--"]
        return (user if os.getuid() == 0 else []) + [str(SERVER / program), *map(str, words)]

    def run(self, program, *words):
        subprocess.run(self.words(program, *words), check=True, stdout=subprocess.DEVNULL,
                       cwd=self.folder)

    def start(self):
        settings = [word for name in self.settings for word in ("-c", name)]
        self.log = open(self.folder / "log", "a")
        self.server = subprocess.Popen(
            self.words("postgres", "-D", self.data, "-c", "listen_addresses=127.0.0.1", "-c",
                       f"port={self.port}", "-c", "unix_socket_directories=", *settings),
            stdout=self.log, stderr=self.log, cwd=self.folder)
        end = time.monotonic() + 60
        while subprocess.run(["psql", self.url, "-XAtqc", "SELECT 1"], capture_output=True,
                             check=False).returncode:
            if time.monotonic() > end:
                raise SystemExit(f"PostgreSQL does not start: {self.folder / 'log'}")
            time.sleep(0.1)

    def processes(self):
        children = Path(f"/proc/{self.server.pid}/task/{self.server.pid}/children")
        return [self.server.pid, *map(int, children.read_text().split())]

    def processor_seconds(self):
        """What the server has used, with connections that have ended."""
        ticks = 0
        for process in self.processes():
            try:
                fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            # utime, stime; the first process has waited for those that ended: cutime, cstime.
            ticks += sum(map(int, fields[11:15 if process == self.server.pid else 13]))
        return ticks / os.sysconf("SC_CLK_TCK")

    def kill(self):
        """Ends all processes at once, as a power switch does."""
        for process in self.processes():
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.server.wait()

    def stop(self):
        if self.server.poll() is None:
            self.server.send_signal(signal.SIGINT)
            self.server.wait()

    def sql(self, text):
        done = subprocess.run(["psql", self.url, "-XAtq", "-v", "ON_ERROR_STOP=1", "-c", text],
                              check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def forget_cache(self):
        """Makes the next query read from the disk: restarts, and drops the pages of the files."""
        self.sql("CHECKPOINT")
        self.stop()
        for file in self.data.rglob("*"):
            if file.is_file():
                descriptor = os.open(file, os.O_RDONLY)
                os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
                os.close(descriptor)
        self.start()


def program(name, *words, check=True, **options):
    """Runs a program of this repository, and returns what it did and how long that took."""
    begun = time.monotonic()
    done = subprocess.run([str(PROGRAMS / name), *map(str, words)], capture_output=True, text=True,
                          check=False, **options)
    if check and done.returncode:
        raise SystemExit(f"{name} {' '.join(map(str, words))}: {done.stderr}")
    return done, time.monotonic() - begun


def processor_seconds():
    """What ended child processes have used."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
