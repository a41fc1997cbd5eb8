public import MusterModel

extension PhotoSummary {
  /// The JSON of `report photo list`.
  public var json: JSON {
    JSON.object([
      "id": .id(id), "callsign": .string(callsign), "author": .id(author),
      "addedAt": .time(addedAt), "takenAt": .known(takenAt, JSON.time),
      "original": original.json, "thumbnail": thumbnail.json, "text": .string(original.text),
      "marks": .array(marks.map(\.json)),
    ]).adding(authorship.members).adding(JSON.place(position))
  }
}

extension PhotoMarkSummary {
  fileprivate var json: JSON {
    JSON.object([
      "id": .string(id), "callsign": .string(callsign), "author": .id(author),
      "drawnAt": .time(drawnAt), "shape": .string(mark.drawing.shape.name),
      "colour": .string(mark.drawing.colour.name), "text": .string(mark.drawing.text),
      "points": .array(
        mark.drawing.points.map { .object(["x": .real($0.xShare), "y": .real($0.yShare)]) }),
    ]).adding(authorship.members)
  }
}

extension BlobStatus {
  /// One of the two pictures of a photo: what it is, how much of it is here, and who holds it.
  fileprivate var json: JSON {
    .object([
      "type": .string(type.mediaType), "width": .count(Int(width)),
      "height": .count(Int(height)), "bytes": .count(Int(bytes)), "percent": .count(percent),
      "complete": .bool(isComplete), "devices": .count(devices), "total": .count(total),
      "commandPost": .bool(commandPost), "stall": .known(stall?.rawValue, JSON.string),
      "text": .string(text),
    ])
  }
}
