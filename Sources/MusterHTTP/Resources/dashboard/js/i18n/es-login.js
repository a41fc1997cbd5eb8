// Spanish: the login, loaded with its first form.

export default {
  "log.in.why": "Ha abierto esta página desde otra máquina. Inicie sesión para continuar.",
  "log.in.again": "Escriba de nuevo su frase de contraseña: esto requiere los derechos del mando.",
  "log.in.new": "Bienvenido, {name}. Guarde esta frase de contraseña, o elija otra de 12 caracteres o más. La necesita para volver a entrar.",
  "log.in.helpOnly": "Esta sesión ha caducado. Todavía puede pedir socorro. Inicie sesión para ver la operación.",
  "log.in.removed": "Este acceso fue eliminado. Todavía puede pedir socorro: el mando preguntará quién es.",
  "unsent.why": "Se envía en cuanto el portátil responda. No necesita iniciar sesión.",
  "unsent.sent": "Enviada al portátil, {time}",
};
