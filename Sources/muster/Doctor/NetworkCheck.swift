internal import Logging
internal import MusterModel
internal import MusterTransport

/// The port of a node, and multicast discovery.
struct NetworkCheck {
  let listen: String
  /// Whether a running node uses the port.
  let isRunning: Bool
  let usesMulticast: Bool

  func findings() async -> [Finding] { [await port(), await multicast()] }

  private func port() async -> Finding {
    if isRunning { return .good("port", "used by the running node") }
    do {
      let transport = try await UDPTransport.bind(
        configuration: UDPConfiguration(listen: listen, multicast: false), logger: Self.logger)
      let addresses = await transport.listeningEndpoints()
      await transport.close()
      let text = addresses.map(\.description).joined(separator: " and ")
      return .good("port", "UDP \(text) \(addresses.count == 1 ? "is" : "are") free")
    } catch {
      return .bad(
        "port", "\(error)", "choose another with --listen, or stop the program that uses it")
    }
  }

  // MARK: Multicast

  private static let patience = 40
  private static let pause = Duration.milliseconds(50)

  private func multicast() async -> Finding {
    guard usesMulticast else {
      return .doubtful(
        "multicast", "off in the settings", "name the other laptops with --peer")
    }
    do {
      let family = try UDPConfiguration(listen: listen).listen.family
      let any = family == .ipv4 ? "0.0.0.0:0" : "[::]:0"
      let transport = try await UDPTransport.bind(
        configuration: UDPConfiguration(listen: any, multicastHops: 0), logger: Self.logger)
      return await withTaskGroup(of: Finding?.self) { group in
        group.addTask {
          do { try await transport.run() } catch { return Self.failed("\(error)") }
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
        return Self.failed("the sockets closed")
      }
    } catch {
      return Self.failed("\(error)")
    }
  }

  /// Sends to the group until the datagram is received back, as a working network does. The
  /// datagrams stay on this machine: other nodes would count them as malformed.
  private static func echo(of transport: UDPTransport) async -> Finding {
    for _ in 0..<patience {
      transport.send([OutboundDatagram(bytes: [0], to: .multicast(nil))])
      do { try await Task.sleep(for: pause) } catch { break }
      if transport.counters.dropped(.ownEcho) > 0 {
        return .good("multicast", "nodes on one network can discover each other")
      }
    }
    return failed(
      transport.counters.sent == 0
        ? "no network with multicast" : "datagrams to the group are not received")
  }

  private static func failed(_ words: String) -> Finding {
    .doubtful(
      "multicast", words,
      "join a network, open UDP 7474 and 7475 in the firewall, or use --peer")
  }

  private static var logger: Logger {
    var logger = Logger(label: "muster.doctor")
    logger.logLevel = .critical
    return logger
  }
}
