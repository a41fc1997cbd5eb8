internal import ArgumentParser
internal import Foundation
internal import MusterGeo
internal import MusterModel

/// What to do about a position whose latitude and longitude look exchanged: a person on a terminal
/// is asked, and scripts give one of the options.
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
    let isExchanged: Bool
    if swap || asGiven {
      isExchanged = swap
    } else if let given = place.given {
      isExchanged = try await looksExchanged(place, given, by: connection)
    } else {
      isExchanged = try isMeant(place, "a latitude is from -90 to 90 degrees")
    }
    guard let position = isExchanged ? place.exchanged : place.given else {
      throw Refusal(
        isExchanged
          ? "--swap needs two numbers that are a position with the longitude first"
          : "a latitude is from -90 to 90 degrees: the longitude may be first, then give --swap")
    }
    return position
  }

  /// Asks if the given position is far from everything that the node knows, and near with its
  /// numbers exchanged.
  private func looksExchanged(
    _ place: PlaceArgument, _ given: Coordinate, by connection: NodeConnection
  ) async throws -> Bool {
    guard let exchanged = place.exchanged, exchanged != given,
      let metres = await connection.metresToKnown(given), metres > NodeConnection.farMetres,
      let other = await connection.metresToKnown(exchanged), other <= NodeConnection.farMetres
    else { return false }
    return try isMeant(
      place,
      "the position is \(Int(metres / 1000)) km from everything that is known here, and "
        + "\(Int(other / 1000)) km the other way round")
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
