public import MusterModel

/// What a Bluetooth radio is to advertise while it scans.
public struct RadioPlan: Hashable, Sendable {
  /// The identifier and its metadata: service data of Exposure Notification. It changes every ten
  /// minutes.
  public var serviceData: [UInt8]
  /// The name to show; empty if the user does not show one.
  public var name: String

  /// Creates a plan.
  public init(serviceData: [UInt8], name: String) {
    self.serviceData = serviceData
    self.name = name
  }
}

/// What a Bluetooth radio did since its last report.
public struct RadioReport: Hashable, Sendable {
  /// An advertisement of another device.
  public struct Received: Hashable, Sendable {
    /// The identifier.
    public var identifier: Bytes16
    /// The name that the device shows; empty for none.
    public var name: String
    /// The received signal strength in dBm.
    public var rssi: Int8

    /// Creates an advertisement.
    public init(identifier: Bytes16, name: String, rssi: Int8) {
      self.identifier = identifier
      self.name = name
      self.rssi = rssi
    }
  }

  /// Whether it scans.
  public var scanning: ProximityState
  /// Whether it advertises.
  public var advertising: ProximityState
  /// The adapter, such as `hci0`; empty for none.
  public var adapter: String
  /// Why it does not scan or advertise, and what to do; empty if it does both.
  public var problem: String
  /// In the order of arrival.
  public var received: [Received]

  /// Creates a report.
  public init(
    scanning: ProximityState, advertising: ProximityState, adapter: String, problem: String,
    received: [Received]
  ) {
    self.scanning = scanning
    self.advertising = advertising
    self.adapter = adapter
    self.problem = problem
    self.received = received
  }
}
