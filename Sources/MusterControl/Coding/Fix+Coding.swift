internal import MusterModel

extension WirePosition {
  init(_ coordinate: Coordinate) {
    self.init()
    latitudeE7 = coordinate.latitudeE7
    longitudeE7 = coordinate.longitudeE7
  }

  var coordinate: Coordinate {
    get throws(ControlFault) {
      guard
        let coordinate = Coordinate(
          latitudeE7: Int64(latitudeE7), longitudeE7: Int64(longitudeE7))
      else { throw .malformed("position out of range") }
      return coordinate
    }
  }
}

extension WireFix {
  init(_ fix: Fix) {
    self.init()
    position = WirePosition(fix.position)
    if let accuracy = fix.accuracyDecimetres { accuracyDecimetres = accuracy }
    sampleTime = fix.sampleTime.milliseconds
  }

  var fix: Fix {
    get throws(ControlFault) {
      guard hasPosition else { throw .malformed("fix without a position") }
      return Fix(
        position: try position.coordinate,
        accuracyDecimetres: hasAccuracyDecimetres ? accuracyDecimetres : nil,
        sampleTime: Timestamp(milliseconds: sampleTime))
    }
  }
}

extension WirePositionReport {
  init(_ report: PositionReport) {
    self.init()
    fix = WireFix(report.fix)
    reportedAt = report.reportedAt.milliseconds
  }

  var report: PositionReport {
    get throws(ControlFault) {
      guard hasFix else { throw .malformed("position report without a fix") }
      return PositionReport(fix: try fix.fix, reportedAt: Timestamp(milliseconds: reportedAt))
    }
  }
}
