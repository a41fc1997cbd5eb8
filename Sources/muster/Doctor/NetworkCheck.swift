internal import Logging
internal import MusterModel
internal import MusterTransport

/// The port of a node, and whether laptops on one network can find each other.
struct NetworkCheck {
  let listen: String
  /// A running node has the port for good reason.
  let isRunning: Bool
  let usesMulticast: Bool

  func findings() async -> [Finding] { [await port(), await multicast()] }

  private func port() async -> Finding {
    if isRunning { return .good("port", "the node that runs here has it") }
    do {
      let transport = try await UDPTransport.bind(
        configuration: UDPConfiguration(listen: listen, multicast: false), logger: Self.logger)
      await transport.close()
      return .good("port", "UDP \(listen) is free")
    } catch {
      return .bad("port", "\(error)", "choose another, or stop what has it")
    }
  }

  // MARK: Multicast

  private static let patience = 40
  private static let pause = Duration.milliseconds(50)

  private func multicast() async -> Finding {
    guard usesMulticast else {
      return .doubtful(
        "multicast", "switched off in the settings", "name the other laptops by --peer")
    }
    do {
      let family = try UDPConfiguration(listen: listen).listen.family
      let any = family == .ipv4 ? "0.0.0.0:0" : "[::]:0"
      let transport = try await UDPTransport.bind(
        configuration: UDPConfiguration(listen: any), logger: Self.logger)
      return await withTaskGroup(of: Finding?.self) { group in
        group.addTask {
          do { try await transport.run() } catch { return Self.deaf("\(error)") }
          return nil
        }
        group.addTask {
          let finding = await Self.echo(of: transport)
          await transport.close()
          return finding
        }
        for await finding in group {
          if let finding {
            group.cancelAll()
            return finding
          }
        }
        return Self.deaf("the sockets closed")
      }
    } catch {
      return Self.deaf("\(error)")
    }
  }

  /// What this laptop sends to the group comes back to it, where anybody can hear it.
  private static func echo(of transport: UDPTransport) async -> Finding {
    for _ in 0..<patience {
      transport.send([OutboundDatagram(bytes: [0], to: .multicast(nil))])
      do { try await Task.sleep(for: pause) } catch { break }
      if transport.counters.dropped(.ownEcho) > 0 {
        return .good("multicast", "laptops on one network can find each other")
      }
    }
    return deaf(
      transport.counters.sent == 0
        ? "no network that carries it" : "what was sent to the group did not come back")
  }

  private static func deaf(_ words: String) -> Finding {
    .doubtful(
      "multicast", words,
      "join a network, let UDP 7474 and 7475 through the firewall, or name laptops by --peer")
  }

  private static var logger: Logger {
    var logger = Logger(label: "muster.doctor")
    logger.logLevel = .critical
    return logger
  }
}
