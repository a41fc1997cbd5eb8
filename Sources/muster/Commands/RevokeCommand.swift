internal import ArgumentParser
internal import MusterModel
internal import MusterNode

struct RevokeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "revoke",
    abstract: "Revoke a device that was lost, stolen or dismissed.",
    discussion: """
      Example:  muster revoke Ben
                muster revoke 3f9a --yes

      Data of the device that this node has stays valid. Later data of it goes to quarantine on \
      every node. New data is encrypted with a new key that the device does not get. Nodes out of \
      contact apply the revocation when they learn of it. It cannot be undone: to return, the \
      device must join again.

      A member of the council is revoked by votes of the other members: this command then casts \
      one vote and prints how many more are needed.
      """)

  @Argument(help: "The device, by id or by the callsign of its user.", completion: .devices)
  var device: String

  @OptionGroup var confirmation: ConfirmationOptions
  @OptionGroup(title: "Node") var home: HomeOptions

  func run() async throws {
    let connection = try await NodeConnection.open(home)
    let wanted = try await connection.device(named: device)
    try confirmation.confirm(
      "This permanently revokes \(SafeText.line(wanted.callsign))'s device \(wanted.id.short)"
        + (try await Self.peopleBehind(wanted, connection)),
      name: wanted.callsign)
    guard case .devices(let devices) = try await connection.change(.revoke("\(wanted.id)")),
      let device = devices.first
    else { throw Refusal.unexpectedReply }
    let whose = "\(SafeText.line(device.callsign))'s device \(device.id.short)"
    guard device.isCouncilMember else {
      try Standard.print("Revoked \(whose); new data is encrypted with a new key")
      return try PersonAccess(of: device.user, in: home).state(.deviceRevoked)
    }
    let votes = "\(device.votes) of \(device.quorum) votes"
    try Standard.print(
      device.isRevoked
        ? "Revoked \(whose) by \(votes); new data is encrypted with a new key"
        : "Voted to revoke \(whose): \(votes), \(device.quorum - device.votes) more needed")
    if device.isRevoked { try PersonAccess(of: device.user, in: home).state(.deviceRevoked) }
  }

  /// Names the people whose phones report through the device of a user: nothing of them arrives
  /// any more. Empty for none.
  private static func peopleBehind(
    _ device: DeviceSummary, _ connection: NodeConnection
  ) async throws -> String {
    guard case .users(let people) = try await connection.ask(.users) else {
      throw Refusal.unexpectedReply
    }
    let names = people.filter { $0.trackerOwner == device.user }.map { SafeText.line($0.callsign) }
    return names.isEmpty
      ? "" : ". People who report through it: \(names.sorted().joined(separator: ", "))"
  }
}
