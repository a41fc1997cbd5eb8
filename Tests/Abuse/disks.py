"""S3: a disk that is full."""

import os
import subprocess
import time

import lab
from row import Row, Verdict, check_all, mesh


def full(options):
    """Fills a node's disk while it works, and frees space again, several times."""
    rounds = options.volume(25, 500)
    made = mesh(options, 2)
    node, verdict, acknowledged, refused = made.nodes[1], Verdict(""), [], 0
    node.stop()
    # The home moves to a small separate file system.
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
                # The space that the database's log once used can be written to: it is released.
                node.stop()
                made.start_on_loopback(node)
            room = os.statvfs(node.home)
            size = max(0, room.f_bavail * room.f_frsize - 40_960 * (turn % 4))
            try:
                with open(ballast, "wb") as file:
                    file.write(bytes(size))
            except OSError:
                # There was no space to begin with.
                pass
            refusals = 0
            for number in range(400):
                done = add(made, node, f"Full {turn}.{number}")
                if done.returncode == 0:
                    acknowledged.append(done.stdout.strip())
                else:
                    refusals += 1
                    verdict.expect(done.stderr.count("\n") <= 2, f"no clear message: {done.stderr}")
                    if refusals == 3:
                        break
            refused += refusals
            verdict.expect(refusals > 0, "the disk was never full")
            # Reads still work.
            kept_ids = node.muster("report", "list")
            verdict.expect("Full" in kept_ids or not acknowledged, "reads fail")
            if os.path.exists(ballast):
                os.remove(ballast)
            began = time.monotonic()
            while add(made, node, f"Room {turn}", acknowledged).returncode != 0:
                if time.monotonic() - began > 60:
                    verdict.problems.append("it does not write again a minute after space was freed")
                    break
                time.sleep(0.2)
        verdict.volume = f"{rounds} times, {refused} rejected, {len(acknowledged)} acknowledged"
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


ROWS = [Row("S3", "a disk that is full, and then has space", full)]
