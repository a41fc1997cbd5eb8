// Deutsch: was ein Laptop über ein Telefon festhält, mit dem ersten geladen.

export default {
  "phone.alarm": "Alarm „{word}“ vor {age}",
  "phone.late": "Die Positionen sind {age} alt, oder die Uhr des Telefons geht falsch: nachfragen",
  "phone.every": "Meldet sich nur alle {age}: App oder Funkstille ändern",
  "phone.behind": "Die Uhr des Telefons gilt als {age} nachgehend",
  "phone.left": "Nicht verwendet: {reason} ({n})",
  "phone.silence": "Funkstille",
  "phone.clock": "Uhr geht nach",
  "phone.silence.of": "Funkstille von {name}",
  "phone.silence.minutes": "Minuten ohne Nachricht bis „kein Kontakt“ (0: nie)",
  "phone.clock.of": "Uhr des Telefons von {name}",
  "phone.clock.why": "Nur wenn Sie es wissen: die Positionen gelten als so viel neuer.",
  "phone.clock.minutes": "Minuten, die die Uhr nachgeht (0: sie geht richtig)",
  "phone.row": "Telefon",
};
