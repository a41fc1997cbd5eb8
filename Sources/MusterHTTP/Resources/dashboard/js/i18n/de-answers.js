// German: calls for help and answers to them, loaded with the first.

export default {
  "call.notSent": "NICHT GESENDET",
  "call.made": "Hilferuf von {time}",
  "call.cancel": "Hilferuf abbrechen",
  "call.cancel.sure": "Ihren Hilferuf von {time} abbrechen?",
  "call.cancel.yes": "Mir geht es gut: abbrechen",
  "call.cancel.no": "Hilferuf behalten",
  "call.yours": "Dein Hilferuf",
  "call.sent": "An diesen Laptop gesendet, noch nicht bei der Leitung",
  "call.atCommand": "Bei der Leitung, noch nicht gesehen",
  "call.seen": "Gesehen von {name} ({role}), {time}",
  "call.via": "{name}, über den Posten von {post}",
  "call.read": "Gelesen",
  "call.read.mark": "Ich habe es gelesen",
  "call.answer.to": "{name} antworten",
  "call.answer.coming": "Hilfe kommt",
  "call.answer.helicopter": "Hubschrauber in 20 min",
  "call.answer.stay": "Bleib, wo du bist",
  "call.answer.public": "Alle Mitglieder können es lesen.",
  "call.answer.app": "Eine Tracking-App kann die Antwort nicht zeigen: nur die Seite dieser Person kann es.",
  "call.message.to": "Nachricht an {name}",
};
