import MusterModel
import MusterNode
import Testing

@testable import MusterBluetooth

/// What bluetoothd reports, which a device nearby chooses in part.
@Suite struct DeviceTableTests {
  private static let service = "0000FD6F-0000-1000-8000-00805F9B34FB"

  private func properties(_ bytes: [UInt8], rssi: Int = -60) -> [String: BusValue] {
    [
      "ServiceData": .variant([.table([Self.service: .variant([.bytes(bytes)])])]),
      "RSSI": .variant([.integer(rssi)]),
    ]
  }

  @Test func `an identifier and a signal are a sighting, in any order`() throws {
    var table = DeviceTable()
    let bytes = [UInt8](1...20)
    let identifier = try #require(Bytes16(bytes.prefix(16)))
    #expect(table.update("/a", ["RSSI": .integer(-50)]) == nil)
    #expect(table.update("/a", ["Name": .text("Ben")]) == nil)
    let sighting = RadioReport.Received(identifier: identifier, name: "Ben", rssi: -60)
    #expect(table.update("/a", properties(bytes)) == sighting)
    #expect(table.update("/a", ["RSSI": .integer(-40)])?.rssi == -40)
    table.remove("/a")
    #expect(table.update("/a", ["RSSI": .integer(-40)]) == nil)
  }

  @Test(arguments: [0, 15, 16, 19, 21, 255])
  func `data of another length is no identifier`(length: Int) {
    var table = DeviceTable()
    #expect(table.update("/a", properties([UInt8](repeating: 1, count: length))) == nil)
  }

  @Test(arguments: [-128, 21, 127, 128, .min, .max])
  func `a signal out of range is no sighting`(rssi: Int) {
    var table = DeviceTable()
    #expect(table.update("/a", properties([UInt8](1...20), rssi: rssi)) == nil)
  }

  @Test func `values of other types are no sighting`() {
    var table = DeviceTable()
    let values: [BusValue] = [
      .bool(true), .integer(1), .text("x"), .path("/x"), .bytes([1]), .list([]), .table([:]),
      .variant([]), .other,
    ]
    for data in values {
      for rssi in values {
        #expect(
          table.update("/a", ["ServiceData": data, "RSSI": rssi, "Name": data]) == nil)
      }
    }
  }

  @Test func `a hundred thousand addresses are bounded`() {
    var table = DeviceTable()
    for number in 0..<100_000 {
      #expect(table.update("/\(number)", properties([UInt8](1...20))) != nil)
    }
    #expect(table.count <= DeviceTable.mostDevices)
  }
}
