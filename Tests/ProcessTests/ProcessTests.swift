import Testing

/// The program in use: real processes of the built `muster`, real sockets on loopback, real
/// databases. One test at a time, because each one fully loads a small machine.
@Suite(.serialized, .timeLimit(.minutes(30)))
enum ProcessTests {}
