extension PhraseKey {
  /// The texts in English, in the form of `PhraseTemplate`. `en-node.js` of the page is the same
  /// catalogue; the other languages have the same keys and placeholders. A test compares them.
  public static let english: [PhraseKey: String] = [
    // Parts of texts
    .text: "{text}",
    .about: "{name}: {reason}",
    .named: "{name} ({reason})",
    .names: "{names}[ and {more} more]",
    .throughLaptop: "{name}, through {via}'s laptop",
    .viaPost: "{name}, via {post}'s post",
    .unknownPerson: "unknown person {id}",
    .unknownTracker: "unknown tracker {id}",
    .toEveryone: "everyone",
    .ofRole: "role {role}",
    .ofTeam: "team {team}",
    .lastKnown: "{text}[; last position {position}][; battery {battery} %]",
    .chatters: "{text}, comes and goes: {n} times in 10 min",
    .seconds: "{n} s",
    .minutes: "{n} min",
    .hours: "{n} h",
    .days: "{n} d",

    // Reasons of a status
    .askedForHelp: "asked for help[: {note}]",
    .needsHelp: "needs help, reported by {by}[: {note}]",
    .underDuress: "checked in under duress",
    .accountedFor: "accounted for by {by}[: {note}]",
    .accountedForByCommand: "accounted for by command",
    .insideHazard: "inside hazard zone {zone}[ and {more} more]",
    .insideHazardPermitted: "inside hazard zone {zone}[ and {more} more], with an entry permit",
    .signedOff: "signed off[: {note}]",
    .rollCallUnanswered: "roll call not answered",
    .evacuateTo: "evacuate[ to {zones: or }]",
    .musterAt: "muster[ to {zones: or }]",
    .checkInDuty: "check-in",
    .deadlinePassed: "{duty}: deadline passed",
    .deadlineMaybePassed: "{duty}: deadline may have passed",
    .stillUnanswered: "no movement, no answer",
    .certificateMissing: "certificate not yet received",
    .trackerMissing: "tracker not yet received",
    .nothingReceived: "nothing received yet",
    .revokedNoContact: "device revoked, no contact",
    .noContactUnknown: "no contact, age unknown",
    .noContactFor: "no contact for more than {span}",
    .atAssembly: "at assembly zone {zone}",
    .reportedSafe: "reported safe[: {note}]",
    .oldPosition: "position older than {span}",
    .positionAgeUnknown: "position of unknown age",
    .noUsablePosition: "no usable position",
    .inContact: "in contact",
    .notListed: "no longer listed",

    // Notes of calls for help that programs write
    .callNote: "{parts:; }",
    .phoneAlarm:
      "alarm by the phone[ ({word})][, battery {battery} %][, made {made} by its clock, "
      + "received {received}]",
    .sharedToken: "by the token of all phones[, from {address}]",
    .unverifiedNote: "unverified call[ in the name of {name}]",
    .madeAt: "made at {time} by the phone's clock",
    .atPosition: "position {position}",
    .fromAddress: "from {address}",

    // Reasons of a respondent
    .notKnownHere: "not known here",
    .seenLater: "first seen after it was issued",
    .seenInside: "seen inside {zone}",
    .seenUnanswered: "seen inside {zone}, has not answered",
    .positionReported: "has reported a position",
    .acknowledgedSelf: "acknowledged[: {note}]",
    .acknowledgedBy: "acknowledged for them by {by}[: {note}]",

    // Alerts about people
    .duressAlert: "{name}: checked in under duress, do not answer where others can see it",
    .calledOff: "{name} called off the call for help: confirm it",
    .silent: "no contact with {names}",
    .silentBehindOne:
      "no contact with {names} and {n} person behind it: {others}|no contact with {names} and "
      + "{n} people behind it: {others}",
    .silentBehindMany:
      "no contact with {names} and {n} person behind them: {others}|no contact with {names} "
      + "and {n} people behind them: {others}",
    .safe: "{name} is safe: {reason}",
    .lowBattery: "{name}: battery low ({percent} %)",
    .sameNames:
      "{count} people are called {name} ({ids}): revoke the old laptop if it is one person, "
      + "or let all but one join again under other callsigns",
    .similarNames:
      "{count} people have names that look alike: {names}; revoke the old laptop if it is one "
      + "person, or let all but one join again under other callsigns",
    .calledLikeRole: "{name} is called like the role {role}",
    .calledLikeID: "{name} is called like the id of {other}",

    // Alerts about orders
    .lateRollcall: "roll call is overdue: {names}",
    .lateEvacuate: "evacuate is overdue: {names}",
    .lateMuster: "muster is overdue: {names}",
    .lateLocate: "locate is overdue: no answer from {names}",
    .lateMessage: "message is overdue: no answer from {names}",
    .doneRollcall: "roll call: everyone is accounted for ({answered} of {expected})",
    .doneEvacuate: "evacuate: everyone is accounted for ({answered} of {expected})",
    .doneMuster: "muster: everyone is accounted for ({answered} of {expected})",
    .orderEvacuate: "evacuate[ to {place: or }][: {text}]",
    .orderGo: "go to {place: or }[: {text}]",
    .orderAssemble: "go to an assembly zone[: {text}]",
    .orderRollCall: "roll call: report that you are safe[: {text}]",
    .orderLocate: "{by} requests your position[: {text}]",
    .orderMessage: "message from {by}[: {text}]",
    .zoneMissing: "a zone that has not arrived here",
    .zoneAway: "{zone}, {way}",
    .zoneHere: "{zone}, where you are",
    .way: "{far} {point} ({degrees}°)",

    // Alerts about check-ins
    .checkInSoon: "[{name}: ]check in now[: {note}]",
    .checkInStill: "[{name}: ]no movement, are you well? Check in: muster checkin ok[: {note}]",
    .checkInDue: "{name}: check-in possibly overdue[: {note}]",
    .checkInOverdue: "{name}: check-in overdue[: {note}]",
    .checkInMissing: "{name}: no check-in received here, unaccounted for[: {note}]",
    .stillOverdue: "{name}: no movement and no answer, overdue[: {note}]",
    .stillMissing: "{name}: no movement and no answer, unaccounted for[: {note}]",
    .checkInsMissed: "[{group}: ]{missed} of {all} missed the check-in: {names}",

    // Alerts about zones
    .youInHazard: "you are inside hazard zone {zone}",
    .youInHazardPermitted: "you are inside hazard zone {zone}, with an entry permit",
    .emptyZone: "no one of role {role} is in {zone}",
    .zoneRule: "zone {zone}: {violations:; }",
    .zoneEmpty: "no one[ of {audience}]",
    .zoneTooFew: "only {count}[ of {audience}], {required} are required",
    .zoneTooMany:
      "{n} person[ of {audience}], at most {allowed} are allowed|{n} people[ of {audience}], "
      + "at most {allowed} are allowed",
    .zoneNotEntered: "no entry[ of {audience}] in time",
    .zoneMaybeNotEntered: "possibly no entry[ of {audience}] in time",
    .nearZone: "{name} is within {metres} m of {zone}",

    // Alerts about calls and reports
    .furtherCalls:
      "and {n} more call for help of {owner}'s trackers: {names}|and {n} more calls for help "
      + "of {owner}'s trackers: {names}",
    .unverifiedCall: "unverified call for help[: {name}]",
    .unverifiedCalls: "{count} unverified calls for help, newest[: {name}]",
    .report: "{by} reports: [{request}. ]{title} ({category}[, {doubt}]). {place}",
    .reportEvacuate: "evacuate",
    .notProven: "not proven",
    .noOneWithin: "No one within {far}",
    .peopleWithin: "{n} person within {far}|{n} people within {far}",
    .inZone: "In zone {zone}",
    .fromZone: "{far} from zone {zone}",
    .fromHere: "{far} from here",
    .unplaced: "No position",
    .manyReports:
      "{by} reports {count} times[, {requests} to evacuate]: {titles:; }[; and {more} more]",

    // Alerts about devices
    .cloned: "{name}'s device ({device}) is in use in two places at once",
    .revokedHere: "this device was revoked: it can no longer write",
    .clockAhead: "this device's clock is {span} ahead of the others: correct it",
    .clockBehind: "this device's clock is {span} behind the others: correct it",
    .noPositionFrom:
      "this laptop gets no position from {source} ({state}): check the receiver; others see "
      + "only your last position",
    .uselessSource:
      "{source} sends data, but no position[ ({fault})]: set the receiver to NMEA 0183 with "
      + "RMC or GGA, and check the baud rate",
    .sourceWaiting: "waiting",
    .sourceConnected: "connected",
    .sourceUnplugged: "no receiver is plugged in",
    .sourceSilent: "silent",
    .sourceEnded: "at its end",
    .phonesFull:
      "this laptop records no further phone by the shared token: remove phones that are not "
      + "used, or add a login for each person",
    .diskFull:
      "this device's disk is almost full: free at least {size}, or it may fail to store data",
    .webhookStopped: "webhook {name} delivers nothing[: {trouble}]",
    .sendsTooMany:
      "{name}'s device ({device}) sends too many {tables}: the rest is rejected; find out "
      + "why, or revoke it: muster revoke {device}",
    .ownTooMany:
      "{name}'s device ({device}) sends too many {tables}: the rest is rejected; copy what "
      + "matters, and join again as a new device",
    .boundLogs: "logs",
    .boundReceipts: "receipts",
    .boundTrackers: "trackers",
    .boundMissingKeys: "unknown keys",
    .boundCertificates: "certificates",
    .boundQuarantine: "frames after its revocation",
    .boundCheckIns: "check-ins",
    .boundUnknownPeople: "unknown people",
    .disputed:
      "{name}'s device ({device}) is disputed: {votes} of {quorum} votes to revoke it; see "
      + "muster council status",
    .clockJumped:
      "the clock of {name}'s device ({device}) has jumped, or another device uses its key: "
      + "the age of its data is uncertain",
    .askedAgain: "{name}'s revoked device ({device}) asked to be admitted again: it was rejected",

    // Words
    .asCommand: "command",
    .asMember: "member",
    .asObserver: "observer",
    .asRelay: "relay",
    .asArchive: "archive",
    .categoryOther: "other",
    .categoryFire: "fire",
    .categoryFlood: "flood",
    .categoryChemical: "chemical",
    .categoryStructure: "structure",
    .categoryMedical: "medical",
    .categoryAccess: "access",
    .compassN: "north",
    .compassNe: "north-east",
    .compassE: "east",
    .compassSe: "south-east",
    .compassS: "south",
    .compassSw: "south-west",
    .compassW: "west",
    .compassNw: "north-west",
  ]
}
