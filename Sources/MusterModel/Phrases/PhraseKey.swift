/// The texts that the node composes. The names are in JSON and in the catalogues of the page.
public enum PhraseKey: String, Codable, Sendable, Hashable, CaseIterable {
  // MARK: Parts of texts

  case text = "verbatim"
  case about
  case named
  case names
  case throughLaptop
  case viaPost
  case unknownPerson
  case unknownTracker
  case toEveryone
  case ofRole
  case ofTeam
  case lastKnown
  case chatters
  case seconds
  case minutes
  case hours
  case days

  // MARK: Reasons of a status

  case askedForHelp
  case needsHelp
  case underDuress
  case accountedFor
  case accountedForByCommand
  case insideHazard
  case insideHazardPermitted
  case signedOff
  case rollCallUnanswered
  case evacuateTo
  case musterAt
  case checkInDuty
  case deadlinePassed
  case deadlineMaybePassed
  case stillUnanswered
  case certificateMissing
  case trackerMissing
  case nothingReceived
  case revokedNoContact
  case noContactUnknown
  case noContactFor
  case atAssembly
  case reportedSafe
  case oldPosition
  case positionAgeUnknown
  case noUsablePosition
  case inContact
  case notListed

  // MARK: Notes of calls for help that programs write

  case callNote
  case phoneAlarm
  case sharedToken
  case unverifiedNote
  case madeAt
  case atPosition
  case fromAddress

  // MARK: Reasons of a respondent

  case notKnownHere
  case seenLater
  case seenInside
  case seenUnanswered
  case positionReported
  case acknowledgedSelf
  case acknowledgedBy

  // MARK: Alerts about people

  case duressAlert
  case calledOff
  case silent
  case silentBehindOne
  case silentBehindMany
  case safe
  case lowBattery
  case sameNames
  case similarNames
  case calledLikeRole
  case calledLikeID

  // MARK: Alerts about orders

  case lateRollcall = "late.rollcall"
  case lateEvacuate = "late.evacuate"
  case lateMuster = "late.muster"
  case lateLocate = "late.locate"
  case lateMessage = "late.message"
  case doneRollcall = "done.rollcall"
  case doneEvacuate = "done.evacuate"
  case doneMuster = "done.muster"
  case orderEvacuate
  case orderGo
  case orderAssemble
  case orderRollCall
  case orderLocate
  case orderMessage
  case zoneMissing
  case zoneAway
  case zoneHere
  case way

  // MARK: Alerts about check-ins

  case checkInSoon
  case checkInStill
  case checkInDue
  case checkInOverdue
  case checkInMissing
  case stillOverdue
  case stillMissing
  case checkInsMissed

  // MARK: Alerts about zones

  case youInHazard
  case youInHazardPermitted
  case emptyZone
  case zoneRule
  case zoneEmpty
  case zoneTooFew
  case zoneTooMany
  case zoneNotEntered
  case zoneMaybeNotEntered
  case nearZone

  // MARK: Alerts about calls and reports

  case furtherCalls
  case unverifiedCall
  case unverifiedCalls
  case report
  case reportEvacuate
  case notProven
  case noOneWithin
  case peopleWithin
  case inZone
  case fromZone
  case fromHere
  case unplaced
  case manyReports

  // MARK: Alerts about devices

  case cloned
  case revokedHere
  case clockAhead
  case clockBehind
  case noPositionFrom
  case uselessSource
  case sourceWaiting = "source.waiting"
  case sourceConnected = "source.connected"
  case sourceUnplugged = "source.unplugged"
  case sourceSilent = "source.silent"
  case sourceEnded = "source.ended"
  case phonesFull
  case diskFull
  case webhookStopped
  case sendsTooMany
  case ownTooMany
  case boundLogs = "bound.logs"
  case boundReceipts = "bound.receipts"
  case boundTrackers = "bound.trackers"
  case boundMissingKeys = "bound.missingKeys"
  case boundCertificates = "bound.certificates"
  case boundQuarantine = "bound.quarantine"
  case boundCheckIns = "bound.checkIns"
  case boundUnknownPeople = "bound.unknownPeople"
  case disputed
  case clockJumped
  case askedAgain

  // MARK: Words

  case asCommand = "as.command"
  case asMember = "as.member"
  case asObserver = "as.observer"
  case asRelay = "as.relay"
  case asArchive = "as.archive"
  case categoryOther = "category.other"
  case categoryFire = "category.fire"
  case categoryFlood = "category.flood"
  case categoryChemical = "category.chemical"
  case categoryStructure = "category.structure"
  case categoryMedical = "category.medical"
  case categoryAccess = "category.access"
  case compassN = "compass.n"
  case compassNe = "compass.ne"
  case compassE = "compass.e"
  case compassSe = "compass.se"
  case compassS = "compass.s"
  case compassSw = "compass.sw"
  case compassW = "compass.w"
  case compassNw = "compass.nw"
}
