import Foundation
import MusterTestKit
import Testing

extension Trait where Self == ConditionTrait {
  /// `Tests/Verifier`.
  static var needsVerifier: Self {
    .enabled(if: try Python.has("nacl"), "needs python3 with PyNaCl")
  }

  /// A server of `PostgresCluster`.
  static var needsPostgreSQL: Self {
    .enabled(
      if: PostgresCluster.isInstalled && Installed.has("psql", "setpriv"),
      "needs postgresql and postgresql-postgis")
  }

  /// `Tests/Browser/queue.mjs`.
  static var needsNode: Self {
    .enabled(if: try Python.has("sys") && Installed.has("node"), "needs python3 and nodejs")
  }

  /// `Tests/Browser`.
  static var needsBrowser: Self {
    .enabled(
      if: try Python.has("selenium")
        && Installed.has("chromium", "chromedriver", "pdftoppm")
        && Installed.hasFile(URL(filePath: "/usr/share/javascript/leaflet/leaflet.js")),
      "needs python3 with selenium, chromium, chromium-driver, libjs-leaflet and poppler-utils")
  }
}
