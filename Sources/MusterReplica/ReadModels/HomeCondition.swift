public import MusterModel

/// The condition of the machine that holds this replica, as its node observes it. The replica has
/// no access to it; it reports the condition in `status` and in alerts.
public struct HomeCondition: Hashable, Sendable {
  /// Why the folder of the sentinel cannot be written, and what to do, in one line; nil while it
  /// can.
  public var stateFolderProblem: String?
  /// Free space on the disk of the database, in bytes; nil if unknown.
  public var freeBytes: UInt64?
  /// Why the position source gives no fix, and what to do, in one line; nil while it does, or
  /// without one.
  public var positionProblem: Phrase?
  /// Whether names under the shared token of phones find no place any more.
  public var isPhoneTableFull = false
  /// Webhooks that have stopped, by name; nil while it is not known, such as soon after a start:
  /// the alerts about them then stay as they are.
  public var stoppedWebhooks: [StoppedWebhook]?
}
