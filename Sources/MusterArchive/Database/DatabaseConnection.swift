internal import CPostgreSQL

/// A connection to PostgreSQL by libpq. It blocks, and belongs to one task.
///
/// - Every failure is an `ArchiveFault`, without passwords.
/// - After a lost connection every call fails; the owner opens a new one.
final class DatabaseConnection {
  private let handle: OpaquePointer

  /// Connects.
  ///
  /// - Parameter url: `postgres://USER:PASSWORD@HOST/DATABASE`, or another form that libpq accepts.
  ///   Its parts default to libpq's environment variables and `~/.pgpass`.
  init(to url: String) throws(ArchiveFault) {
    // Later entries override earlier ones, and the URL is expanded in its place.
    // Keepalives end a connection whose server is gone, where a query would wait for hours.
    let settings = [
      ("connect_timeout", "10"), ("keepalives_idle", "30"), ("keepalives_interval", "10"),
      ("keepalives_count", "3"), ("dbname", url), ("fallback_application_name", "muster-archive"),
      ("client_encoding", "UTF8"),
    ]
    let opened = Self.withCStrings(settings.map(\.0)) { names in
      Self.withCStrings(settings.map(\.1)) { PQconnectdbParams(names, $0, 1) }
    }
    guard let opened else { throw ArchiveFault("there is no memory for a connection") }
    guard PQstatus(opened) == CONNECTION_OK else {
      let reason = Self.line(PQerrorMessage(opened))
      PQfinish(opened)
      throw Self.unreachable(reason)
    }
    handle = opened
    PQsetNoticeProcessor(handle, { _, _ in }, nil)
    // An acknowledged frame must survive a power failure of the server.
    // Compilation costs more than any query of an archive takes.
    try script("SET synchronous_commit = on; SET jit = off; SET search_path = muster, public")
  }

  deinit { PQfinish(handle) }

  /// Runs statements without parameters or results.
  func script(_ sql: String) throws(ArchiveFault) {
    let result = PQexec(handle, sql)
    defer { PQclear(result) }
    guard PQresultStatus(result) == PGRES_COMMAND_OK || PQresultStatus(result) == PGRES_TUPLES_OK
    else { throw fault(of: result) }
  }

  /// Runs one statement, and returns its rows.
  @discardableResult
  func run(_ sql: String, _ parameters: [SQLValue] = []) throws(ArchiveFault) -> [SQLRow] {
    let result = perform(sql, parameters)
    defer { PQclear(result) }
    guard PQresultStatus(result) == PGRES_COMMAND_OK || PQresultStatus(result) == PGRES_TUPLES_OK
    else { throw fault(of: result) }
    let columns = PQnfields(result)
    return (0..<PQntuples(result)).map { row in
      SQLRow(columns: (0..<columns).map { Self.value(result, row, $0) })
    }
  }

  /// Runs one statement, and returns how many rows it changed.
  func change(_ sql: String) throws(ArchiveFault) -> Int {
    let result = PQexec(handle, sql)
    defer { PQclear(result) }
    guard PQresultStatus(result) == PGRES_COMMAND_OK else { throw fault(of: result) }
    return Self.changed(by: result)
  }

  /// Sends rows with a `COPY … FROM STDIN (FORMAT binary)`, while they are encoded.
  ///
  /// - Returns: how many rows the server stored.
  func copy<Row>(
    _ sql: String, _ rows: [Row], _ append: (Row, inout CopyData) -> Void
  ) throws(ArchiveFault) -> Int {
    let begun = PQexec(handle, sql)
    defer { PQclear(begun) }
    guard PQresultStatus(begun) == PGRES_COPY_IN else { throw fault(of: begun) }
    var data = CopyData()
    var isSent = true
    for row in rows where isSent {
      append(row, &data)
      if data.size >= Self.copyBytes { isSent = send(&data) }
    }
    data.end()
    isSent = isSent && send(&data)
    let isEnded = PQputCopyEnd(handle, isSent ? nil : "the sender failed") == 1
    var (stored, failure): (Int, ArchiveFault?) = (0, nil)
    while let result = PQgetResult(handle) {
      if PQresultStatus(result) == PGRES_COMMAND_OK {
        stored = Self.changed(by: result)
      } else if failure == nil {
        failure = fault(of: result)
      }
      PQclear(result)
    }
    if let failure { throw failure }
    guard isSent, isEnded else { throw fault(of: nil) }
    return stored
  }

  private func send(_ data: inout CopyData) -> Bool {
    data.take { buffer in
      PQputCopyData(
        handle, buffer.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(buffer.count)) == 1
    }
  }

  private static func changed(by result: OpaquePointer?) -> Int {
    PQcmdTuples(result).flatMap { Int(String(cString: $0)) } ?? 0
  }

  /// Runs a statement that waits for a lock.
  ///
  /// - Parameter span: the longest wait, as PostgreSQL writes it.
  /// - Returns: whether it was granted in time.
  func lock(_ sql: String, within span: String) throws(ArchiveFault) -> Bool {
    try script("SET lock_timeout = '\(span)'")
    let result = PQexec(handle, sql)
    defer { PQclear(result) }
    let isGranted = PQresultStatus(result) == PGRES_TUPLES_OK
    guard isGranted || Self.state(of: result) == Self.lockNotAvailable else {
      throw fault(of: result)
    }
    try script("SET lock_timeout = 0")
    return isGranted
  }

  /// Releases a lock of the session. Fails only with the connection, and the server then releases
  /// it itself.
  func release(_ sql: String) { PQclear(PQexec(handle, sql)) }

  /// Rolls back. Fails only with the connection, and the server then rolls back itself.
  func rollBack() { PQclear(PQexec(handle, "ROLLBACK")) }

  /// Performs work in one transaction: all of it is stored, or nothing.
  func transaction<Result>(
    _ work: () throws -> Result
  ) throws -> Result {
    try script("BEGIN")
    let result: Result
    do {
      result = try work()
    } catch {
      rollBack()
      throw error
    }
    try script("COMMIT")
    return result
  }

  /// Whether the connection can be used.
  var isUsable: Bool { PQstatus(handle) == CONNECTION_OK }

  // MARK: libpq

  /// About what a socket takes at once.
  private static let copyBytes = 128 << 10

  private func perform(_ sql: String, _ parameters: [SQLValue]) -> OpaquePointer? {
    let contents = parameters.map(\.content)
    let lengths = contents.map { Int32($0?.count ?? 0) }
    let formats: [Int32] = parameters.map { $0.isBinary ? 1 : 0 }
    // Text values end with a zero byte, which the length of binary ones excludes.
    var pointers: [UnsafePointer<CChar>?] = []
    var buffers: [UnsafeMutablePointer<CChar>] = []
    defer { for buffer in buffers { buffer.deallocate() } }
    for content in contents {
      guard let content else {
        pointers.append(nil)
        continue
      }
      let buffer = UnsafeMutablePointer<CChar>.allocate(capacity: content.count + 1)
      for (index, byte) in content.enumerated() { buffer[index] = CChar(bitPattern: byte) }
      buffer[content.count] = 0
      buffers.append(buffer)
      pointers.append(UnsafePointer(buffer))
    }
    return PQexecParams(
      handle, sql, Int32(parameters.count), nil, pointers, lengths, formats, 1)
  }

  private static func value(_ result: OpaquePointer?, _ row: Int32, _ column: Int32) -> [UInt8]? {
    guard PQgetisnull(result, row, column) == 0, let start = PQgetvalue(result, row, column) else {
      return nil
    }
    let length = Int(PQgetlength(result, row, column))
    return Array(UnsafeRawBufferPointer(start: start, count: length))
  }

  private static func withCStrings<Result>(
    _ strings: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result?
  ) -> Result? {
    let copies = strings.map { Array($0.utf8CString) }
    var pointers: [UnsafePointer<CChar>?] = []
    var buffers: [UnsafeMutablePointer<CChar>] = []
    defer { for buffer in buffers { buffer.deallocate() } }
    for copy in copies {
      let buffer = UnsafeMutablePointer<CChar>.allocate(capacity: copy.count)
      buffer.initialize(from: copy, count: copy.count)
      buffers.append(buffer)
      pointers.append(UnsafePointer(buffer))
    }
    pointers.append(nil)
    return pointers.withUnsafeBufferPointer { $0.baseAddress.flatMap(body) }
  }

  // MARK: Failures

  /// SQLSTATE `lock_not_available`.
  private static let lockNotAvailable = "55P03"

  private static func state(of result: OpaquePointer?) -> String? {
    PQresultErrorField(result, Int32(UInt8(ascii: "C"))).map { String(cString: $0) }
  }

  private func fault(of result: OpaquePointer?) -> ArchiveFault {
    let state = Self.state(of: result)
    let reason =
      PQresultErrorField(result, Int32(UInt8(ascii: "M"))).map { String(cString: $0) }
      ?? Self.line(PQerrorMessage(handle))
    guard PQstatus(handle) == CONNECTION_OK else {
      return ArchiveFault(
        "the connection to PostgreSQL was lost: \(reason); nothing of the last transaction was "
          + "stored", isTransient: true)
    }
    switch state?.prefix(2) {
    case "55" where state == Self.lockNotAvailable:
      return ArchiveFault(
        "another program holds the lock of the operation: end it, or wait", isTransient: true)
    case "53":
      return ArchiveFault(
        "PostgreSQL cannot store now: \(reason); free space or memory on the server, then run "
          + "this again", isTransient: true)
    case "40", "57":
      return ArchiveFault(
        "PostgreSQL interrupted the transaction: \(reason); run this again", isTransient: true,
        isCanceled: state == "57014")
    case "42" where state == "42501":
      return ArchiveFault(
        "PostgreSQL refuses: \(reason); connect as the owner of the archive, or grant the role "
          + "CREATE on the database")
    case "23":
      return ArchiveFault(
        "the tables of the archive do not fit each other: \(reason); restore the whole database, "
          + "or create a new one and import again")
    default: return ArchiveFault("PostgreSQL refuses: \(reason)")
    }
  }

  private static func unreachable(_ reason: String) -> ArchiveFault {
    // libpq quotes a malformed URL, and the password in it.
    if reason.contains("://") || reason.contains("connection string") {
      return ArchiveFault("--database is malformed: use postgres://USER@HOST/DATABASE")
    }
    let isRefused =
      reason.contains("authentication failed") || reason.contains("no password supplied")
      || (reason.contains("role \"") && reason.contains("does not exist"))
    if isRefused {
      return ArchiveFault(
        "PostgreSQL rejects the credentials: check the user and the password in --database or "
          + "~/.pgpass (\(reason))")
    }
    if reason.contains("certificate") {
      return ArchiveFault(
        "the certificate of PostgreSQL is rejected: check the clock of this machine, the host in "
          + "--database, and sslrootcert (\(reason))", isTransient: true)
    }
    if reason.contains("database \""), reason.contains("does not exist") {
      return ArchiveFault("\(reason): create it with `createdb`, or correct --database")
    }
    return ArchiveFault(
      "PostgreSQL cannot be reached: check --database, and that the server runs (\(reason))",
      isTransient: true)
  }

  /// Returns a message of libpq on one line.
  private static func line(_ message: UnsafePointer<CChar>?) -> String {
    let text = message.map { String(cString: $0) } ?? ""
    return text.split(whereSeparator: \.isNewline)
      .map { $0.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
      .joined(separator: "; ")
  }
}
