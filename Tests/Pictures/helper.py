"""The client's side of muster-image, as in `ImageIntake`, for the fuzzer and the benchmark."""

import os
import select
import struct
import subprocess
import time

GREETING = b"mimage1\n"
REASONS = {1: "notAPicture", 2: "tooManyPixels", 3: "damaged", 4: "outOfMemory", 5: "oversized"}


class Ended(Exception):
    """The helper ended, or did not answer in time; with its exit status."""


class Helper:
    def __init__(self, program, patience=30):
        self.patience = patience
        self.process = subprocess.Popen(
            [program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env={}, bufsize=0)
        if self._receive(len(GREETING), time.monotonic() + patience) != GREETING:
            raise Ended(self.end())

    def read(self, picture):
        """Returns the answer: a status, and its body."""
        deadline = time.monotonic() + self.patience
        rest = memoryview(struct.pack(">I", len(picture)) + picture)
        try:
            while rest:
                rest = rest[self.process.stdin.write(rest):]
        except BrokenPipeError:
            raise Ended(self.end()) from None
        count = struct.unpack(">I", self._receive(4, deadline))[0]
        answer = self._receive(count, deadline)
        return answer[0], answer[1:]

    def memory(self):
        """The peak of resident memory so far, in MB."""
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as status:
            peak = next(line for line in status if line.startswith("VmHWM"))
        return int(peak.split()[1]) / 1000

    def processor_seconds(self):
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as stat:
            fields = stat.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def end(self):
        """Ends it, and returns its exit status; negative for a signal, None for ours."""
        status = self.process.poll()
        try:
            status = self.process.wait(timeout=1) if status is None else status
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            pipe.close()
        return status

    def _receive(self, count, deadline):
        parts, missing = [], count
        while missing:
            ready, _, _ = select.select(
                [self.process.stdout], [], [], max(0, deadline - time.monotonic()))
            part = self.process.stdout.read(missing) if ready else b""
            if not part:
                raise Ended(self.end())
            parts.append(part)
            missing -= len(part)
        return b"".join(parts)
