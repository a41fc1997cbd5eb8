internal import Foundation
internal import MusterInterchange

/// The services that a node answers.
enum AmazonService: Sendable {
  case location
  case cognitoSync

  /// Returns the service that a path belongs to, with operations that are not performed here; nil
  /// for another path.
  init?(_ path: String) {
    if Operation.owns(path) {
      self = .location
    } else if SyncOperation.owns(path) {
      self = .cognitoSync
    } else {
      return nil
    }
  }

  /// The name of the service in the scope of a credential.
  var signingName: String {
    switch self {
    case .location: "geo"
    case .cognitoSync: "cognito-sync"
    }
  }

  /// Returns the response to a request that failed, in the form of the service.
  func response(
    to fault: ServiceFault, audit: AmazonResponse.AuditEntry? = nil
  ) -> AmazonResponse {
    switch self {
    case .location:
      response(fault.status, fault.document, type: fault.type, audit: audit)
    case .cognitoSync:
      response(
        fault.syncStatus, .object(["message": .string(fault.message)]), type: fault.syncType,
        audit: audit)
    }
  }

  /// - Parameter type: of an error; nil for a success.
  func response(
    _ status: Int, _ json: JSON, type: String? = nil, audit: AmazonResponse.AuditEntry? = nil
  ) -> AmazonResponse {
    var headers = ["x-amzn-requestid": UUID().uuidString.lowercased()]
    if let type { headers["x-amzn-errortype"] = type }
    return AmazonResponse(status: status, headers: headers, body: json.text, audit: audit)
  }
}
