internal import ArgumentParser
internal import Foundation
internal import MusterGeo
internal import MusterModel

/// What to do about a position whose latitude and longitude look exchanged: a person on a terminal
/// is asked, and scripts give one of the options. What is urgent waits for neither.
struct PlaceOptions: ParsableArguments {
  @Flag(help: "The longitude is given first.")
  var swap = false

  @Flag(help: "Take the position as it is given, however far it is.")
  var asGiven = false

  func validate() throws {
    guard !swap || !asGiven else {
      throw ValidationError("give only one of --swap and --as-given")
    }
  }

  /// Returns the position that is meant. Throws `Refusal` if it looks exchanged and nothing states
  /// which is meant.
  func position(
    _ place: PlaceArgument?, by connection: NodeConnection
  ) async throws -> Coordinate? {
    guard let place else { return nil }
    let isExchanged =
      if let doubt = await doubt(about: place, by: connection) {
        try isMeant(place, doubt)
      } else {
        swap
      }
    guard let position = isExchanged ? place.exchanged : place.given else {
      throw Refusal(
        isExchanged
          ? "--swap needs two numbers that are a position with the longitude first"
          : "a latitude is from -90 to 90 degrees: the longitude may be first, then give --swap")
    }
    return position
  }

  /// Returns the position of what is urgent: the given one, or the other way round if only that is
  /// a position.
  func urgentPosition(_ place: PlaceArgument?) -> Coordinate? {
    swap ? place?.exchanged ?? place?.given : place?.given ?? place?.exchanged
  }

  /// States that the position of an urgent report, which is filed already, looks exchanged. Returns
  /// whether it does.
  func stateDoubt(
    about place: PlaceArgument?, of report: RowID, by connection: NodeConnection
  ) async -> Bool {
    guard let place, let doubt = await doubt(about: place, besides: report, by: connection)
    else { return false }
    let used = place.given == nil ? "with the longitude first" : "as it is given"
    let other = place.given == nil ? "LAT,LON" : ValueText.place(place.exchanged, as: .decimal)
    Standard.complain(
      "latitude and longitude look exchanged: \(doubt). The position was taken \(used); if that "
        + "is wrong: muster report edit \(report.short) --at \(other)")
    return true
  }

  /// Returns why latitude and longitude look exchanged, if no option states which is meant: the
  /// given position is none, or is far from everything that the node knows and near the other way
  /// round.
  ///
  /// - Parameter report: the report at this position.
  private func doubt(
    about place: PlaceArgument, besides report: RowID? = nil, by connection: NodeConnection
  ) async -> String? {
    guard !swap, !asGiven, let exchanged = place.exchanged else { return nil }
    guard let given = place.given else { return "a latitude is from -90 to 90 degrees" }
    guard exchanged != given,
      let known = await connection.knownPlaces(besides: report),
      let metres = known.metres(to: given), metres > NodeConnection.farMetres,
      let other = known.metres(to: exchanged), other <= NodeConnection.farMetres
    else { return nil }
    return "the position is \(Int(metres / 1000)) km from everything that is known here, and "
      + "\(Int(other / 1000)) km the other way round"
  }

  /// Asks whether latitude and longitude are exchanged.
  private func isMeant(_ place: PlaceArgument, _ reason: String) throws -> Bool {
    guard isatty(STDIN_FILENO) == 1 else {
      let words = "latitude and longitude look exchanged: \(reason). Give --swap"
      guard place.given != nil else { throw ValidationError(words) }
      throw Refusal("\(words), or --as-given if it is right")
    }
    let meant = ValueText.place(place.exchanged, as: .decimal)
    try Standard.ask(
      "Latitude and longitude look exchanged: \(reason). Use \(meant) instead? [y/n] ")
    switch readLine()?.trimmingCharacters(in: .whitespaces).lowercased() {
    case "y", "yes": return true
    case "n", "no": return false
    default: throw Refusal("not answered: nothing was changed. Answer y or n")
    }
  }
}
