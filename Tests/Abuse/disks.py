"""S3: a disk that is full."""

import os
import subprocess
import time

import lab
from row import Row, Verdict, check_all, mesh


def full(options):
    """A laptop's disk fills up while it works, and is given room again, several times."""
    rounds = options.volume(25, 500)
    made = mesh(options, 2)
    node, verdict, acknowledged, refused = made.nodes[1], Verdict(""), [], 0
    node.stop()
    # The home moves to a small file system of its own.
    kept = node.home + ".kept"
    os.rename(node.home, kept)
    os.mkdir(node.home, 0o700)
    lab.run("mount", "-t", "tmpfs", "-o", "size=48m,mode=0700", "muster-abuse", node.home)
    try:
        lab.run("cp", "-a", kept + "/.", node.home)
        made.start_on_loopback(node)
        ballast = os.path.join(node.home, "ballast")
        for turn in range(rounds):
            if turn % 50 == 49:
                # What the database's log once took is room to write in: it is given back.
                node.stop()
                made.start_on_loopback(node)
            room = os.statvfs(node.home)
            size = max(0, room.f_bavail * room.f_frsize - 40_960 * (turn % 4))
            try:
                with open(ballast, "wb") as file:
                    file.write(bytes(size))
            except OSError:
                # There was no room as it is.
                pass
            refusals = 0
            for number in range(400):
                done = add(made, node, f"Full {turn}.{number}")
                if done.returncode == 0:
                    acknowledged.append(done.stdout.strip())
                else:
                    refusals += 1
                    verdict.expect(done.stderr.count("\n") <= 2, f"no clear word: {done.stderr}")
                    if refusals == 3:
                        break
            refused += refusals
            verdict.expect(refusals > 0, "the disk was never full")
            # Reading goes on.
            kept_ids = node.muster("report", "list")
            verdict.expect("Full" in kept_ids or not acknowledged, "nothing can be read")
            if os.path.exists(ballast):
                os.remove(ballast)
            began = time.monotonic()
            while add(made, node, f"Room {turn}", acknowledged).returncode != 0:
                if time.monotonic() - began > 60:
                    verdict.problems.append("it does not write again a minute after there is room")
                    break
                time.sleep(0.2)
        verdict.volume = f"{rounds} times, {refused} refusals, {len(acknowledged)} acknowledged"
        check_all(verdict, made, acknowledged)
        node.stop()
    finally:
        node.stop()
        subprocess.run(["umount", "-l", node.home])
    return verdict


def add(made, node, title, acknowledged=None):
    done = subprocess.run(
        [made.program, "report", "add", "--title", title, "--description", "f" * 600,
         "--home", node.home], capture_output=True, text=True)
    if acknowledged is not None and done.returncode == 0:
        acknowledged.append(done.stdout.strip())
    return done


ROWS = [Row("S3", "a disk that is full, and is given room", full)]
