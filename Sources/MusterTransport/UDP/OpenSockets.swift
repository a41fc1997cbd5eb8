internal import MusterModel
internal import NIOCore

/// The open sockets of a transport. Confined to the event loop.
struct OpenSockets {
  /// A socket on an announce group's port, and the interfaces on which it has joined.
  struct Group {
    var channel: any Channel
    var joined: [Int: LocalInterface] = [:]
  }

  var unicast: any Channel
  var groups: [AddressFamily: Group] = [:]
  /// The interfaces on which announces are sent.
  var announceInterfaces: [LocalInterface] = []
  /// Once true, nothing is opened again.
  var isClosed = false

  /// The families whose group socket is missing or has closed.
  var missingGroups: [AddressFamily] {
    AddressFamily.allCases.filter { !(groups[$0]?.channel.isActive ?? false) }
  }
}
