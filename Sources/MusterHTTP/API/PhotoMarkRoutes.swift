internal import MusterInterchange
internal import MusterModel
internal import MusterNode

/// The routes of marks that people draw over photos. The marks are listed with their photo.
enum PhotoMarkRoutes {
  static let routes: [Route] = [
    Route(
      .post, "/api/v1/reports/{id}/photos/{n}/marks",
      "Draw a mark over a photo: points are shares of its width and height", rights: .command,
      body: .object(
        [
          .must("shape", .choice(PhotoMarkShape.allCases.map(\.name))),
          .must("points", .list(point, most: Limits.photoMarkPoints)),
          .may("colour", .choice(PhotoMarkColour.allCases.map(\.name))), .may("text", .line),
        ], least: 2),
      result: .done
    ) { api, call in
      guard let shape = call.text("shape").flatMap(PhotoMarkShape.init(name:)) else {
        throw Problem(.badRequest, "no such shape", at: "/shape")
      }
      let drawing = PhotoDrawing(
        shape: shape, colour: call.text("colour").flatMap(PhotoMarkColour.init(name:)) ?? .red,
        points: call["points"]?.elements?.compactMap(Self.point(in:)) ?? [],
        text: call.text("text") ?? "")
      return try await api.done(.markPhoto(drawing, photo: call.path["n"] ?? "", of: call.id))
    },
    Route(
      .delete, "/api/v1/reports/{id}/photos/{n}/marks/{mark}",
      "Remove a mark, as its author or command", rights: .command, result: .done
    ) { api, call in
      try await api.done(.removePhotoMark(call.path["mark"] ?? "", of: call.id))
    },
  ]

  private static let point = Shape.object(
    [.must("x", .number(0...1)), .must("y", .number(0...1))], least: 2)

  private static func point(in value: JSON) -> PhotoPoint? {
    guard case .number(let x)? = value.members?["x"], case .number(let y)? = value.members?["y"],
      let xShare = Double(x), let yShare = Double(y)
    else { return nil }
    return PhotoPoint(xShare: xShare, yShare: yShare)
  }
}
