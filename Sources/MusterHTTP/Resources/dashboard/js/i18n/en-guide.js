// English: the first steps of a new node, loaded with its page.

export default {
  guide: "Next steps",
  "guide.map": "No map of this place.",
  "guide.position": "Your position is not known.",
  "guide.position.set": "Set it on the map",
  "guide.click": "Click on the map where you are",
  "guide.people": "No other people yet.",
  "guide.zone": "No assembly zone yet: where people go in danger.",
  "guide.zone.draw": "Draw a zone",
};
