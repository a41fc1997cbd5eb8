"""Councils of commanders and their votes (docs/wire.md §2), by stored membership evidence."""

from evidence import Reader, read_items
from names import COMMAND, ROOT, Certificate, h32, is_signed, u32

COUNCIL, VOTE = 2, 3
LONGEST_CHAIN = 4
MOST_ENDORSEMENTS, MOST_VOTES = 8, 4


def read_councils(database, operation, root_key):
    """The stored endorsements and votes, and what is wrong with them."""
    councils = Councils()
    found, problems = read_items(database, operation, {
        COUNCIL: lambda content: read_endorsement(content, operation, root_key),
        VOTE: lambda content: read_vote(content, operation, root_key)})
    for kind, item in found:
        (councils.endorsements if kind == COUNCIL else councils.votes).append(item)
    councils.count()
    return councils, problems


def read_certificates(reader, operation, root_key):
    """By hash; each is proved by others that are carried, up to the root."""
    carried = {}
    for _ in range(reader.number(1)):
        signed = Certificate(reader.take(reader.number(4)), reader.take(64))
        carried[signed.hash] = signed
    for signed in carried.values():
        key = root_key
        if signed.issuer != ROOT:
            issuer = carried[signed.issuer] if signed.issuer in carried else None
            if issuer is None or issuer.author.role != COMMAND:
                raise ValueError("an issuer is not carried")
            key = issuer.key
        if signed.operation != operation or chain(carried, signed.hash) is None:
            raise ValueError("a chain does not hold")
        if not is_signed(signed.content, signed.signature, key):
            raise ValueError("a certificate's signature does not hold")
    return carried


def chain(carried, hash):
    found = []
    while hash != ROOT:
        if hash not in carried or len(found) == LONGEST_CHAIN:
            return None
        found.append(carried[hash])
        hash = carried[hash].issuer
    return found


def read_endorsement(content, operation, root_key):
    reader = Reader(content)
    signer, signature = reader.take(32), reader.take(64)
    whole = reader.rest
    if reader.take(16) != b"muster council 1" or reader.take(16) != operation:
        raise ValueError("not a council of this operation")
    parent, serial = reader.take(32), reader.number(4)
    members = [reader.take(32) for _ in range(reader.number(1))]
    stays = [reader.take(16) for _ in range(reader.number(1))]
    council = whole[: len(whole) - len(reader.rest)]
    carried = read_certificates(reader, operation, root_key)
    if reader.rest or not 3 <= len(members) <= 15 or members != sorted(set(members)):
        raise ValueError("a council of another form")
    if stays != sorted(set(stays)) or len(stays) > 16 or (stays and parent != ROOT):
        raise ValueError("a council of another form")
    if len({carried[member].author.user for member in members}) != len(members):
        raise ValueError("two members are one person")
    key = root_key if signer == ROOT else carried[signer].key
    if (signer == ROOT) != (parent == ROOT) or not is_signed(
            b"muster endorsement 1" + signer + council, signature, key):
        raise ValueError("an endorsement's signature does not hold")
    return {
        "hash": h32(council), "parent": parent, "serial": serial, "members": members,
        "stays": stays, "signer": signer,
        "chains": {member: chain(carried, member) for member in members},
    }, signer + signature + council


def read_vote(content, operation, root_key):
    reader = Reader(content)
    signature = reader.take(64)
    whole = reader.rest
    if reader.take(13) != b"muster vote 1" or reader.take(16) != operation:
        raise ValueError("not a vote of this operation")
    council, voter, device = reader.take(32), reader.take(32), reader.take(16)
    cuts = [(reader.take(16), reader.number(4), reader.take(32)) for _ in range(reader.number(2))]
    keeps = [reader.take(32) for _ in range(reader.number(2))]
    vote = whole[: len(whole) - len(reader.rest)]
    carried = read_certificates(reader, operation, root_key)
    order = [(log, hash) for log, _, hash in cuts]
    if reader.rest or order != sorted(set(order)) or keeps != sorted(set(keeps)):
        raise ValueError("a vote of another form")
    if len(cuts) > 64 or len(keeps) > 1800:
        raise ValueError("a vote that is too long")
    if not is_signed(vote, signature, carried[voter].key):
        raise ValueError("a vote's signature does not hold")
    return {
        "council": council, "voter": voter, "device": device, "cuts": cuts, "keeps": set(keeps),
    }, signature + vote


class Councils:
    """A function of the set of endorsements and votes."""

    def __init__(self):
        self.endorsements, self.votes, self.counting = [], [], {}

    def count(self):
        known = {each["hash"]: each for each in self.endorsements}
        counting = {hash for hash, each in known.items() if each["parent"] == ROOT}
        while True:
            more = {
                hash for hash, each in known.items()
                if hash not in counting and each["parent"] in counting
                and known[each["parent"]]["serial"] == each["serial"]
                and self.endorsers(each, known[each["parent"]]) > len(
                    known[each["parent"]]["members"]) // 2}
            if not more:
                break
            counting |= more
        self.counting = {hash: known[hash] for hash in counting}
        serial = max((each["serial"] for each in self.counting.values()), default=0)
        self.current = [each for each in self.counting.values() if each["serial"] == serial]
        stays = {device for each in self.current for device in each["stays"]}
        self.judged = [(each, None) for each in self.current] + [
            (each, stays) for each in self.counting.values() if each["serial"] != serial]
        self.listed = {
            member: chain for each in self.current for member, chain in each["chains"].items()}
        self.members = {chain[0].author.device for chain in self.listed.values()}

    def endorsers(self, council, parent):
        voices = 0
        for member in parent["members"]:
            signed = [
                each for each in self.endorsements
                if each["signer"] == member and each["parent"] == parent["hash"]]
            voices += len(signed) > MOST_ENDORSEMENTS or any(
                each["hash"] == council["hash"] for each in signed)
        return voices

    def decided(self, reach):
        """(mark, device, last sequence that counts by log, kept certificates) of each decision."""
        for council, concerned in self.judged:
            quorum = len(council["members"]) // 2 + 1
            devices = {v["device"] for v in self.votes if v["council"] == council["hash"]}
            for device in devices if concerned is None else devices & concerned:
                voices = {}
                for member in council["members"]:
                    cast = [
                        vote for vote in self.votes
                        if (vote["council"], vote["voter"], vote["device"])
                        == (council["hash"], member, device)]
                    if cast:
                        user = council["chains"][member][0].author.user
                        voices.setdefault(user, []).append(cast)
                if len(voices) < quorum:
                    continue
                left = [joined([voice(cast, reach) for cast in each]) for each in voices.values()]
                ends = {}
                for log in {log for last, _ in left for log in last}:
                    end = sorted(last.get(log, -1) for last, _ in left)[quorum - 1]
                    if end >= 0:
                        ends[log] = end
                keeps = {
                    name for _, kept in left for name in kept
                    if sum(name not in other for _, other in left) < quorum}
                mark = h32(b"muster voted 1", council["hash"], device)
                yield mark, device, ends, keeps


def voice(cast, reach):
    if len(cast) > MOST_VOTES:
        return {}, set()
    return joined([(reach(vote["cuts"]), vote["keeps"]) for vote in cast])


def joined(parts):
    ends, keeps = parts[0]
    for other, kept in parts[1:]:
        ends = {log: min(end, other[log]) for log, end in ends.items() if log in other}
        keeps = keeps & kept
    return ends, keeps
