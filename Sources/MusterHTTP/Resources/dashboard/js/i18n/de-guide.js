// German: the first steps of a new node.

export default {
  guide: "Nächste Schritte",
  "guide.map": "Keine Karte dieses Ortes.",
  "guide.position": "Ihre Position ist nicht bekannt.",
  "guide.position.set": "Auf der Karte setzen",
  "guide.click": "Klicken Sie auf der Karte, wo Sie sind",
  "guide.people": "Noch keine anderen Personen.",
  "guide.zone": "Noch kein Sammelplatz, zu dem alle bei Gefahr gehen.",
  "guide.zone.draw": "Zone zeichnen",
};
