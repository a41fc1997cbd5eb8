// Portuguese translations of the node's errors, loaded after the page.

export default [
  [/^the file is empty: choose a picture$/, "o ficheiro está vazio: escolha uma imagem"],
  [/^the file is larger than (\d+) MiB: .*$/, "o ficheiro tem mais de $1 MiB: escolha uma imagem menor"],
  [/^this is not a picture that Muster reads: (.*) or HEIF$/, "isto não é uma imagem que o Muster leia: $1 ou HEIF"],
  [/^the picture (has too many pixels .*|needs too much memory|took longer than .*): scale it down first$/, "a imagem é grande demais: reduza-a primeiro"],
  [/^the picture is damaged or incomplete: .*$/, "a imagem está danificada ou incompleta: copie-a de novo da câmara"],
  [/^the picture could not be read .*$/, "não foi possível ler a imagem: tente de novo, ou guarde-a primeiro como JPEG"],
  [/^photos cannot be added on this computer: /, "não é possível juntar fotografias neste computador: "],
  [/^you added (\d+) photos to report (\w+): .*$/, "já adicionou $1 fotografias à ocorrência $2: retire uma, ou faça outra ocorrência"],
  [/^report (\w+) was changed meanwhile: read it again$/, "a ocorrência $1 foi alterada entretanto: leia-a outra vez"],
  [/^no D-Bus system bus: .*$/, "não há barramento de sistema D-Bus: instale dbus e bluez, e reinicie o computador"],
  [/^bluetoothd does not run: install bluez, then: /, "o bluetoothd não está a correr: instale bluez, e depois: "],
  [/^bluetoothd does not permit this user: .*$/, "o bluetoothd não permite este utilizador: junte-o ao grupo bluetooth, e inicie sessão de novo"],
  [/^no Bluetooth adapter: .*$/, "não há adaptador Bluetooth: ligue um"],
  [/^the Bluetooth adapter (\S+) is switched off: .*$/, "o adaptador Bluetooth $1 está desligado: bluetoothctl power on"],
  [/^the Bluetooth adapter (\S+) cannot advertise: .*$/, "o adaptador Bluetooth $1 não pode anunciar"],
];
