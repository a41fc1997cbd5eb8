// Español: lo que un portátil anota sobre un teléfono, cargado con el primero.

export default {
  "phone.alarm": "Alarma «{word}» hace {age}",
  "phone.late": "Las posiciones tienen {age}, o el reloj del teléfono va mal: pregunte",
  "phone.every": "Solo informa cada {age}: cambie la app o el silencio",
  "phone.behind": "El reloj del teléfono cuenta como {age} atrasado",
  "phone.left": "No usado: {reason} ({n})",
  "phone.silence": "Silencio",
  "phone.clock": "El reloj va atrasado",
  "phone.silence.of": "Silencio de {name}",
  "phone.silence.minutes": "Minutos sin mensaje hasta «sin contacto» (0: nunca)",
  "phone.clock.of": "Reloj del teléfono de {name}",
  "phone.clock.why": "Solo si lo sabe: las posiciones contarán como más recientes en esa medida.",
  "phone.clock.minutes": "Minutos de atraso del reloj (0: va bien)",
  "phone.row": "Teléfono",
};
