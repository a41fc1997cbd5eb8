internal import MusterModel
internal import NIOCore

/// The open sockets of a transport. Confined to the event loop.
struct OpenSockets {
  /// A socket on an announce group's port, and the interfaces on which it has joined.
  struct Group {
    var channel: any Channel
    var joined: [Int: LocalInterface] = [:]
  }

  /// The node's own sockets. That of the family of `listen` was opened at the start; another may be
  /// missing.
  var unicast: [AddressFamily: any Channel]
  var groups: [AddressFamily: Group] = [:]
  /// The interfaces on which announces are sent.
  var announceInterfaces: [LocalInterface] = []
  /// Once true, nothing is opened again.
  var isClosed = false

  /// Returns those of the families whose own socket is missing or has closed.
  func missingUnicast(of families: [AddressFamily]) -> [AddressFamily] {
    families.filter { !(unicast[$0]?.isActive ?? false) }
  }

  /// The families whose group socket is missing or has closed.
  var missingGroups: [AddressFamily] {
    AddressFamily.allCases.filter { !(groups[$0]?.channel.isActive ?? false) }
  }
}
