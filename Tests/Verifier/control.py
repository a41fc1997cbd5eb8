"""The control plane (docs/wire.md §2): who is certified, and what of whom counts."""

from log import CONTROL, joined
from names import COMMAND, ROOT, Certificate, is_signed

LONGEST_CHAIN = 4
MOST_BRANCHES = 8


def statements(log):
    """What a control log says: (sequence, operations)."""
    if log.lane != CONTROL:
        return []
    clear = ((frame, frame.body) for frame in log.said if frame.epoch is None)
    return [(frame.sequence, body.get("operations", [])) for frame, body, _ in joined(clear)]


class Control:
    """Evaluated rank by rank, the root first: a function of the set of frames."""

    def __init__(self, logs, own_chain, operation, root_key):
        self.operation, self.root_key, self.own_chain = operation, root_key, own_chain
        self.certificates, self.ranks, self.cuts = {}, {}, {}
        self.said, self.released, self.tree = {}, set(), Tree(logs)
        for log in logs:
            self.said.setdefault(log.certificate, []).append((log.name, statements(log)))
        for log, said in self.said.get(ROOT, []):
            for _, operations in said if log not in self.tree.lost else []:
                self.take(operations, ROOT, True, 0)
        self.admit_own(ROOT, 1)
        for rank in range(1, LONGEST_CHAIN + 1):
            speakers = [
                certificate for certificate, of in self.certificates.values() if of == rank]
            # Equals are heard together, before any of them cuts another.
            among = [
                revocation
                for speaker in speakers if speaker.author.role == COMMAND
                for operations in self.counting(speaker)
                for revocation in revocations(operations)
                if self.ranks.get(revocation[0]) == rank]
            for device, cuts in among:
                self.cut(device, cuts)
            for speaker in speakers:
                for operations in self.counting(speaker):
                    self.take(operations, speaker.hash, speaker.author.role == COMMAND, rank)
                self.admit_own(speaker.hash, rank + 1)

    def counting(self, speaker):
        for log, said in self.said.get(speaker.hash, []):
            for sequence, operations in said:
                if self.counts(speaker.author.device, log, sequence):
                    yield operations

    def counts(self, device, log, sequence):
        if log in self.tree.lost:
            return False
        cuts = self.cuts.get(device)
        return cuts is None or sequence <= cuts.get(log, -1)

    def is_released(self, log, frame):
        return (log.id, frame.sequence, frame.stored_hash) in self.released

    def take(self, operations, issuer, is_command, rank):
        for operation in operations:
            if "certificate" in operation and not operation.unknown:
                signed = operation["certificate"]
                try:
                    found = Certificate(signed.get("content", b""), signed.get("signature", b""))
                except ValueError:
                    continue
                if found.issuer == issuer:
                    self.admit(found, rank + 1)
        if not is_command:
            return
        for operation in operations:
            if "release" in operation and not operation.unknown:
                self.released.update(heads(operation["release"].get("frames", [])) or [])
        for device, cuts in revocations(operations):
            if self.ranks.get(device, rank + 1) > rank:
                self.cut(device, cuts)

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
        if known is not None and known.author.device in self.cuts:
            return
        for certificate in self.own_chain:
            if certificate.issuer == issuer:
                self.admit(certificate, rank)

    def cut(self, device, named):
        known, named = self.cuts.get(device), self.tree.reach(named)
        self.cuts[device] = named if known is None else {
            log: min(sequence, named[log]) for log, sequence in known.items() if log in named}


class Tree:
    """How the strands of forked logs hang together (§3)."""

    def __init__(self, logs):
        self.logs = {log.name: log for log in logs}
        self.forked = {log.id for log in logs if log.is_parted or log.id != log.name}
        self.places = {
            (log.id, frame.sequence, frame.stored_hash): log.name
            for log in logs if log.id in self.forked for frame in log.frames}
        tips = {}
        for log in logs:
            if not log.is_parted:
                tips[log.id] = tips.get(log.id, 0) + 1
        self.lost = {
            log.name for log in logs
            if log.id != log.name and tips.get(log.id, 0) > MOST_BRANCHES}

    def reach(self, named):
        """By strand the last sequence that counts where only the named frames and those before do."""
        reach = {}
        for head in named:
            id, sequence, _ = head
            name = self.places.get(head, id)
            reach[name] = max(sequence, reach.get(name, 0))
            log = self.logs.get(name)
            while log is not None and log.parent is not None:
                log = log.parent
                reach[log.name] = 1 << 32
        return reach


def heads(wires):
    """(log, sequence, hash), or None for what no honest writer makes."""
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
    """(device, last frames that count); what no honest writer makes is passed over."""
    for operation in operations:
        if "revocation" not in operation or operation.unknown:
            continue
        wire = operation["revocation"]
        cuts = heads(wire.get("cuts", []))
        if len(wire.get("device", b"")) == 16 and cuts is not None:
            yield wire["device"], cuts
