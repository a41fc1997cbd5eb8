"""The control plane (docs/wire.md §5): who is certified, and what of whom counts."""

from log import CONTROL, joined
from names import COMMAND, ROOT, Certificate, is_signed

LONGEST_CHAIN = 4


def statements(log):
    """What a control log says: (sequence, operations)."""
    if log.lane != CONTROL:
        return []
    clear = ((frame, frame.body) for frame in log.frames[1:] if frame.epoch is None)
    return [(frame.sequence, body.get("operations", [])) for frame, body, _ in joined(clear)]


class Control:
    """Evaluated rank by rank, the root first: a function of the set of frames."""

    def __init__(self, logs, own_chain, operation, root_key):
        self.operation, self.root_key, self.own_chain = operation, root_key, own_chain
        self.certificates, self.ranks, self.cuts = {}, {}, {}
        self.said = {}
        for log in logs:
            self.said.setdefault(log.certificate, []).append((log.id, statements(log)))
        for _, said in self.said.get(ROOT, []):
            for _, operations in said:
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
        cuts = self.cuts.get(device)
        return cuts is None or sequence <= cuts.get(log, -1)

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
        known = self.cuts.get(device)
        self.cuts[device] = dict(named) if known is None else {
            log: min(sequence, named[log]) for log, sequence in known.items() if log in named}


def revocations(operations):
    """(device, last sequence that counts by log); what no honest writer makes is passed over."""
    for operation in operations:
        if "revocation" not in operation or operation.unknown:
            continue
        wire = operation["revocation"]
        heads = wire.get("cuts", [])
        logs = [head.get("log", b"") for head in heads]
        if len(wire.get("device", b"")) != 16 or len(heads) > 1024:
            continue
        if any(len(log) != 16 for log in logs) or logs != sorted(set(logs)):
            continue
        if any(len(head.get("hash", b"")) != 32 or head.get("sequence", 0) >= 1 << 32
               for head in heads):
            continue
        yield wire["device"], {head["log"]: head.get("sequence", 0) for head in heads}
