internal import MusterGeo
internal import MusterModel

/// Text output about the photos of a report.
enum PhotoView {
  static func table(
    of photos: [PhotoSummary], _ times: LocalTime, _ format: CoordinateFormat
  ) -> Table {
    var table = Table(
      ["", "ID", "STATUS", "BY", "TAKEN", "SIZE", "PIXELS", "POSITION"],
      optional: ["SIZE", "PIXELS", "POSITION"])
    for (index, photo) in photos.enumerated() {
      let status = photo.original
      let delivery = ValueText.delivery(
        status.devices, of: status.total, commandPost: status.commandPost)
      table.add([
        .init("\(index + 1)"), .init(photo.id.short),
        .init(
          status.isComplete ? delivery : status.text,
          status.isComplete && status.commandPost ? .good : .plain),
        .init(photo.callsign), .init(times.text(photo.takenAt ?? photo.addedAt)),
        .init(ValueText.bytes(UInt64(status.bytes))), .init("\(status.width) × \(status.height)"),
        .init(ValueText.place(photo.position, as: format)),
      ])
    }
    return table
  }

  /// Adds a line for each photo.
  static func add(_ photos: [PhotoSummary], to page: inout Page, _ times: LocalTime) {
    for (index, photo) in photos.enumerated() {
      let status = photo.original
      let marks =
        switch photo.marks.count {
        case 0: ""
        case 1: " · 1 mark over it"
        case let count: " · \(count) marks over it"
        }
      page.add(
        "photo \(index + 1) by \(photo.callsign), \(times.text(photo.takenAt ?? photo.addedAt)): "
          + status.text + marks, status.isComplete && status.commandPost ? .good : .plain)
    }
  }
}
