"""The state that results from the entries of frames: docs/wire.md §5 to §7."""

import struct
from bisect import bisect_right
from collections import ChainMap
from dataclasses import dataclass

from names import COMMAND, MEMBER, PERSONAL, RELAY, Author, h16, h32, i64, text, u32
from protobuf import Malformed

(USER, REPORT, FENCE, DIRECTIVE, SETTINGS, TRACKER, TRACK, PERMIT, ALERT, CHECK_IN, RECORD,
 EXPOSURE, UNVERIFIED_CALL) = range(1, 14)
# The existence field of the kinds of rows that are created.
EXISTENCE = {
    REPORT: 20, FENCE: 40, DIRECTIVE: 60, TRACKER: 100, PERMIT: 140, CHECK_IN: 180,
    UNVERIFIED_CALL: 240}
# The kinds of rows that exist without a create.
WITHOUT_ORIGIN = (USER, SETTINGS, ALERT, EXPOSURE)
# Scalars that must not be the only content of a line.
BLANK = {0x20, 0xA0, 0xAD, 0x034F, 0x061C, 0x1680, 0x202F, 0x2800, 0x3000, 0x3164, 0xFEFF, 0xFFA0}
for first, last in (
        (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F), (0x2000, 0x200F), (0x205F, 0x2065),
        (0x206A, 0x206F), (0xFE00, 0xFE0F), (0xE0000, 0xE0FFF)):
    BLANK.update(range(first, last + 1))

LINE, PARAGRAPHS, CLAIMS, MARK, PLACE, OUTLINE = (
    "line", "paragraphs", "claim", "mark", "place", "outline")
REFERENCE, TIME, NUMBER, BYTES, REPLY, OVERRULING, PROFILE, DURATION = (
    "reference", "time", "number", "bytes", "reply", "overruling", "profile", "duration")
RELAYED, SIGN_OFF, ALERT_REPLY, TRACKER_REPLY, CHECK_IN_REPORT, SEALED, PHOTO = (
    "relayed claim", "sign-off", "alert reply", "tracker reply", "check-in", "sealed", "photo")
STILL, ZONE_RULE, PHOTO_MARK, CONTACT, RECORD_ENTRY, NOTE, NOTICE, CALL, OUTCOME, CONFIRMED = (
    "still", "zone rule", "photo mark", "contact", "record entry", "note", "notice",
    "unverified call", "outcome of a call", "confirmed content")
# Types of bytes with one length.
LENGTHS = {SEALED: 160, CONFIRMED: 32}

# Field number -> the valid values: a type above, or the valid codes.
FIELDS = {
    1: LINE, 2: LINE, 3: PARAGRAPHS, 4: PARAGRAPHS, 5: CLAIMS, 6: MARK, 7: OVERRULING,
    8: RELAYED, 9: SIGN_OFF,
    20: MARK, 21: LINE, 22: PARAGRAPHS, 23: range(1, 8), 24: range(1, 6), 25: PLACE, 26: MARK,
    27: range(1, 3), 28: MARK, 29: PARAGRAPHS, 30: PHOTO, 31: PHOTO_MARK,
    32: CONFIRMED,
    40: MARK, 41: LINE, 42: LINE, 43: range(1, 4), 44: OUTLINE, 45: range(0, 2), 46: PARAGRAPHS,
    47: MARK, 48: NUMBER, 49: range(1, 3), 50: range(1, 6), 51: TIME, 52: range(0, 2),
    53: ZONE_RULE,
    60: MARK, 61: range(1, 6), 62: PARAGRAPHS, 63: REFERENCE, 64: range(1, 6), 65: LINE,
    66: REFERENCE, 67: TIME, 68: range(1, 3), 69: REPLY,
    70: DURATION, 71: REFERENCE, 72: REFERENCE, 73: REFERENCE, 74: TRACKER_REPLY,
    80: PROFILE, 81: PROFILE, 82: NUMBER, 83: CONTACT,
    100: MARK, 101: LINE, 102: LINE, 103: CLAIMS, 104: OVERRULING, 105: SIGN_OFF,
    120: BYTES,
    140: MARK, 141: REFERENCE, 142: LINE, 143: REFERENCE, 144: DURATION, 145: MARK,
    160: ALERT_REPLY,
    180: MARK, 181: REFERENCE, 182: DURATION, 183: range(0, 2), 184: NUMBER, 185: NUMBER,
    186: PARAGRAPHS, 187: CHECK_IN_REPORT, 188: SEALED, 189: STILL,
    200: RECORD_ENTRY,
    220: NOTE, 221: NOTICE,
    240: MARK, 241: CALL, 242: OUTCOME,
}
CALLSIGN, CLAIM, FENCE_DELETED, ACKNOWLEDGEMENTS = 1, 5, 47, 69
TRACKER_REPLIES, EXPOSURE_NOTE, CALL_OUTCOME = 74, 220, 242
# Command's statements about a person: the person may only supersede them.
SAID_BY_COMMAND = (7, 8, 104)
# Flags that nothing clears.
FOR_EVER = (FENCE_DELETED, 145)
CONFIRMATIONS, COMMENTS, PHOTOS, PHOTO_MARKS, CONTENT_CONFIRMATIONS = 28, 29, 30, 31, 32
# Sets whose elements only their authors and command may remove.
OWN_ELEMENTS = (
    CONFIRMATIONS, COMMENTS, PHOTOS, PHOTO_MARKS, CONTENT_CONFIRMATIONS, 53, 66,
    ACKNOWLEDGEMENTS, 71, 72, 73, TRACKER_REPLIES, 83, 141, 160, 221)


def kind_of(field):
    return field // 20 + 1


@dataclass(frozen=True)
class Write:
    row: bytes
    field: int
    value: bytes | None  # canonical
    supersedes: tuple
    takes_earlier: bool
    origin: tuple | None  # owner, nonce
    dot: bytes
    place: tuple  # log, sequence
    author: Author
    written_at: int
    principal: bytes = b""  # the device wrote for it; empty: its own user


class Invalid(Exception):
    """An entry that is not applied."""


# Decoding entries (§5)


def is_unknown(operation):
    return operation.unknown or not operation


class Unknown(Exception):
    """An unknown value that a later version may understand."""


class PackedWrites:
    """Yields the packed writes of one body (§4); an invalid one is None."""

    def __init__(self, data, frame, log, author, written_at, principal, operation, names):
        self.data, self.place, self.principal = data, 0, principal
        self.frame, self.log, self.author = frame, log, author
        self.written_at, self.operation = written_at, operation
        self.row = self.origin = None
        self.earlier = names  # of the log: sequence -> (epoch, rows by index, or None: unknown)
        self.named = {}  # rows that are named in full here, by index
        self.waits = self.is_unclear = False

    def read_all(self, first_index):
        found = []
        while self.place < len(self.data):
            found += self.read(first_index + len(found))
            if first_index + len(found) > 512:
                raise Malformed("operations in a frame")
        return found

    def read(self, index):
        field, flags = self.take(2)
        if field not in FIELDS or flags & 0x80 or flags & 7 > 4:
            raise Unknown
        self.read_subject(flags & 7, index)
        value, others = None, ()
        valid = True
        if flags & 8:
            try:
                value = self.value(FIELDS[field])
            except Invalid:
                valid = False
        if flags & 0x20:
            count = self.varint()
            names = self.take(18 * count)
            others = tuple(names[start : start + 18] for start in range(0, len(names), 18))
        valid = valid and len(others) <= 64
        found = [self.write(index, field, value, others, bool(flags & 16)) if valid else None]
        if flags & 0x40:
            if kind_of(field) not in EXISTENCE:
                raise Unknown
            existence = EXISTENCE[kind_of(field)]
            found.append(self.write(index + 1, existence, b"\6", (), True))
        self.waits = self.waits or self.is_unclear
        return found

    def read_subject(self, form, index):
        if form == 4:
            distance, there = self.varint(), self.varint()
            self.row = self.origin = None
            epoch, rows = self.earlier.get(self.frame.sequence - distance, (None, {}))
            self.is_unclear = epoch == self.frame.epoch and distance > 0 and rows is None
            if epoch == self.frame.epoch and distance > 0 and rows is not None:
                self.row = rows.get(there)
        elif form:
            row = self.take(16) if form in (1, 3) else None
            owner = self.take(16) if form == 3 else self.author.user
            self.origin = (owner, self.take(16)) if form in (2, 3) else None
            self.row = row or h16(b"muster row 1", self.operation, *self.origin)
            self.named[index] = self.row
            self.is_unclear = False

    def write(self, index, field, value, others, takes_earlier):
        if self.row is None:
            return None
        if self.origin is not None:
            if kind_of(field) in WITHOUT_ORIGIN or h16(
                    b"muster row 1", self.operation, *self.origin) != self.row:
                return None
        return Write(
            self.row, field, value, others, takes_earlier, self.origin,
            self.frame.stored_hash[:16] + struct.pack(">H", index),
            (self.log.name, self.frame.sequence), self.author, self.written_at, self.principal)

    def value(self, allowed):
        """Returns the value's canonical bytes."""
        if allowed == MARK:
            return b"\6"
        if allowed == PLACE:
            latitude, longitude = struct.unpack(">ii", self.take(8))
            return b"\3" + coordinate({"latitude_e7": latitude, "longitude_e7": longitude})
        if allowed == OUTLINE:
            return b"\4" + outline(self.take(self.varint()))
        if isinstance(allowed, range):
            code = self.take(1)
            if code[0] not in allowed:
                raise Invalid("code")
            return b"\2" + code
        if allowed == REFERENCE:
            return b"\7" + self.take(16)
        if allowed == TIME:
            return b"\x08" + self.take(8)
        if allowed in (NUMBER, DURATION, STILL):
            number = self.take(4)
            least = {NUMBER: 0, DURATION: 1, STILL: 60}[allowed]
            if not least <= struct.unpack(">I", number)[0] <= 604_800:
                raise Invalid("number")
            return b"\x09" + number
        if allowed in (
                BYTES, SEALED, ZONE_RULE, PHOTO_MARK, CONTACT, RECORD_ENTRY, NOTE, NOTICE, CALL,
                OUTCOME, CONFIRMED):
            content = self.take(self.varint())
            most = 65_536 if allowed == RECORD_ENTRY else 4096
            if len(content) > most or len(content) != LENGTHS.get(allowed, len(content)):
                raise Invalid("bytes")
            if allowed == ZONE_RULE:
                check_zone_rule(content)
            if allowed == PHOTO_MARK:
                check_photo_mark(content)
            if allowed == CONTACT:
                check_contact(content)
            if allowed == RECORD_ENTRY:
                check_record(content)
            if allowed == NOTE:
                check_note(content)
            if allowed == NOTICE:
                check_notice(content)
            if allowed == CALL:
                check_call(content)
            if allowed == OUTCOME:
                check_outcome(content)
            return b"\x0a" + u32(len(content)) + content
        if allowed == PROFILE:
            return b"\x0d" + profile(self.take(10))
        if allowed in (REPLY, TRACKER_REPLY):
            whose = self.take(16)
            tag = b"\x0b" if allowed == REPLY else b"\x13"
            return tag + whose + text(checked(self.string(), PARAGRAPHS))
        if allowed == SIGN_OFF:
            return self.sign_off()
        if allowed == CHECK_IN_REPORT:
            code, seconds, note = self.take(1)[0], self.take(4), self.string()
            next_due = struct.unpack(">I", seconds)[0]
            if code not in (1, 2, 3) or next_due > 604_800 or (
                    code == 2 and next_due == 0 or code == 3 and next_due > 0):
                raise Invalid("check-in")
            return b"\x14" + bytes([code]) + seconds + text(checked(note, PARAGRAPHS))
        if allowed == PHOTO:
            return b"\x28" + photo(self)
        if allowed == ALERT_REPLY:
            user, note = self.take(16), self.string()
            lists = (self.list(18), 8), (self.list(44), 8)
            return b"\x12" + user + text(checked(note, PARAGRAPHS)) + bounded(*lists)
        claim = self.take(1) if allowed in (CLAIMS, OVERRULING, RELAYED) else None
        string = self.string()
        if claim is None:
            return b"\1" + text(checked(string, allowed))
        if allowed == OVERRULING and claim == b"\3":
            lists = (self.list(18), 8), (self.list(16), 32), (self.list(44), 8), (self.list(16), 8)
            return b"\x0e" + text(checked(string, PARAGRAPHS)) + bounded(*lists)
        login = self.string() if allowed == RELAYED else None
        seen = self.list(18) if allowed != CLAIMS else None
        if claim[0] not in (1, 2):
            raise Invalid("claim")
        word = claim + text(checked(string, PARAGRAPHS))
        if allowed == CLAIMS:
            return b"\5" + word
        if allowed == RELAYED:
            return b"\x0f" + word + text(checked(login, LINE)) + bounded((seen, 8))
        return b"\x0c" + word + bounded((seen, 8))

    def sign_off(self):
        code, reason, rows = self.take(1)[0], self.string(), self.list(16)
        reason = text(checked(reason, PARAGRAPHS))
        if code == 1:
            return b"\x10" + reason + bounded((rows, 32))
        if code != 2 or rows[0]:
            raise Invalid("sign-off")
        return b"\x11" + reason

    def list(self, width):
        """Reads a count of elements of one width, and their bytes."""
        count = self.varint()
        return count, self.take(width * count)

    def string(self):
        try:
            return self.take(self.varint()).decode("utf-8")
        except UnicodeDecodeError:
            raise Malformed("text is not UTF-8") from None

    def take(self, count):
        if count > len(self.data) - self.place:
            raise Malformed("cut short")
        self.place += count
        return self.data[self.place - count : self.place]

    def varint(self):
        value = 0
        for shift in range(0, 35, 7):
            byte = self.take(1)[0]
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                if byte == 0 and shift > 0 or value > 0xFFFFFFFF:
                    break
                return value
        raise Malformed("integer too long")


def bounded(*lists):
    """Returns the canonical bytes of lists with a maximum number of elements each."""
    if any(count > most for (count, _), most in lists):
        raise Invalid("list is too long")
    return b"".join(u32(count) + content for (count, content), _ in lists)


def exactly(width, data):
    if len(data) != width:
        raise Invalid("width")
    return data


def checked(string, rule):
    if len(string.encode("utf-8")) > (200 if rule == LINE else 16384):
        raise Invalid("text is too long")
    if rule == LINE and all(ord(character) in BLANK for character in string):
        raise Invalid("line is empty")
    for character in string:
        code = ord(character)
        if code in (0x09, 0x0A) and rule == PARAGRAPHS:
            continue
        if (
            code < 0x20 or 0x7F <= code <= 0x9F or code in (0x2028, 0x2029)
            or 0x202A <= code <= 0x202E or 0x2066 <= code <= 0x2069
        ):
            raise Invalid("control character")
    return string


def check_zone_rule(content):
    """Checks the rule of a zone: kind, role or 0, number, team as text."""
    if len(content) < 10:
        raise Invalid("zone rule")
    kind, role, number, length = struct.unpack(">BBII", content[:10])
    limits = {1: (1, 10_000), 2: (0, 10_000), 3: (1, 604_800), 4: (1, 100_000)}
    if kind not in limits or role > 5 or length != len(content) - 10:
        raise Invalid("zone rule")
    least, most = limits[kind]
    if not least <= number <= most or (role and length):
        raise Invalid("zone rule")
    if length:
        try:
            checked(content[10:].decode("utf-8"), LINE)
        except UnicodeDecodeError as error:
            raise Invalid("zone rule") from error


def check_photo_mark(content):
    """Checks a mark on a photo: photo, shape, colour, points, text."""
    if len(content) < 23:
        raise Invalid("photo mark")
    shape, colour, count = content[16:19]
    points = {1: (2, 2), 2: (2, 2), 3: (2, 64), 4: (1, 1)}.get(shape)
    if points is None or not 1 <= colour <= 4 or not points[0] <= count <= points[1]:
        raise Invalid("photo mark")
    rest = content[19 + 4 * count :]
    if len(rest) < 4 or int.from_bytes(rest[:4], "big") != len(rest) - 4:
        raise Invalid("photo mark")
    words = rest[4:]
    if (shape == 4) != bool(words) or len(words) > 120:
        raise Invalid("photo mark")
    if words:
        try:
            checked(words.decode("utf-8"), LINE)
        except UnicodeDecodeError as error:
            raise Invalid("photo mark") from error


def check_record(content):
    """Checks a record: sync count, time, data set, key, flag, value."""
    parts, rest = [], content[16:]
    for _ in range(2):
        length = int.from_bytes(rest[:4], "big")
        if len(rest) < 4 + length:
            raise Invalid("record")
        parts.append(rest[4 : 4 + length])
        rest = rest[4 + length :]
    if not rest or rest[0] > 1 or (rest[0] == 0 and len(rest) > 1):
        raise Invalid("record")
    if rest[0] == 1:
        if len(rest) < 5 or int.from_bytes(rest[1:5], "big") != len(rest) - 5:
            raise Invalid("record")
        parts.append(rest[5:])
    letters = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.:-"
    if (
        not 1 <= int.from_bytes(content[:8], "big") <= 1 << 53
        or not 1 <= len(parts[0]) <= 128 or any(byte not in letters for byte in parts[0])
        or not 1 <= len(parts[1]) <= 1024 or (len(parts) > 2 and len(parts[2]) > 16_384)
    ):
        raise Invalid("record")
    try:
        for part in parts[1:]:
            part.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Invalid("record") from error


def check_note(content):
    """Checks the length of a sealed note: number of boxes, boxes of 80 bytes, body."""
    if not content or not 1 <= content[0] <= 16 or len(content) != 2089 + 80 * content[0]:
        raise Invalid("note")


def check_notice(content):
    """Checks an exposure notice: id, kind, text, number of keys, then day and key of each."""
    if len(content) < 22 or content[16] not in (1, 2, 3):
        raise Invalid("notice")
    length = int.from_bytes(content[17:21], "big")
    words, rest = content[21 : 21 + length], content[21 + length :]
    if length > 160 or len(words) < length or not rest or len(rest) != 1 + 20 * rest[0]:
        raise Invalid("notice")
    if words:
        try:
            checked(words.decode("utf-8"), LINE)
        except UnicodeDecodeError as error:
            raise Invalid("notice") from error
    days = [int.from_bytes(rest[at : at + 4], "big") for at in range(1, len(rest), 20)]
    if (
        not 1 <= len(days) <= 14 or any(day % 144 for day in days)
        or any(one >= other for one, other in zip(days, days[1:]))
        or days[-1] - days[0] >= 14 * 144
    ):
        raise Invalid("notice")


def text_at(content, place):
    """Returns a text with its length in front, and the place after it."""
    length = int.from_bytes(content[place : place + 4], "big")
    end = place + 4 + length
    if place + 4 > len(content) or end > len(content):
        raise Invalid("text")
    try:
        return content[place + 4 : end].decode("utf-8"), end
    except UnicodeDecodeError as error:
        raise Invalid("text") from error


def check_call(content):
    """Checks the message of an unverified call: device, cause, messages, others, time, position,
    name, address, note."""
    if len(content) < 26:
        raise Invalid("call")
    cause, messages, others, flag = struct.unpack(">BIIB", content[16:26])
    place = 34 if flag else 26
    if (not 1 <= cause <= 4 or not 1 <= messages <= 1_000_000 or others > 1_000_000
            or flag > 1 or place >= len(content) or content[place] > 1):
        raise Invalid("call")
    place += 1
    if content[place - 1]:
        if place + 8 > len(content):
            raise Invalid("call")
        latitude, longitude = struct.unpack(">ii", content[place : place + 8])
        if abs(latitude) > 900_000_000 or abs(longitude) > 1_800_000_000:
            raise Invalid("call")
        place += 8
    for _ in range(2):
        line, place = text_at(content, place)
        if line:
            checked(line, LINE)
    note, place = text_at(content, place)
    checked(note, PARAGRAPHS)
    if place != len(content) or len(note.encode("utf-8")) > 1024:
        raise Invalid("call")


def check_outcome(content):
    """Checks what command decided about an unverified call: 1 and a reason, or 2 and a person, then
    the number of messages and their dots."""
    code = content[:1]
    if code == b"\1":
        reason, place = text_at(content, 1)
        if not reason or len(reason.encode("utf-8")) > 1024:
            raise Invalid("outcome")
        checked(reason, PARAGRAPHS)
    elif code == b"\2":
        place = 17
    else:
        raise Invalid("outcome")
    dots = content[place:]
    if not dots or not 1 <= dots[0] <= 8 or len(dots) != 1 + 18 * dots[0]:
        raise Invalid("outcome")


def check_contact(content):
    """Checks an emergency contact: id, flag, position, name, phone number, note."""
    if len(content) < 17 or content[16] > 1:
        raise Invalid("contact")
    texts = content[17:]
    if content[16] == 1:
        if len(texts) < 8:
            raise Invalid("contact")
        latitude, longitude = struct.unpack(">ii", texts[:8])
        if abs(latitude) > 900_000_000 or abs(longitude) > 1_800_000_000:
            raise Invalid("contact")
        texts = texts[8:]
    words = []
    for _ in range(3):
        length = int.from_bytes(texts[:4], "big")
        if len(texts) < 4 + length:
            raise Invalid("contact")
        words.append(texts[4 : 4 + length])
        texts = texts[4 + length :]
    name, phone, note = words
    digits = sum(byte in b"0123456789" for byte in phone)
    if (
        texts or len(name) > 80 or len(phone) > 32 or digits < 2
        or any(byte not in b"0123456789+ -()" for byte in phone)
    ):
        raise Invalid("contact")
    try:
        checked(name.decode("utf-8"), LINE)
        if note:
            checked(note.decode("utf-8"), LINE)
    except UnicodeDecodeError as error:
        raise Invalid("contact") from error


def photo(writes):
    """Reads a photo: two references, flags, and the time and the position that the flags state."""
    found = writes.take(147)
    flags = found[146]
    if flags > 3:
        raise Malformed("photo")
    found += writes.take(8 * flags.bit_count())
    for start, most in ((0, 8 << 20), (73, 24 << 10)):
        length = int.from_bytes(found[start + 32 : start + 36], "big")
        width, height = struct.unpack(">HH", found[start + 69 : start + 73])
        if not (1 <= length <= most and found[start + 68] in (1, 2, 3)
                and 1 <= width <= 16_384 and 1 <= height <= 16_384):
            raise Invalid("photo")
    if flags & 2:
        latitude, longitude = struct.unpack(">ii", found[-8:])
        if abs(latitude) > 900_000_000 or abs(longitude) > 1_800_000_000:
            raise Invalid("photo")
    return found


def profile(data):
    mode, reading, sending, distance, accuracy, shares = struct.unpack(">BHHHHB", data)
    if not (
            1 <= mode <= 3 and 1 <= reading <= 3600 and 1 <= sending <= 3600
            and 1 <= distance <= 10_000 and 1 <= accuracy <= 10_000 and shares <= 1):
        raise Invalid("profile")
    return data


def coordinate(message):
    latitude, longitude = message.get("latitude_e7", 0), message.get("longitude_e7", 0)
    if abs(latitude) > 900_000_000 or abs(longitude) > 1_800_000_000:
        raise Invalid("coordinate")
    return struct.pack(">ii", latitude, longitude)


def outline(data):
    """Returns the geometry unchanged: its form is canonical."""
    try:
        end = read_outline(data)
    except (struct.error, IndexError):
        raise Invalid("geometry is cut") from None
    if end != len(data):
        raise Invalid("something follows the geometry")
    return data


def read_outline(data):
    """Returns the end of the geometry."""

    def count(place, least, most):
        (number,) = struct.unpack_from(">I", data, place)
        if not least <= number <= most:
            raise Invalid("geometry count")
        return number, place + 4

    def vertex(place):
        latitude, longitude = struct.unpack_from(">ii", data, place)
        coordinate({"latitude_e7": latitude, "longitude_e7": longitude})
        return place + 8

    if data[0] == 2:
        return count(vertex(1), 1, 2_000_000_000)[1]
    if data[0] != 1:
        raise Invalid("geometry type")
    all_rings = all_vertices = 0
    polygons, place = count(1, 1, 200)
    for _ in range(polygons):
        rings, place = count(place, 1, 200 - all_rings)
        all_rings += rings
        for _ in range(rings):
            vertices, place = count(place, 3, min(1000, 7000 - all_vertices))
            all_vertices += vertices
            for _ in range(vertices):
                place = vertex(place)
    return place


def read_crossing(message, author, incarnation, written_at, operation):
    """Returns the crossing's id, its canonical bytes, and the order between two with one id."""
    type, transition = message.get("type", 0), message.get("transition", 0)
    fix = message.get("fix", {})
    if type not in (1, 2) or transition == 0 or "position" not in fix:
        raise Invalid("crossing")
    fence, version, subject = (
        exactly(16, message.get(name, b"")) for name in ("fence", "fence_version", "subject"))
    place = coordinate(fix["position"])
    nonce = message.get("tracker", b"")
    if nonce:
        row = h16(b"muster row 1", operation, author.user, exactly(16, nonce))
        if subject != row or author.role not in (COMMAND, MEMBER):
            raise Invalid("crossing of another's tracker")
    elif subject != author.device or author.role not in PERSONAL:
        raise Invalid("crossing of another device, or of no person")
    id = h16(
        b"muster crossing 1", operation, subject, incarnation, fence, version, u32(transition))
    accuracy = fix.get("accuracy_plus_one", 0)
    content = b"".join([
        bytes([type]), fence, version, subject, u32(transition), place,
        bytes([1 if accuracy else 0]), u32(accuracy - 1 if accuracy else 0),
        i64(fix.get("sample_time", 0)), bytes([1 if message.get("baseline") else 0]),
    ])
    claim = author.user + author.device + bytes([author.role]) + i64(written_at)
    return id, b"\0" + id + content, content + claim


# Merging (§6) and the state hash (§7)


def may_write(write, owner):
    author, kind, is_own = write.author, kind_of(write.field), write.author.user == owner
    if kind == USER:
        if write.field == CALLSIGN and is_own and author.role != RELAY:
            return True
        if is_own and author.role in PERSONAL and not (write.field in SAID_BY_COMMAND and write.value):
            return True
        return author.role == COMMAND and write.field != CLAIM
    if kind == CHECK_IN:
        return author.role == COMMAND or is_own and author.role in PERSONAL
    if kind == RECORD:
        return is_own and author.role in PERSONAL
    if write.field == EXPOSURE_NOTE:
        return write.row == author.device and author.role in PERSONAL
    if kind == UNVERIFIED_CALL and write.field != CALL_OUTCOME:
        return is_own and author.role in PERSONAL
    if kind == TRACK:
        return is_own and author.role in (COMMAND, MEMBER)
    if author.role == COMMAND:
        return True
    if author.role != MEMBER or kind in (
            FENCE, SETTINGS, PERMIT, EXPOSURE, UNVERIFIED_CALL):
        return False
    if kind == ALERT:
        return write.value is None or write.value[1:17] == author.user
    if kind == DIRECTIVE:
        # A reply for a tracker names one of its author's.
        return write.field == TRACKER_REPLIES or write.field == ACKNOWLEDGEMENTS and (
            write.value is None or write.value[1:17] == author.user)
    if write.field in SAID_BY_COMMAND and write.value is not None:
        return False
    return is_own or write.field in (
        CONFIRMATIONS, COMMENTS, PHOTOS, PHOTO_MARKS, CONTENT_CONFIRMATIONS)


def takes(later, earlier):
    """Returns whether a write may supersede another that it names."""
    if later.field in FOR_EVER:
        return False
    if later.field in OWN_ELEMENTS:
        return later.author.role == COMMAND or later.author.user == earlier.author.user
    return True


class State:
    def __init__(self):
        self.rows = {}  # (kind, id) -> writes
        self.crossings = {}  # id -> (decides, canonical)
        self.names = {}  # log -> sequence -> (epoch, rows that the frame names, by index)

    def apply_body(self, frame, body, in_parts, log, author, operation, counts):
        """Applies logs after their parents. Frames that do not count may still name rows."""
        operations = body.get("operations", [])
        written_at = body.get("written_at", 0)
        if log.name not in self.names:
            above = [self.names.get(log.parent.name, {})] if log.parent is not None else []
            self.names[log.name] = ChainMap({}, *above)
        names = self.names[log.name]
        packed = PackedWrites(
            body.get("writes", b""), frame, log, author, written_at, principal_of(body), operation,
            names)
        try:
            writes = packed.read_all(len(operations))
            rows = None if body.unknown else packed.named
        except Unknown:
            writes = rows = None
        except Malformed:
            return  # invalid
        if not in_parts:
            names[frame.sequence] = (frame.epoch, rows)
        if not counts or rows is None or packed.waits or any(map(is_unknown, operations)):
            return  # waits for a newer program
        for write in writes:
            if write is not None:
                self.rows.setdefault((kind_of(write.field), write.row), []).append(write)
        for message in operations:
            if "crossing" not in message:
                continue
            try:
                id, canonical, decides = read_crossing(
                    message["crossing"], author, log.incarnation, written_at, operation)
            except Invalid:
                continue
            if id not in self.crossings or decides < self.crossings[id][0]:
                self.crossings[id] = (decides, canonical)

    def hash(self, control):
        """The state hash, with the hash of what the control plane comes to."""
        entries = [self.crossings[id][1] for id in self.crossings]
        entries += [canonical_row(key, self.rows[key]) for key in self.rows]
        leaves = {}
        for entry in sorted(entry for entry in entries if entry):
            # Kind and id come first.
            leaves.setdefault((entry[0], int.from_bytes(entry[1:3], "big") >> 4), []).append(entry)
        return h32(b"muster state 3", control, *(
            bytes([kind]) + prefix.to_bytes(2, "big")
            + h32(b"muster leaf 1", *(u32(len(entry)) + entry for entry in leaves[kind, prefix]))
            for kind, prefix in sorted(leaves)))


def canonical_row(key, writes):
    """Returns None for a row without visible content."""
    kind, id = key
    origin = next((write.origin for write in writes if write.origin is not None), None)
    owner = id if kind in WITHOUT_ORIGIN else origin and origin[0]
    if owner is None:
        return None
    fields = live_values([write for write in writes if may_write(write, owner)])
    if not fields:
        return None
    created = any(
        write.field in EXISTENCE.values() and write.value is not None
        and (write.author.user == owner or kind == CHECK_IN)
        for write in writes if may_write(write, owner))
    creators = [
        write.principal for write in writes
        if may_write(write, owner) and write.principal and write.value is not None
        and write.field in EXISTENCE.values() and (write.author.user == owner or kind == CHECK_IN)
        and not write.takes_earlier and not write.supersedes]
    creator = min(creators, default=b"")
    parts = [bytes([kind]), id]
    parts.append(marked(0 if origin is None else 2 if created else 1, creator))
    parts += origin or (bytes(16), bytes(16))
    parts.append(lengthened(creator))
    parts.append(u32(len(fields)))
    for field in sorted(fields):
        parts.append(bytes([field]) + u32(len(fields[field])))
        for write in sorted(fields[field], key=lambda write: write.dot):
            parts += [write.dot, write.author.user, marked(write.author.role, write.principal)]
            parts += [i64(write.written_at), lengthened(write.principal), write.value]
    return b"".join(parts)


def principal_of(body):
    """Returns the encoding of a body's principal; empty if none is valid."""
    encoded = body.get("on_behalf_of", b"")
    if encoded[:1] == b"\1" and len(encoded) == 17:
        return encoded
    if encoded[:1] == b"\2" and len(encoded) <= 65:
        try:
            checked(encoded[1:].decode("utf-8"), LINE)
        except (Invalid, UnicodeDecodeError):
            return b""
        return encoded
    return b""


def marked(code, principal):
    """Returns a byte whose highest bit states that a principal follows."""
    return bytes([code | (0x80 if principal else 0)])


def lengthened(principal):
    return bytes([len(principal)]) + principal if principal else b""


def most_of_strand(write):
    """Returns how many of the newest writes of a strand to a field count; None: all."""
    if write.field not in OWN_ELEMENTS:
        return 1
    if write.author.role == COMMAND:
        return None
    return {COMMENTS: 128, PHOTO_MARKS: 256, TRACKER_REPLIES: 512}.get(write.field, 64)


def live_values(permitted):
    named = {}  # (field, dot) -> the writes that supersede it
    strands = {}  # (field, strand) -> the writes that count for the bound
    for write in permitted:
        for dot in write.supersedes:
            named.setdefault((write.field, dot), []).append(write)
        if write.value is not None or write.field not in (*OWN_ELEMENTS, *FOR_EVER):
            strands.setdefault((write.field, write.place[0]), []).append(place_in_strand(write))
    for places in strands.values():
        places.sort()
    fields = {}
    for write in permitted:
        if write.value is None:
            continue
        most = most_of_strand(write)
        places = strands[write.field, write.place[0]]
        if most is not None and len(places) - bisect_right(places, place_in_strand(write)) >= most:
            continue
        later = named.get((write.field, write.dot), [])
        if not any(takes(other, write) for other in later):
            fields.setdefault(write.field, []).append(write)
    return fields


def place_in_strand(write):
    return write.place[1], write.dot[16:]
