/// The texts of the story, in one place for both input and expectations.
enum Script {
  static let operation = "Valley flood"
  static let camp = "Camp"
  /// On the shipped track, whose last third is inside.
  static let campCircle = "40.3998500,-7.5390500,200"
  static let speed = "120"

  static let bridge = "Bridge at the mill"
  static let tree = "Tree across the road"
  static let houses = "Houses by the river"

  static let bridgeByCommand = "Bridge closed, use the ford"
  static let bridgeByOwner = "Bridge is gone"
  static let treeByOwner = "Two cars are under it"
  static let treeSeverity = 5

  static let landing = "Helicopter lands at the school"
  static let roof = "Family of four on a roof"
  static let gas = "Smell of gas at the bakery"
  static let comment = "Seen it too: the left arch is cracked"
  static let note = "Twisted my ankle at the chapel"
}

/// The reports of the story by their names in it. All laptops have the first three before the link
/// is cut; the others are added meanwhile.
struct Reports: Sendable {
  let bridge: String
  let tree: String
  let houses: String
  var landing = ""
  var roof = ""
  var gas = ""

  var count: Int { 6 }
}
