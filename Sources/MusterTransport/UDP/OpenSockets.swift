internal import MusterModel
internal import NIOCore

/// The sockets that a transport has open. Lives on the event loop.
struct OpenSockets {
  /// A socket on an announce group's port, and the interfaces by which it has joined.
  struct Group {
    var channel: any Channel
    var joined: [Int: LocalInterface] = [:]
  }

  var unicast: any Channel
  var groups: [AddressFamily: Group] = [:]
  /// Where announces go out.
  var announceInterfaces: [LocalInterface] = []
  /// Once true, nothing is opened again.
  var isClosed = false

  /// The families whose group socket is missing or has closed.
  var missingGroups: [AddressFamily] {
    AddressFamily.allCases.filter { !(groups[$0]?.channel.isActive ?? false) }
  }
}
