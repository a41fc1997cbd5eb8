#!/usr/bin/env python3
"""Draws the pictures of the intake tests, with Pillow and pillow-heif: another implementation of
the formats than the one that is tested. The same arguments give the same pixels.

Usage: pictures.py FOLDER [--large]      draws them into the folder
       pictures.py --inspect FILE…     prints what a JPEG shows, one line of JSON each
  --large  only the 12-megapixel pictures of the benchmark
"""

import json
import pathlib
import random
import struct
import sys
import zlib

from PIL import Image, ImageCms, ImageDraw

try:
    import pillow_heif

    pillow_heif.register_heif_opener()
except ImportError:
    pillow_heif = None

# Tags of Exif 2.32.
ORIENTATION, EXIF, GPS = 0x0112, 0x8769, 0x8825
ORIGINAL_TIME, ORIGINAL_OFFSET = 0x9003, 0x9011
SECRET = "SECRET-SERIAL-4711"
XMP = f"<x:xmpmeta xmlns:x='adobe:ns:meta/'>{SECRET}</x:xmpmeta>".encode()


def scene(width, height):
    """A picture whose corners are red, green, blue and yellow, clockwise from the top left."""
    picture = Image.new("RGB", (width, height), (120, 120, 120))
    draw = ImageDraw.Draw(picture)
    w, h = width // 3, height // 3
    corners = [(0, 0, "red"), (width - w, 0, "lime"), (width - w, height - h, "blue"),
               (0, height - h, "yellow")]
    for x, y, colour in corners:
        draw.rectangle((x, y, x + w - 1, y + h - 1), fill=colour)
    return picture


def noisy(width, height, seed):
    """Detail as in a photograph: smooth shapes with noise."""
    drawn = random.Random(seed)
    small = Image.frombytes("RGB", (width // 16, height // 16),
                            drawn.randbytes(width // 16 * (height // 16) * 3))
    picture = small.resize((width, height), Image.Resampling.BICUBIC)
    tile = Image.frombytes("RGB", (256, 256), drawn.randbytes(256 * 256 * 3))
    grain = Image.new("RGB", (width, height))
    for y in range(0, height, 256):
        for x in range(0, width, 256):
            grain.paste(tile, (x, y))
    return Image.blend(picture, grain, 0.08)


def exif(orientation=1, position=True, time="2026:11:25 04:10:00", offset="+02:00"):
    data = Image.Exif()
    data[ORIENTATION] = orientation
    data[0x010F] = SECRET
    inner = data.get_ifd(EXIF)
    if time:
        inner[ORIGINAL_TIME] = time
    if offset:
        inner[ORIGINAL_OFFSET] = offset
    if position:
        # 46° 30' 12.34" S, 7° 15' 0.5" W
        gps = data.get_ifd(GPS)
        gps[1], gps[2] = "S", (46.0, 30.0, 12.34)
        gps[3], gps[4] = "W", (7.0, 15.0, 0.5)
    return data


def upright_scene_turned(orientation):
    """The scene as a camera stores it, so that the orientation makes it upright."""
    inverse = {1: None, 2: Image.Transpose.FLIP_LEFT_RIGHT, 3: Image.Transpose.ROTATE_180,
               4: Image.Transpose.FLIP_TOP_BOTTOM, 5: Image.Transpose.TRANSPOSE,
               6: Image.Transpose.ROTATE_90, 7: Image.Transpose.TRANSVERSE,
               8: Image.Transpose.ROTATE_270}[orientation]
    picture = scene(360, 240)
    return picture if inverse is None else picture.transpose(inverse)


def png_header(width, height):
    """A valid header of any size, with data for less than one row."""

    def chunk(kind, body):
        return (struct.pack(">I", len(body)) + kind + body
                + struct.pack(">I", zlib.crc32(kind + body)))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header)
            + chunk(b"IDAT", zlib.compress(bytes(1000))) + chunk(b"IEND", b""))


def write_small(folder):
    for orientation in range(1, 9):
        upright_scene_turned(orientation).save(
            folder / f"turned-{orientation}.jpg", quality=92, exif=exif(orientation), xmp=XMP,
            icc_profile=ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes())
    scene(360, 240).save(folder / "plain.jpg", quality=92)
    scene(360, 240).save(folder / "progressive.jpg", quality=92, progressive=True)
    scene(360, 240).convert("L").save(folder / "grey.jpg", quality=92)
    scene(360, 240).convert("CMYK").save(folder / "cmyk.jpg", quality=92)
    scene(360, 240).save(folder / "local.jpg", exif=exif(offset=None, position=False))
    for name, month in (("summer", 7), ("winter", 1)):
        scene(360, 240).save(folder / f"{name}.jpg", exif=exif(
            offset=None, position=False, time=f"2026:{month:02}:15 15:00:00"))
    scene(360, 240).save(folder / "other-offset.jpg", exif=exif(
        offset="-0330", position=False, time="2026:07:15 15:00:00"))
    sydney = exif(offset=None, time="2026:07:15 15:00:00")
    sydney.get_ifd(GPS).update({2: (33.0, 52.0, 0.0), 3: "E", 4: (151.0, 12.0, 0.0)})
    scene(360, 240).save(folder / "sydney.jpg", exif=sydney)
    for name, size in (("108mp", (12_000, 9_000)), ("200mp", (16_320, 12_240))):
        Image.new("RGB", size).save(folder / f"{name}.jpg")
    for name, size in (
            ("thin.jpg", (1, 4_000)), ("thin.png", (1, 4_000)), ("flat.jpg", (4_000, 1))):
        Image.new("RGB", size, "red").save(folder / name)
    scene(360, 240).save(folder / "bad-time.jpg", exif=exif(time="2026:13:45 99:99:99"))
    scene(360, 240).save(folder / "exif.png", exif=exif())
    see_through = scene(360, 240).convert("RGBA")
    see_through.putalpha(0)
    see_through.save(folder / "transparent.png")
    scene(360, 240).save(folder / "exif.webp", quality=90, exif=exif(), xmp=XMP)
    noisy(3000, 1500, 1).save(folder / "wide.jpg", quality=90)
    noisy(640, 640, 2).save(folder / "noise.jpg", quality=95)
    if pillow_heif:
        scene(360, 240).save(folder / "exif.heic", quality=90, exif=exif())
        # Only as bytes does the orientation also become the rotation property of the HEIF.
        upright_scene_turned(6).save(
            folder / "turned.heic", quality=90, exif=exif(6).tobytes())
        scene(360, 240).save(folder / "exif.avif", format="AVIF", quality=90, exif=exif())
    (folder / "huge.png").write_bytes(png_header(100_000, 100_000))
    (folder / "svg.jpg").write_bytes(
        b'<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">'
        b"<script>alert(1)</script></svg>")
    (folder / "zip.jpg").write_bytes(b"PK\x03\x04" + bytes(600))


def write_large(folder):
    picture = noisy(4000, 3000, 3)
    picture.save(folder / "12mp.jpg", quality=92, exif=exif(6))
    picture.save(folder / "12mp-progressive.jpg", quality=92, progressive=True)
    picture.save(folder / "12mp.webp", quality=85)
    if pillow_heif:
        picture.save(folder / "12mp.heic", quality=80)


def inspect(file):
    """The size, the colours of the corners clockwise, and every metadata segment."""
    picture = Image.open(file)
    picture.load()
    width, height = picture.size
    named = {"red": (255, 0, 0), "green": (0, 255, 0), "blue": (0, 0, 255),
             "yellow": (255, 255, 0), "white": (255, 255, 255)}

    def colour(at):
        seen = picture.convert("RGB").getpixel(at)
        return min(named, key=lambda name: sum((a - b) ** 2 for a, b in zip(named[name], seen)))

    corners = [(4, 4), (width - 5, 4), (width - 5, height - 5), (4, height - 5)]
    # JFIF has no data about the picture but its density.
    segments = [name for name, body in getattr(picture, "applist", [])
                if not (name == "APP0" and body.startswith(b"JFIF"))]
    raw = pathlib.Path(file).read_bytes()
    if SECRET.encode() in raw:
        segments.append(SECRET)
    return {"format": picture.format, "width": width, "height": height,
            "corners": [colour(at) for at in corners], "metadata": segments}


if __name__ == "__main__":
    if sys.argv[1] == "--inspect":
        for name in sys.argv[2:]:
            print(json.dumps(inspect(name)))
        sys.exit()
    target = pathlib.Path(sys.argv[1])
    target.mkdir(parents=True, exist_ok=True)
    (write_large if "--large" in sys.argv[2:] else write_small)(target)
