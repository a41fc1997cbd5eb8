internal import MusterModel

/// A logged-in user.
struct Person: Sendable {
  let name: String
  /// The user that the login is bound to and reports for.
  let user: UserID?
  /// Whether the user is the carrier of a phone, which this device records as a tracker under the
  /// login's name.
  let isCarrier: Bool
  /// Whether the user is that of this node's device, which takes the login's positions as its own.
  let isOwner: Bool
  /// Whether the login reports and answers for its own person only, as all without the rights of
  /// command do.
  let speaksForItself: Bool
  /// How long the login's next call for help or cancellation should wait; nil if its share is not
  /// used up. A call that does not stand yet is never made to wait.
  let callPause: Duration?
  /// Whether the token still has all rights of its login. An endless response MUST check this from
  /// time to time.
  let stays: @Sendable () async -> Bool
  /// Whether the login has expired: its reports are marked.
  var hasExpired = false

  /// Whether calls under duress are shown (decision 0047).
  var seesDuress: Bool { !speaksForItself }

  /// The person or login that this node's device writes for; nil for its own user.
  var principal: Principal? {
    isOwner ? nil : user.map(Principal.person) ?? Principal(login: name)
  }
}
