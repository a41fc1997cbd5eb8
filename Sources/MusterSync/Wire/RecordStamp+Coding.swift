internal import MusterCrypto
public import MusterModel

extension RecordStamp {
  var wire: WireStamp {
    var wire = WireStamp()
    wire.boot = .init(stamp.boot.bytes)
    wire.milliseconds = UInt64(stamp.milliseconds)
    wire.isAnchor = isAnchor
    wire.echoes = .init((echoes ?? []).flatMap(\.bytes))
    return wire
  }

  /// Returns nil for a form that violates docs/wire.md §4. The record counts as one without a
  /// stamp.
  init?(_ wire: WireStamp) {
    let echoed = [UInt8](wire.echoes)
    guard let boot = BootID(bytes: wire.boot), let milliseconds = Int64(exactly: wire.milliseconds),
      let stamp = Stamp(boot: boot, milliseconds: milliseconds),
      wire.isAnchor || echoed.isEmpty, echoed.count % 16 == 0
    else { return nil }
    let names = stride(from: 0, to: echoed.count, by: 16).compactMap {
      StampedRecordID(bytes: echoed[$0..<$0 + 16])
    }
    self.init(stamp, echoes: wire.isAnchor ? names : nil)
  }

  /// The number of bytes that the stamp adds to a frame body.
  var encodedSize: Int { wire.bytes.count + 2 }
}

extension BootID {
  /// Derives the id of the current boot. Like the boot clock, it is the same after a restart of the
  /// program and changes with a restart of the machine.
  ///
  /// - Parameter systemBoot: the operating system's id of the current boot.
  public init(operation: OperationID, device: DeviceID, systemBoot: [UInt8]) {
    self.init(raw: Blake2b.hash128(Tag.boot, operation.bytes, device.bytes, systemBoot))
  }
}

extension StampedRecordID {
  /// Derives the name of a frame from its hash. For a body in parts, pass the hash of the last
  /// frame.
  public init(_ hash: FrameHash) { self.init(raw: hash.raw.prefix) }

  /// Derives the name of a record from the hash that its signature covers.
  public init(_ record: LatestRecord, operation: OperationID) {
    self.init(raw: record.signedHash(operation: operation).prefix)
  }
}
