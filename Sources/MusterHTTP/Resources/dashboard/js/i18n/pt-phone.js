// Português: o que um computador anota sobre um telefone, carregado com o primeiro.

export default {
  "phone.alarm": "Alarme «{word}» há {age}",
  "phone.late": "As posições têm {age}, ou o relógio do telemóvel está errado: pergunte",
  "phone.every": "Só comunica a cada {age}: mude a app ou o silêncio",
  "phone.behind": "O relógio do telemóvel conta como {age} atrasado",
  "phone.left": "Não usado: {reason} ({n})",
  "phone.silence": "Silêncio",
  "phone.clock": "O relógio está atrasado",
  "phone.silence.of": "Silêncio de {name}",
  "phone.silence.minutes": "Minutos sem mensagem até «sem contacto» (0: nunca)",
  "phone.clock.of": "Relógio do telemóvel de {name}",
  "phone.clock.why": "Só se souber: as posições contarão como mais recentes nessa medida.",
  "phone.clock.minutes": "Minutos de atraso do relógio (0: está certo)",
  "phone.row": "Telemóvel",
};
