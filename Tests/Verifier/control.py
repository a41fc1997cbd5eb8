"""The control plane (docs/wire.md §2): valid certificates, and which part of each log counts."""

import struct

from councils import Councils, joined as intersection
from log import CONTROL, joined
from names import COMMAND, RELAY, ROOT, Certificate, h32, is_signed, u32

LONGEST_CHAIN = 4


def statements(log):
    """Returns the content of a control log: (frame, operations)."""
    if log.lane != CONTROL:
        return []
    clear = ((frame, frame.body) for frame in log.said if frame.epoch is None)
    return [(frame, body.get("operations", [])) for frame, body, _ in joined(clear)]


class Control:
    """The result of evaluating rank by rank, root first: a function of the set of frames."""

    def __init__(
            self, logs, own_chain, operation, root_key, fork_ends=None, overflowed=(),
            councils=None):
        if councils is None:
            councils = Councils()
            councils.count()
        self.keeps, self.decided, self.members = {}, {}, councils.members
        self.marks, self.of_commanders = set(), set()
        self.councils = {each["hash"] for each in councils.current}
        self.fork_ends = fork_ends or {}
        self.revoking, self.epochs = set(), set()
        self.operation, self.root_key, self.own_chain = operation, root_key, own_chain
        self.certificates, self.ranks, self.cuts = {}, {}, {}
        self.said, self.released, self.tree = {}, set(), Tree(
            logs, self.fork_ends, overflowed)
        for log in logs:
            self.said.setdefault(log.certificate, []).append((log.name, statements(log)))
        self.begin(councils)
        for log, said in self.said.get(ROOT, []):
            for frame, operations in said:
                if self.counts(None, log, frame.sequence):
                    self.take(frame, operations, ROOT, COMMAND, 0)
        self.admit_own(ROOT, 1)
        for rank in range(1, LONGEST_CHAIN + 1):
            speakers = [
                certificate for certificate, of in self.certificates.values() if of == rank]
            # Equals are evaluated together, before any of them cuts another.
            among = [
                (frame, revocation)
                for speaker in speakers if speaker.author.role == COMMAND
                for frame, operations in self.counting(speaker)
                for revocation in revocations(operations)
                if self.ranks.get(revocation[0]) == rank and revocation[0] not in self.members]
            for frame, (device, cuts, keeps) in among:
                self.cut(device, cuts, keeps)
                self.revoking.add(frame.stored_hash)
            for speaker in speakers:
                for _, said in self.said.get(speaker.hash, []):
                    for _, operations in said:
                        self.certify(operations, speaker.hash, rank, stands=False)
                for frame, operations in self.counting(speaker):
                    self.take(frame, operations, speaker.hash, speaker.author.role, rank)
                self.admit_own(speaker.hash, rank + 1)

    def begin(self, councils):
        """Votes come before any rank, and members count whatever cuts their issuers."""
        for chain in councils.listed.values():
            self.certificates[chain[0].hash] = (chain[0], len(chain))
            device = chain[0].author.device
            self.ranks[device] = min(len(chain), self.ranks.get(device, len(chain)))
        for mark, device, ends, keeps in councils.decided(self.tree.reach):
            self.revoking.add(mark)
            self.marks.add(mark)
            known = self.decided.get(device)
            self.decided[device] = (
                (ends, keeps) if known is None else intersection([known, (ends, keeps)]))
        for device, (ends, keeps) in self.decided.items():
            self.cuts[device], self.keeps[device] = ends, [keeps]

    def certify(self, operations, issuer, rank, stands):
        for operation in operations:
            if "certificate" not in operation or operation.unknown:
                continue
            signed = operation["certificate"]
            try:
                found = Certificate(signed.get("content", b""), signed.get("signature", b""))
            except ValueError:
                continue
            if found.issuer == issuer and self.is_kept(found, stands):
                self.admit(found, rank + 1)

    def is_kept(self, certificate, stands):
        known, _ = self.certificates.get(certificate.issuer, (None, 0))
        keeps = self.keeps.get(known.author.device, []) if known is not None else []
        if all(each is None for each in keeps):
            return stands
        return all(stands if each is None else certificate.hash in each for each in keeps)

    def counting(self, speaker):
        for log, said in self.said.get(speaker.hash, []):
            for frame, operations in said:
                if self.counts(speaker.author.device, log, frame.sequence):
                    yield frame, operations

    def counts(self, device, log, sequence):
        if sequence > self.tree.ends.get(log, sequence):
            return False
        cuts = self.cuts.get(device)
        return cuts is None or sequence <= cuts.get(log, -1)

    def is_released(self, log, frame):
        return (log.id, frame.sequence, frame.stored_hash) in self.released

    def take(self, frame, operations, issuer, role, rank):
        is_command = role == COMMAND
        for epoch, generation, excludes in epochs(operations):
            if is_command or role != RELAY and excludes:
                self.epochs.add(epoch + u32(generation) + issuer)
                if is_command:
                    self.of_commanders.add(epoch)
        self.certify(operations, issuer, rank, stands=True)
        if not is_command:
            return
        for operation in operations:
            if "release" in operation and not operation.unknown:
                self.released.update(heads(operation["release"].get("frames", [])) or [])
        for device, cuts, keeps in revocations(operations):
            if self.ranks.get(device, rank + 1) > rank and (
                    rank == 0 or device not in self.members):
                self.cut(device, cuts, keeps)
                self.revoking.add(frame.stored_hash)

    def fulfilled(self):
        """The epochs whose keys may be used (§2): by held frames alone, whether they count or not."""
        held, announced = set(self.marks), []
        certificates = {each.hash: each for each in self.own_chain}
        certificates.update((name, each) for name, (each, _) in self.certificates.items())
        for speaker, logs in self.said.items():
            for _, said in logs:
                for frame, operations in said:
                    if any(True for _ in revocations(operations)):
                        held.add(frame.stored_hash)
                    for found in certified(operations, speaker):
                        certificates.setdefault(found.hash, found)
        for speaker, logs in self.said.items():
            known = certificates.get(speaker)
            if speaker == ROOT or known is not None and known.author.role != RELAY:
                announced += [
                    (epoch, base, set(excludes) <= held)
                    for _, said in logs for _, operations in said
                    for epoch, base, excludes in announcements(operations)]
        fulfilled = set()
        while True:
            found = {
                epoch for epoch, base, is_held in announced
                if is_held and (not base or base in fulfilled)} - fulfilled
            if not found:
                return fulfilled
            fulfilled |= found

    def outcome(self):
        """The hash of what all of it comes to (§7)."""
        lists = [
            {name + bytes([rank]) for name, (_, rank) in self.certificates.items()},
            self.revoking,
            {log + struct.pack(">Q", sequence) + hash for log, sequence, hash in self.released},
            self.epochs,
            {log + struct.pack(">Q", end) for log, end in self.fork_ends.items()},
            self.councils,
        ]
        return h32(b"muster control 1", *(
            u32(len(each)) + b"".join(sorted(each)) for each in lists))

    def admit(self, certificate, rank):
        if certificate.hash in self.certificates or certificate.operation != self.operation:
            return
        key = self.root_key
        if certificate.issuer != ROOT:
            issuer, _ = self.certificates.get(certificate.issuer, (None, 0))
            if issuer is None or issuer.author.role != COMMAND or rank > LONGEST_CHAIN:
                return
            key = issuer.key
        if is_signed(certificate.content, certificate.signature, key):
            self.certificates[certificate.hash] = (certificate, rank)
            device = certificate.author.device
            self.ranks[device] = min(rank, self.ranks.get(device, rank))

    def admit_own(self, issuer, rank):
        known, _ = self.certificates.get(issuer, (None, 0))
        is_cut = known is not None and known.author.device in self.cuts
        for certificate in self.own_chain:
            if certificate.issuer == issuer and self.is_kept(certificate, not is_cut):
                self.admit(certificate, rank)

    def cut(self, device, named, keeps):
        self.keeps.setdefault(device, []).append(keeps)
        known, named = self.cuts.get(device), self.tree.reach(named)
        self.cuts[device] = named if known is None else {
            log: min(sequence, named[log]) for log, sequence in known.items() if log in named}


class Tree:
    """The strands of forked logs (§3), and how far logs count by proofs (§2)."""

    def __init__(self, logs, fork_ends, overflowed):
        self.logs = {log.name: log for log in logs}
        self.forked = {log.id for log in logs if log.is_parted or log.id != log.name}
        self.places = {
            (log.id, frame.sequence, frame.stored_hash): log.name
            for log in logs if log.id in self.forked for frame in log.frames}
        self.ends = dict(fork_ends)
        for log in logs:
            if log.certificate in overflowed:
                self.ends[log.id] = 0
        for log in logs:
            if log.id in self.ends:
                self.ends[log.name] = self.ends[log.id]

    def reach(self, named):
        """Returns the last valid sequence of each strand, if only the named and earlier frames count."""
        reach = {}
        for head in named:
            id, sequence, _ = head
            name = self.places.get(head, id)
            reach[name] = max(sequence, reach.get(name, 0))
            log = self.logs.get(name)
            while log is not None and log.parent is not None:
                log = log.parent
                reach[log.name] = (1 << 64) - 1
        return reach


def heads(wires):
    """Returns (log, sequence, hash), or None if no honest writer would produce it."""
    found = [
        (head.get("log", b""), head.get("sequence", 0), head.get("hash", b"")) for head in wires]
    order = [(log, hash) for log, _, hash in found]
    if len(found) > 1024 or order != sorted(set(order)):
        return None
    if any(len(log) != 16 or len(hash) != 32 or sequence >= 1 << 32
           for log, sequence, hash in found):
        return None
    return found


def revocations(operations):
    """Returns (device, last frames that count, kept certificates or None for those in frames that
    count); skips what no honest writer would produce."""
    for operation in operations:
        if "revocation" not in operation or operation.unknown:
            continue
        wire = operation["revocation"]
        cuts = heads(wire.get("cuts", []))
        keeps = None
        if "keeps" in wire:
            keeps = wire["keeps"].get("certificates", [])
            if len(keeps) > 1800 or keeps != sorted(set(keeps)) or any(
                    len(each) != 32 for each in keeps):
                continue
        if len(wire.get("device", b"")) == 16 and cuts is not None:
            yield wire["device"], cuts, None if keeps is None else set(keeps)


def certified(operations, issuer):
    """The certificates in a log that its own holder issued."""
    for operation in operations:
        if "certificate" in operation and not operation.unknown:
            signed = operation["certificate"]
            try:
                found = Certificate(signed.get("content", b""), signed.get("signature", b""))
            except ValueError:
                continue
            if found.issuer == issuer:
                yield found


def announcements(operations):
    """(id, base or nothing, excluded revocations)."""
    for operation in operations:
        if "epoch" in operation and not operation.unknown and is_epoch(operation["epoch"]):
            wire = operation["epoch"]
            yield wire["id"], wire.get("base", b""), wire.get("excludes", [])


def is_epoch(wire):
    """Whether an honest writer would make it."""
    excludes, sealed = wire.get("excludes", []), wire.get("sealed", [])
    return (len(wire.get("id", b"")) == 16 and len(sealed) <= 8 and len(excludes) <= 1024
            and all(len(each) == 32 for each in excludes)
            and all(len(each.get("device", b"")) == 16 for each in sealed)
            and len(wire.get("base", b"")) in (0, 16))


def epochs(operations):
    """(id, generation, excluded revocations); what no honest writer makes is passed over."""
    for operation in operations:
        if "epoch" not in operation or operation.unknown:
            continue
        wire = operation["epoch"]
        if is_epoch(wire):
            yield wire["id"], wire.get("generation", 0), wire.get("excludes", [])
