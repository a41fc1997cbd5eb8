/// A whole mesh under one seed.
public struct World {
  public init() {}
}
