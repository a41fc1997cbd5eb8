// Français : ce qu'un ordinateur note sur un téléphone, chargé avec le premier.

export default {
  "phone.alarm": "Alarme « {word} » il y a {age}",
  "phone.late": "Les positions ont {age}, ou l’horloge du téléphone est fausse : demander",
  "phone.every": "N’émet que toutes les {age} : changer l’appli ou le silence",
  "phone.behind": "L’horloge du téléphone compte comme en retard de {age}",
  "phone.left": "Non utilisé : {reason} ({n})",
  "phone.silence": "Silence",
  "phone.clock": "L’horloge retarde",
  "phone.silence.of": "Silence de {name}",
  "phone.silence.minutes": "Minutes sans message avant « sans contact » (0 : jamais)",
  "phone.clock.of": "Horloge du téléphone de {name}",
  "phone.clock.why": "Seulement si vous le savez : les positions compteront comme plus récentes d’autant.",
  "phone.clock.minutes": "Minutes de retard de l’horloge (0 : elle est juste)",
  "phone.row": "Téléphone",
};
