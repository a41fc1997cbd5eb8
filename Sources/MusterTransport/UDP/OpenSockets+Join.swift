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
  /// Joins by interfaces that are new and forgets those that have gone. What is refused is tried
  /// again with the next call, since an interface may only be coming up.
  mutating func join(_ group: Endpoint, by interfaces: [LocalInterface], logger: Logger) {
    guard channel.isActive, let member = channel as? any MulticastChannel else { return }
    let address = group.socketAddress
    let present = Set(interfaces.map(\.index))
    for (index, interface) in joined where !present.contains(index) {
      joined[index] = nil
      member.leaveGroup(address, device: interface.device, promise: nil)
    }
    for interface in interfaces where joined[interface.index] == nil {
      // On the channel's event loop the outcome is known when the call returns.
      let outcome = channel.eventLoop.makePromise(of: Void.self)
      let verdict = NIOLoopBoundBox<(any Error)?>(nil, eventLoop: channel.eventLoop)
      outcome.futureResult.whenFailure { verdict.value = $0 }
      member.joinGroup(address, device: interface.device, promise: outcome)
      if let error = verdict.value, (error as? IOError)?.errnoCode != EADDRINUSE {
        logger.debug(
          "Cannot hear announces by an interface",
          metadata: ["interface": "\(interface.device.name)", "error": "\(error)"])
      } else {
        joined[interface.index] = interface
      }
    }
  }
}
