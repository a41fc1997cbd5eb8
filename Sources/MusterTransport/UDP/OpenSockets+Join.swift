internal import Logging
internal import MusterModel
internal import NIOCore

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

extension OpenSockets.Group {
  /// Joins a group on new interfaces and forgets removed ones. A failed join is retried with the
  /// next call, since the interface may still be coming up.
  mutating func join(_ group: Endpoint, by interfaces: [LocalInterface], logger: Logger) {
    guard channel.isActive, let member = channel as? any MulticastChannel else { return }
    let address = group.socketAddress
    let present = Set(interfaces.map(\.index))
    for (index, interface) in joined where !present.contains(index) {
      joined[index] = nil
      member.leaveGroup(address, device: interface.device, promise: nil)
    }
    for interface in interfaces where joined[interface.index] == nil {
      // On the channel's event loop the result is known when the call returns.
      let outcome = channel.eventLoop.makePromise(of: Void.self)
      let verdict = NIOLoopBoundBox<(any Error)?>(nil, eventLoop: channel.eventLoop)
      outcome.futureResult.whenFailure { verdict.value = $0 }
      member.joinGroup(address, device: interface.device, promise: outcome)
      if let error = verdict.value, (error as? IOError)?.errnoCode != EADDRINUSE {
        logger.debug(
          "Cannot join the announce group on an interface",
          metadata: ["interface": "\(interface.device.name)", "error": "\(error)"])
      } else {
        joined[interface.index] = interface
      }
    }
  }
}
