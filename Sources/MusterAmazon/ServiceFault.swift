internal import MusterInterchange
internal import MusterNode

/// Why a request failed, as the service states it: a status, an error type, and a message.
struct ServiceFault: Error, Hashable {
  /// The error types, with their names in batches if they occur there.
  enum Kind: Hashable {
    case accessDenied, conflict, notFound, quotaExceeded, throttled, unavailable
    case validation(Reason)
    case missingToken, unknownKey, badSignature, incompleteSignature
  }

  /// The `reason` of a `ValidationException`.
  enum Reason: String {
    case unknownOperation = "UnknownOperation"
    case missing = "Missing"
    case cannotParse = "CannotParse"
    case fieldValidationFailed = "FieldValidationFailed"
    case other = "Other"
  }

  let kind: Kind
  /// For the developer: what is wrong, or what to do.
  let message: String
  /// The member or parameter that is wrong; nil if it is none of them.
  let field: String?

  init(_ kind: Kind, _ message: String, field: String? = nil) {
    self.kind = kind
    self.message = message
    self.field = field
  }

  /// A member that has a wrong value.
  static func invalid(_ field: String, _ message: String) -> ServiceFault {
    ServiceFault(.validation(.fieldValidationFailed), "\(field) \(message)", field: field)
  }

  static func notFound(_ what: String, _ name: String) -> ServiceFault {
    ServiceFault(.notFound, "\(what) \(name.prefix(100)) does not exist")
  }

  /// A rejection by the node.
  init(_ reason: String, _ refusal: RefusalKind) {
    switch refusal {
    case .unfit: self.init(.validation(.other), reason)
    case .unknown: self.init(.notFound, reason)
    case .notAllowed: self.init(.accessDenied, reason)
    case .changed: self.init(.conflict, reason)
    case .notNow: self.init(.throttled, reason)
    }
  }

  /// An error that the node threw.
  init(refusing error: any Error) {
    guard case .refused(let reason, let kind) = Reply.refused(error) else {
      self.init(.unavailable, "\(error)")
      return
    }
    self.init(reason, kind)
  }

  /// The node's reply to another command, which is a bug of this program.
  static let unexpected = ServiceFault(.unavailable, "the node sent an unexpected reply")
}

extension ServiceFault {
  var status: Int {
    switch kind {
    case .validation, .incompleteSignature: 400
    case .quotaExceeded: 402
    case .accessDenied, .missingToken, .unknownKey, .badSignature: 403
    case .notFound: 404
    case .conflict: 409
    case .throttled: 429
    case .unavailable: 500
    }
  }

  /// `x-amzn-ErrorType`.
  var type: String {
    switch kind {
    case .accessDenied: "AccessDeniedException"
    case .conflict: "ConflictException"
    case .notFound: "ResourceNotFoundException"
    case .quotaExceeded: "ServiceQuotaExceededException"
    case .throttled: "ThrottlingException"
    case .unavailable: "InternalServerException"
    case .validation: "ValidationException"
    case .missingToken: "MissingAuthenticationTokenException"
    case .unknownKey: "UnrecognizedClientException"
    case .badSignature: "InvalidSignatureException"
    case .incompleteSignature: "IncompleteSignatureException"
    }
  }

  /// The body of the response.
  var document: JSON {
    guard case .validation(let reason) = kind else {
      return .object(["message": .string(message)])
    }
    let fields = field.map { name in
      [JSON.object(["name": .string(name), "message": .string(message)])]
    }
    return .object([
      "message": .string(message), "reason": .string(reason.rawValue),
      "fieldList": .array(fields ?? []),
    ])
  }

  /// The fault as the `Error` of one item of a batch.
  var batchItem: JSON {
    let code =
      switch kind {
      case .accessDenied, .missingToken, .unknownKey, .badSignature, .incompleteSignature,
        .quotaExceeded:
        "AccessDeniedError"
      case .conflict: "ConflictError"
      case .notFound: "ResourceNotFoundError"
      case .throttled: "ThrottlingError"
      case .unavailable: "InternalServerError"
      case .validation: "ValidationError"
      }
    return .object(["Code": .string(code), "Message": .string(message)])
  }
}

/// Cognito Sync.
extension ServiceFault {
  var syncStatus: Int {
    switch kind {
    case .validation(.unknownOperation): 404
    case .quotaExceeded: 400
    default: status
    }
  }

  /// `x-amzn-ErrorType`.
  var syncType: String {
    switch kind {
    case .accessDenied: "NotAuthorizedException"
    case .conflict: "ResourceConflictException"
    case .notFound: "ResourceNotFoundException"
    case .quotaExceeded: "LimitExceededException"
    case .throttled: "TooManyRequestsException"
    case .unavailable: "InternalErrorException"
    case .validation(.unknownOperation): "UnknownOperationException"
    case .validation: "InvalidParameterException"
    case .missingToken, .unknownKey, .badSignature, .incompleteSignature: type
    }
  }
}
