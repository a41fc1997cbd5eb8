"""Test files of other projects, such as GDAL, GPSBabel and libkml: each is read, or named with the reason.

    MUSTER_PEER_FILES=FOLDER make peers ROWS=files

FOLDER has the sources of such projects, which this project does not keep; the row is part of the table only then."""

import os
import resource
import subprocess
import tempfile

from row import Row

FOLDER = os.environ.get("MUSTER_PEER_FILES")
ENDINGS = (".gpx", ".kml", ".kmz", ".geojson", ".json", ".geojsonl", ".gpkg", ".zip", ".shp", ".mbtiles")
# Of a processor, by a debug build, which takes several times as long as a release: 1 s there. Beyond the start of the
# program, and of its memory.
MOST_SECONDS, MOST_BYTES = 5.0, 256 << 20


def attempt(muster, home, path):
    """Adds a file to the maps of a home: the status, seconds of a processor, bytes of memory, and what was written."""
    with tempfile.TemporaryFile("w+") as printed:
        process = subprocess.Popen([muster, "map", "add", path, "--home", home, "--keys", home + ".keys"],
                                   stdin=subprocess.DEVNULL, stdout=printed, stderr=printed)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        printed.seek(0)
        return process.returncode, usage.ru_utime + usage.ru_stime, usage.ru_maxrss << 10, printed.read()


def files(muster, result):
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    found = sorted(
        os.path.join(folder, name) for folder, _, names in os.walk(FOLDER) for name in names
        if name.lower().endswith(ENDINGS))
    result.check(found, f"{FOLDER} has no file of a format that is read")
    with tempfile.TemporaryDirectory() as made:
        home = os.path.join(made, "home")
        subprocess.run([muster, "init", "Files", "--callsign", "Ada", "--home", home, "--keys", home + ".keys"],
                       check=True, capture_output=True)
        nothing = os.path.join(made, "nothing.gpx")
        open(nothing, "w", encoding="ascii").close()
        _, usual, least, _ = attempt(muster, home, nothing)
        read, named, slowest, largest = 0, 0, 0, 0
        for path in found:
            status, seconds, size, printed = attempt(muster, home, path)
            seconds, size = seconds - usual, size - least
            slowest, largest = max(slowest, seconds), max(largest, size)
            name = os.path.relpath(path, FOLDER)
            result.check(status in (0, 1, 64), f"{name}: ended with {status}")
            result.check(status == 0 or printed.strip(), f"{name}: no reason")
            result.check(seconds <= MOST_SECONDS, f"{name}: {seconds:.1f} s")
            result.check(size <= MOST_BYTES, f"{name}: {size >> 20} MiB")
            read, named = read + (status == 0), named + (status != 0)
            for kept in os.scandir(os.path.join(home, "maps")) if status == 0 else ():
                os.unlink(kept)
    result.figure(f"{read} read, {named} named; at most {max(0, slowest):.2f} s and {largest >> 20} MiB more than none")


ROWS = [Row("files", "files of other projects are read or named", (), files)] if FOLDER else []
