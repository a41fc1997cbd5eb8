internal import Dispatch
internal import Foundation
public import Logging
public import ServiceLifecycle

/// Runs the services of a program until SIGTERM or SIGINT arrives.
///
/// A service holds keys, tokens and passwords. `ServiceGroup` logs the description of each service
/// at the level `debug`, which by default is all that the service holds. It therefore receives
/// services that have no description but the name of their type (decision 0100).
public enum ProgramServices {
  /// How long a graceful shutdown may take, in seconds. Then the process ends, whatever waits, such
  /// as answers that no client reads: what is stored is complete at every moment.
  private static let mostShutdownSeconds = 4.0

  /// Returns after a graceful shutdown. Throws the error of a service that failed.
  ///
  /// - Parameters:
  ///   - services: dependencies first.
  ///   - logger: receives the names of the services at the level `debug`.
  public static func run(_ services: [any Service], logger: Logger) async throws {
    let deadline = ShutdownDeadline(seconds: mostShutdownSeconds, logger: logger)
    let group = ServiceGroup(
      configuration: ServiceGroupConfiguration(
        services: (services + [deadline]).map { .init(service: NamedService(service: $0)) },
        gracefulShutdownSignals: [.sigint, .sigterm], logger: logger))
    try await group.run()
  }
}

/// Ends the process if its shutdown takes too long. As the last service it is the first that is
/// asked to end.
private struct ShutdownDeadline: Service {
  let seconds: Double
  let logger: Logger

  func run() async throws {
    try await gracefulShutdown()
    // Not a task, which would wait for a thread while all of them are busy.
    let end = DispatchTime.now() + seconds
    DispatchQueue.global().asyncAfter(deadline: end) {
      logger.notice("requests were cut that did not end within \(Int(seconds)) s")
    }
    // On its own: standard error may be a pipe that is full.
    DispatchQueue.global(qos: .userInteractive).asyncAfter(deadline: end + 0.1) { _exit(0) }
  }
}

/// A service that is printed as the name of its type.
struct NamedService: Service, CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  let service: any Service

  func run() async throws { try await service.run() }

  var description: String { "\(type(of: service))" }
  var debugDescription: String { description }
  var customMirror: Mirror { Mirror(self, children: [:]) }
}
