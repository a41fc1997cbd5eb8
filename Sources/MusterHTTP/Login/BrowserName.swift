/// The name of a browser and its system, by `User-Agent`. Of the header only known words are used,
/// so that a client cannot write a text of its own into the list of devices.
enum BrowserName {
  /// Browsers state the names of those that they are compatible with: the more specific first.
  private static let browsers = [
    ("Edg", "Edge"), ("OPR/", "Opera"), ("SamsungBrowser", "Samsung Internet"),
    ("FxiOS", "Firefox"), ("Firefox", "Firefox"), ("CriOS", "Chrome"), ("Chrome", "Chrome"),
    ("Safari", "Safari"),
  ]
  private static let systems = [
    ("Android", "Android"), ("iPhone", "iPhone"), ("iPad", "iPad"), ("Windows", "Windows"),
    ("CrOS", "ChromeOS"), ("Mac OS X", "macOS"), ("Linux", "Linux"),
  ]

  /// Returns a name such as `Chrome on Android`.
  static func name(of userAgent: String?) -> String {
    let text = (userAgent ?? "").prefix(1024)
    func known(_ names: [(String, String)]) -> String? {
      names.first { text.contains($0.0) }?.1
    }
    let browser = known(browsers) ?? "Browser"
    return known(systems).map { "\(browser) on \($0)" } ?? browser
  }
}
