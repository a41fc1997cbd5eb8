import MusterModel
import Testing

@testable import MusterCrypto

/// The field of check-ins that only command can read (decision 0047).
@Suite("The field of a check-in under duress")
struct DuressFieldTests {
  private var random = DeterministicRandom(seed: [UInt8](repeating: 1, count: 32))
  private let context = DuressField.Context(
    operation: OperationID(raw: Bytes16(high: 1, low: 1)),
    device: DeviceID(raw: Bytes16(high: 2, low: 2)), row: RowID(raw: Bytes16(high: 3, low: 3)))

  private mutating func keys(_ count: Int) -> [AgreementKey] {
    (0..<count).map { _ in random.agreementKey() }
  }

  @Test func `each of up to sixteen recipients reads a call, and no one else does`() {
    var test = self
    for count in [0, 1, 3, 16, 20] {
      let keys = test.keys(count)
      let field = DuressField.make(
        isCall: true, to: keys.map(\.publicKey), context: context, drawn: test.random.agreementKey()
      )
      #expect(field.count == DuressField.byteCount && field.count == Limits.sealedCallBytes)
      for (number, key) in keys.enumerated() {
        #expect(
          DuressField.isCall(field, to: key, context: context) == (number < 16),
          "recipient \(number) of \(count)")
      }
      let stranger = test.random.agreementKey()
      #expect(!DuressField.isCall(field, to: stranger, context: context))
    }
  }

  @Test func `a field without a call has the same size and calls no one`() {
    var test = self
    let keys = test.keys(3)
    let field = DuressField.make(
      isCall: false, to: keys.map(\.publicKey), context: context, drawn: test.random.agreementKey())
    #expect(field.count == DuressField.byteCount)
    for key in keys { #expect(!DuressField.isCall(field, to: key, context: context)) }
  }

  @Test func `the same drawn key never gives two fields that share a part`() {
    var test = self
    let keys = test.keys(2).map(\.publicKey)
    let drawn = test.random.agreementKey()
    let other = DuressField.Context(
      operation: context.operation, device: context.device,
      row: RowID(raw: Bytes16(high: 3, low: 4)))
    let fields = [(true, context), (false, context), (true, other), (false, other)].map {
      DuressField.make(isCall: $0, to: keys, context: $1, drawn: drawn)
    }
    let parts = fields.flatMap { field in
      [Array(field.prefix(32))] + stride(from: 32, to: 160, by: 8).map { Array(field[$0..<$0 + 8]) }
    }
    #expect(Set(parts).count == parts.count)
    #expect(fields[0] == DuressField.make(isCall: true, to: keys, context: context, drawn: drawn))
  }

  @Test func `a call that was copied, changed or cut calls no one`() {
    var test = self
    let key = test.random.agreementKey()
    let field = DuressField.make(
      isCall: true, to: [key.publicKey], context: context, drawn: test.random.agreementKey())
    let elsewhere = [
      DuressField.Context(
        operation: OperationID(raw: Bytes16(high: 9, low: 1)), device: context.device,
        row: context.row),
      DuressField.Context(
        operation: context.operation, device: DeviceID(raw: Bytes16(high: 9, low: 2)),
        row: context.row),
      DuressField.Context(
        operation: context.operation, device: context.device,
        row: RowID(raw: Bytes16(high: 9, low: 3))),
    ]
    for other in elsewhere { #expect(!DuressField.isCall(field, to: key, context: other)) }
    for index in 0..<40 {
      var changed = field
      changed[index] ^= 1
      #expect(!DuressField.isCall(changed, to: key, context: context), "byte \(index)")
    }
    for count in [0, 31, 32, 40, 159] {
      #expect(!DuressField.isCall(Array(field.prefix(count)), to: key, context: context))
    }
    #expect(!DuressField.isCall(field + [0], to: key, context: context))
    let zeros = [UInt8](repeating: 0, count: DuressField.byteCount)
    #expect(!DuressField.isCall(zeros, to: key, context: context), "a key of small order")
  }
}
