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

  /// Nil for what is not in the form that `docs/wire.md` gives: the record counts as one without a
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

  /// The bytes that it adds to a frame body.
  var encodedSize: Int { wire.bytes.count + 2 }
}

extension BootID {
  /// Survives a restart of the program together with the boot clock, and is another one after a
  /// restart of the machine.
  ///
  /// - Parameter systemBoot: what the operating system calls its present boot.
  public init(operation: OperationID, device: DeviceID, systemBoot: [UInt8]) {
    self.init(raw: Blake2b.hash128(Tag.boot, operation.bytes, device.bytes, systemBoot))
  }
}

extension StampedRecordID {
  /// A frame is named by its hash, one of a body in parts by that of the last.
  public init(_ hash: FrameHash) { self.init(raw: hash.raw.prefix) }

  /// A record is named by the hash that its signature covers.
  public init(_ record: LatestRecord, operation: OperationID) {
    self.init(raw: record.signedHash(operation: operation).prefix)
  }
}
