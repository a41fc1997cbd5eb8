// Portuguese: the login, loaded with its first form.

export default {
  "log.in.why": "Abriu esta página noutra máquina. Inicie sessão para continuar.",
  "log.in.again": "Escreva de novo a frase-passe: isto exige os direitos do comando.",
  "log.in.new": "Bem-vindo, {name}. Guarde esta frase-passe, ou escolha outra com 12 caracteres ou mais. Precisa dela para voltar a entrar.",
  "log.in.helpOnly": "Esta sessão expirou. Ainda pode pedir socorro. Inicie sessão para ver a operação.",
  "log.in.removed": "Este acesso foi removido. Ainda pode pedir socorro: o comando pergunta depois quem é.",
  "unsent.why": "É enviado assim que o computador responder. Não precisa de iniciar sessão.",
  "unsent.sent": "Enviado para o computador, {time}",
};
