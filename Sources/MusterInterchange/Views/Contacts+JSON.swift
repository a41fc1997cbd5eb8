public import MusterModel

extension ContactSummary {
  /// The JSON of `contact list`.
  public var json: JSON {
    contact.json(otherPhones: otherPhones).adding([
      "callsign": .string(callsign), "writtenAt": .time(writtenAt),
    ])
  }
}

extension AlertContact {
  /// The JSON of a contact in an alert.
  var json: JSON {
    contact.json(otherPhones: otherPhones).adding([
      "distanceMetres": .known(distanceMetres, JSON.integer),
      "bearingDegrees": .known(bearingDegrees, JSON.integer),
    ])
  }
}

extension EmergencyContact {
  fileprivate func json(otherPhones: [String]) -> JSON {
    JSON.object([
      "id": .id(id), "name": .string(name), "phone": .string(phone),
      "otherPhones": .strings(otherPhones), "note": .string(note),
    ]).adding(JSON.place(position))
  }
}
