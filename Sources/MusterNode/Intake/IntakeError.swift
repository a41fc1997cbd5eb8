/// Why a picture is not taken in. Nothing was stored.
public enum IntakeError: Error, Hashable, Sendable {
  /// There are no bytes.
  case empty
  /// The file is larger than `ImageIntake.mostBytes`.
  case oversized
  /// No format that is read.
  case notAPicture
  /// More pixels than the helper decodes.
  case tooManyPixels
  /// It ends early, or does not decode.
  case damaged
  /// It needs more memory than the helper may use.
  case outOfMemory
  /// The helper did not answer in time, and was ended.
  case timedOut
  /// The helper ended before its answer, or its answer is not valid.
  case helperFailed
  /// The program of the helper is not beside this one.
  case helperMissing(String)
  /// The helper does not start: as a rule, a library is missing.
  case helperUnusable
  /// The system does not let the helper give up its rights.
  case notConfined
}

extension IntakeError: CustomStringConvertible {
  /// One line for the user: what failed and what to do.
  public var description: String {
    switch self {
    case .empty: "the file is empty: choose a picture"
    case .oversized:
      "the file is larger than \(ImageIntake.mostBytes >> 20) MiB: choose a smaller picture"
    case .notAPicture: "this is not a picture that Muster reads: JPEG, PNG, WebP or HEIF"
    case .tooManyPixels:
      "the picture has too many pixels (JPEG and PNG: at most 200 million, WebP and HEIF: "
        + "50 million): scale it down first"
    case .damaged: "the picture is damaged or incomplete: copy it from the camera again"
    case .outOfMemory: "the picture needs too much memory: scale it down first"
    case .timedOut: "the picture took longer than 30 s to read: scale it down first"
    case .helperFailed:
      "the picture could not be read (muster-image stopped): try again, or save it as JPEG first"
    case .helperMissing(let path):
      "photos cannot be added on this computer: \(path) is missing; install Muster again"
    case .helperUnusable:
      "photos cannot be added on this computer: muster-image does not start; "
        + "install libvips (Debian: apt-get install libvips42)"
    case .notConfined:
      "photos cannot be added on this computer: the system does not let muster-image give up its "
        + "rights (seccomp on Linux)"
    }
  }
}

extension IntakeError {
  init(_ fault: Helper.Fault) {
    self =
      switch fault {
      case .missing(let path): .helperMissing(path)
      case .unusable: .helperUnusable
      case .notConfined: .notConfined
      case .timedOut: .timedOut
      case .failed, .unreadable: .helperFailed
      }
  }
}
