// German: unverified calls, loaded with the first one.

export default {
  calls: "Ungeprüfte Hilferufe",
  "calls.one": "Ungeprüft",
  "calls.unnamed": "kein Name angegeben",
  "calls.unstated": "Anrufer nicht belegt",
  "calls.removedLogin": "Zugang wurde entfernt",
  "calls.sharedToken": "gemeinsames Token der Telefone",
  "calls.beyondBound": "zu viele Anrufer",
  "calls.made": "um {time} nach der Uhr des Telefons",
  "calls.by": "empfangen von {name}",
  "calls.messages": "{n} Nachricht|{n} Nachrichten",
  "calls.confirm": "Wer ist es?",
  "calls.confirm.of": "Wer hat als {name} gerufen?",
  "calls.confirm.why": "Die Person wird MAYDAY, mit allem, was der Ruf angibt.",
  "calls.confirm.send": "Es ist diese Person",
  "calls.close": "Schließen",
  "calls.close.of": "Ruf von {name} schließen?",
  "calls.reason": "Grund, für alle lesbar",
};
