public import Logging
public import ServiceLifecycle

/// Runs the services of a program until SIGTERM or SIGINT arrives.
///
/// A service holds keys, tokens and passwords. `ServiceGroup` logs the description of each service
/// at the level `debug`, which by default is all that the service holds. It therefore receives
/// services that have no description but the name of their type (decision 0100).
public enum ProgramServices {
  /// Returns after a graceful shutdown. Throws the error of a service that failed.
  ///
  /// - Parameters:
  ///   - services: dependencies first.
  ///   - logger: receives the names of the services at the level `debug`.
  public static func run(_ services: [any Service], logger: Logger) async throws {
    let group = ServiceGroup(
      configuration: ServiceGroupConfiguration(
        services: services.map { .init(service: NamedService(service: $0)) },
        gracefulShutdownSignals: [.sigint, .sigterm], logger: logger))
    try await group.run()
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
