internal import MusterNode

/// One adapter that bluetoothd lets scan and advertise for this program.
///
/// ```
///   GetManagedObjects ─▶ adapter ─▶ SetDiscoveryFilter, StartDiscovery ─▶ signals ─▶ DeviceTable
///                               └─▶ RegisterAdvertisement ─▶ bluetoothd reads it by GetAll
/// ```
///
/// A session ends by an error if bluetoothd, the adapter or its power changes: the caller opens
/// another. When its connection closes, bluetoothd stops both by itself.
final class BluezSession {
  private static let daemon = "org.bluez"
  private static let adapterInterface = "org.bluez.Adapter1"
  private static let managerInterface = "org.bluez.LEAdvertisingManager1"
  private static let deviceInterface = "org.bluez.Device1"
  private static let objectsInterface = "org.freedesktop.DBus.ObjectManager"
  private static let advertisementPath = "/muster/advertisement"

  private enum Advertisement {
    case none
    case registering(RadioPlan, serial: UInt32)
    case registered(RadioPlan)
    case refused(RadioPlan, BluetoothProblem)
  }

  private let bus: BusConnection
  /// The connection of bluetoothd: messages of others do not count.
  private let owner: String
  /// The object of the adapter.
  private let path: String
  private let canAdvertise: Bool
  private var devices = DeviceTable()
  private var isScanning = false
  private var advertisement = Advertisement.none

  /// Connects, and chooses an adapter: one that is switched on, if there are several.
  ///
  /// - Parameter address: that of the bus; nil for the system bus.
  init(_ address: String?) throws(BluetoothProblem) {
    bus = try Self.connection(address)
    let reply = try Self.ask(
      BusMessage(
        calling: "GetManagedObjects", of: Self.objectsInterface, at: "/", on: Self.daemon),
      on: bus)
    owner = reply.sender
    let objects = (reply.values.first?.table ?? [:]).sorted { $0.key < $1.key }
    let adapters = objects.filter { $0.value.table?[Self.adapterInterface] != nil }
    let powered = adapters.first {
      $0.value.table?[Self.adapterInterface]?.table?["Powered"]?.bool == true
    }
    guard let first = adapters.first else { throw .noAdapter }
    guard let powered else { throw .switchedOff(adapter: Self.name(of: first.key)) }
    path = powered.key
    canAdvertise = powered.value.table?[Self.managerInterface] != nil
    for (path, object) in objects {
      guard let known = object.table?[Self.deviceInterface]?.table else { continue }
      // A signal that was measured before is no sighting of now.
      _ = devices.update(path, known)
    }
  }

  private static func connection(_ address: String?) throws(BluetoothProblem) -> BusConnection {
    do throws(BusConnection.Fault) {
      let bus = try BusConnection(address)
      try bus.subscribe("type='signal',sender='\(daemon)'")
      try bus.subscribe(
        "type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg0='\(daemon)'")
      return bus
    } catch {
      throw BluetoothProblem(error) == .noPermission ? .noPermission : .noBus
    }
  }

  @discardableResult
  private static func ask(
    _ message: BusMessage, on bus: BusConnection
  ) throws(BluetoothProblem) -> BusMessage {
    do throws(BusConnection.Fault) {
      return try bus.call(message)
    } catch {
      throw BluetoothProblem(error)
    }
  }

  /// Such as `hci0`.
  var adapter: String { Self.name(of: path) }

  private static func name(of path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
  }

  // MARK: - Scanning

  var scanning: ProximityState { isScanning ? .on : .off }

  /// Starts to scan for devices that advertise Exposure Notification, if that is not done.
  func scan() throws(BluetoothProblem) {
    guard !isScanning else { return }
    let filter: [String: BusValue] = [
      "Transport": .text("le"), "DuplicateData": .bool(true),
      "UUIDs": .list([.text(ExposureService.uuid)]),
    ]
    do throws(BusConnection.Fault) {
      _ = try bus.call(call("SetDiscoveryFilter", Self.adapterInterface, [.table(filter)]))
      _ = try bus.call(call("StartDiscovery", Self.adapterInterface))
    } catch {
      // This connection scans already.
      guard error.name == "org.bluez.Error.InProgress" else { throw BluetoothProblem(error) }
    }
    isScanning = true
  }

  private func call(
    _ method: String, _ interface: String, _ values: [BusValue] = []
  ) -> BusMessage {
    BusMessage(calling: method, of: interface, at: path, on: Self.daemon, values)
  }

  // MARK: - Advertising

  var advertising: ProximityState {
    switch advertisement {
    case .registered: .on
    case .registering: .unknown
    case .none, .refused: .off
    }
  }

  var advertisingProblem: BluetoothProblem? {
    if case .refused(_, let problem) = advertisement { problem } else { nil }
  }

  /// Advertises a plan instead of the plan before. The kernel draws another address for each
  /// registration of an advertisement that accepts no connection.
  func advertise(_ plan: RadioPlan) throws(BluetoothProblem) {
    switch advertisement {
    case .registering: return
    case .registered(plan), .refused(plan, _): return
    case .registered:
      try Self.ask(
        call("UnregisterAdvertisement", Self.managerInterface, [.path(Self.advertisementPath)]),
        on: bus)
    case .none, .refused: break
    }
    guard canAdvertise else {
      advertisement = .refused(plan, .cannotAdvertise(adapter: adapter))
      return
    }
    // bluetoothd reads the advertisement before it replies: this call must not block.
    let serial = bus.send(
      call(
        "RegisterAdvertisement", Self.managerInterface,
        [.path(Self.advertisementPath), .table([:])]))
    advertisement = .registering(plan, serial: serial)
  }

  private func properties(of plan: RadioPlan) -> BusValue {
    var properties: [String: BusValue] = [
      "Type": .text("broadcast"), "ServiceUUIDs": .list([.text(ExposureService.uuid)]),
      "ServiceData": .table([ExposureService.uuid: .bytes(plan.serviceData)]),
    ]
    if !plan.name.isEmpty { properties["LocalName"] = .text(plan.name) }
    return .table(properties)
  }

  // MARK: - Receiving

  /// Processes messages for some milliseconds. Returns the sightings.
  func receive(for milliseconds: Int) throws(BluetoothProblem) -> [RadioReport.Received] {
    let clock = ContinuousClock()
    let end = clock.now.advanced(by: .milliseconds(milliseconds))
    var received: [RadioReport.Received] = []
    while true {
      let rest = clock.now.duration(to: end) / .milliseconds(1)
      guard rest > 0, received.count < Self.mostReceived else { return received }
      guard let message = bus.next(waiting: Int32(rest.rounded(.up))) else {
        if !bus.isConnected { throw .noBus }
        continue
      }
      if let sighting = try process(message) { received.append(sighting) }
    }
  }

  private static let mostReceived = 10_000

  private func process(_ message: BusMessage) throws(BluetoothProblem) -> RadioReport.Received? {
    if message.member == "NameOwnerChanged", message.sender == "org.freedesktop.DBus" {
      throw .noDaemon
    }
    if message.member == "Disconnected", message.sender.isEmpty { throw .noBus }
    guard message.sender == owner else {
      // The bus itself replies if bluetoothd has ended.
      if message.kind == .error { finishRegistering(message) }
      return nil
    }
    switch message.kind {
    case .signal: return try processSignal(message)
    case .call: answer(message)
    case .reply, .error: finishRegistering(message)
    case .other: break
    }
    return nil
  }

  private func processSignal(
    _ message: BusMessage
  ) throws(BluetoothProblem) -> RadioReport.Received? {
    let values = message.values
    switch message.member {
    case "InterfacesAdded":
      guard values.count == 2, let object = values[0].path,
        let device = values[1].table?[Self.deviceInterface]?.table
      else { return nil }
      return devices.update(object, device)
    case "InterfacesRemoved":
      guard let object = values.first?.path else { return nil }
      if object == path { throw .noAdapter }
      devices.remove(object)
      return nil
    case "PropertiesChanged":
      guard values.count > 1, let changed = values[1].table else { return nil }
      if message.path == path, changed["Powered"]?.bool == false {
        throw .switchedOff(adapter: adapter)
      }
      guard values[0].text == Self.deviceInterface else { return nil }
      return devices.update(message.path, changed)
    default: return nil
    }
  }

  /// bluetoothd reads the advertisement, or releases it.
  private func answer(_ message: BusMessage) {
    var reply: BusMessage?
    switch (message.path, message.member, advertisement) {
    case (Self.advertisementPath, "GetAll", .registering(let plan, _)),
      (Self.advertisementPath, "GetAll", .registered(let plan)):
      reply = message.reply([properties(of: plan)])
    case (Self.advertisementPath, "Release", _):
      advertisement = .none
      reply = message.reply()
    default: reply = message.unknownMethod()
    }
    if let reply { bus.send(reply) }
  }

  private func finishRegistering(_ message: BusMessage) {
    guard case .registering(let plan, let serial) = advertisement,
      message.replySerial == serial
    else { return }
    guard message.kind == .error else {
      advertisement = .registered(plan)
      return
    }
    let fault = BusConnection.Fault(
      name: message.errorName, text: message.values.first?.text ?? "")
    advertisement = .refused(plan, BluetoothProblem(fault))
  }
}
