/// A page of a layer's features, and the cursor of the next page.
struct FeaturePage {
  private(set) var features: [String] = []
  /// Nil after the last page.
  private(set) var next: String?

  /// Creates an empty page.
  init(next: String? = nil) { self.next = next }

  /// Continues the page with those that follow it.
  mutating func append(_ more: FeaturePage) {
    features += more.features
    next = more.next
  }

  /// Collects the wanted features of items, until one more than fits into the page is found.
  ///
  /// - Parameters:
  ///   - items: those after the cursor of this page, in order.
  ///   - isLast: whether no items follow these.
  ///   - limit: how many features fit; at least 1.
  ///   - cursor: where the page after an item begins.
  ///   - row: reads an item; nil if it has no feature.
  init<Item>(
    of items: some Sequence<Item>, isLast: Bool = true, limit: Int, cursor: (Item) -> String,
    row: (Item) async throws -> Rows.Row?, where isWanted: (Rows.Row) -> Bool
  ) async throws {
    var end: String?
    for item in items {
      if let row = try await row(item), !row.feature.isEmpty, isWanted(row) {
        guard features.count < limit else {
          next = end
          return
        }
        features.append(row.feature)
      }
      end = cursor(item)
    }
    next = isLast ? nil : end
  }
}
