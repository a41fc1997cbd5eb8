// Spanish: unverified calls, loaded with the first one.

export default {
  calls: "Llamadas de socorro sin verificar",
  "calls.one": "Sin verificar",
  "calls.unnamed": "sin nombre",
  "calls.unstated": "autor no comprobado",
  "calls.removedLogin": "el acceso se eliminó",
  "calls.sharedToken": "token común de los teléfonos",
  "calls.beyondBound": "demasiados autores",
  "calls.made": "hecha a las {time} según el teléfono",
  "calls.by": "recibida por {name}",
  "calls.messages": "{n} mensaje|{n} mensajes",
  "calls.confirm": "¿Quién es?",
  "calls.confirm.of": "¿Quién llamó como {name}?",
  "calls.confirm.why": "La persona pasa a MAYDAY con todo lo que indica la llamada.",
  "calls.confirm.send": "Es esta persona",
  "calls.close": "Cerrar",
  "calls.close.of": "¿Cerrar la llamada de {name}?",
  "calls.reason": "Motivo, visible para todos",
};
