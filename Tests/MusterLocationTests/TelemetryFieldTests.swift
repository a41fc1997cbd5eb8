import Foundation
import MusterLocation
import MusterModel
import Testing

/// Battery and motion in the reports of phones, and the battery of this machine.
struct TelemetryFieldTests {
  @Test func `the fields of OsmAnd, Traccar and OwnTracks are read`() throws {
    let query = try PhoneMessages.form("id=a&lat=46&lon=14&batt=12.4&motion=true")
    #expect((query.batteryPercent, query.isMoving) == (12, true))
    let traccar = try PhoneMessages.json(
      Array(
        """
        {"location":{"coords":{"latitude":46,"longitude":14},"is_moving":false,\
        "battery":{"level":0.5}},"device_id":"a"}
        """.utf8))
    #expect((traccar.first?.batteryPercent, traccar.first?.isMoving) == (50, false))
    let ownTracks = try PhoneMessages.json(
      Array(
        """
        {"_type":"location","lat":46,"lon":14,"tid":"a","batt":7,"motionactivities":["walking"]}
        """.utf8))
    #expect((ownTracks.first?.batteryPercent, ownTracks.first?.isMoving) == (7, true))
  }

  @Test(
    arguments: [("0.85", 85), ("0,5", 50), ("0.07", 7), ("85", 85), ("1", 1), ("0", 0)]
      as [(String, UInt8)])
  func `a battery below one percent is a share`(text: String, percent: UInt8) throws {
    let form = try PhoneMessages.form("id=a&lat=46&lon=14&batt=\(text)")
    #expect(form.batteryPercent == percent)
  }

  @Test func `values out of range and missing ones are unknown`() throws {
    for field in ["", "&batt=101", "&batt=-1", "&batt=nan", "&batt=full", "&motion=maybe"] {
      let report = try PhoneMessages.form("id=a&lat=46&lon=14\(field)")
      #expect(report.batteryPercent == nil && report.isMoving == nil, "\(field)")
    }
  }

  @Test func `the mean of the machine's batteries counts, those of a mouse do not`() throws {
    let files = FileManager.default
    let folder = files.temporaryDirectory.appendingPathComponent(
      "muster-battery-\(ProcessInfo.processInfo.processIdentifier)")
    func supply(_ name: String, _ contents: [String: String]) throws {
      let own = folder.appendingPathComponent(name)
      try files.createDirectory(at: own, withIntermediateDirectories: true)
      for (file, text) in contents {
        try Data((text + "\n").utf8).write(to: own.appendingPathComponent(file))
      }
    }
    #expect(SystemBattery(folder: folder.path).percent() == nil, "no such folder")
    try supply("AC", ["type": "Mains", "online": "1"])
    defer {
      do { try files.removeItem(at: folder) } catch { Issue.record(error) }
    }
    #expect(SystemBattery(folder: folder.path).percent() == nil, "a desktop computer")
    try supply("BAT0", ["type": "Battery", "capacity": "40", "status": "Discharging"])
    try supply("BAT1", ["type": "Battery", "capacity": "103"])
    try supply("mouse", ["type": "Battery", "scope": "Device", "capacity": "3"])
    try supply("broken", ["type": "Battery", "capacity": "unknown"])
    #expect(SystemBattery(folder: folder.path).percent() == 70)
  }
}
