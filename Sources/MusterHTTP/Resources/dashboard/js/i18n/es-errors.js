// Spanish translations of the node's errors, loaded after the page.

export default [
  [/^the file is empty: choose a picture$/, "el archivo está vacío: elija una imagen"],
  [/^the file is larger than (\d+) MiB: .*$/, "el archivo tiene más de $1 MiB: elija una imagen más pequeña"],
  [/^this is not a picture that Muster reads: (.*) or HEIF$/, "esto no es una imagen que Muster lea: $1 o HEIF"],
  [/^the picture (has too many pixels .*|needs too much memory|took longer than .*): scale it down first$/, "la imagen es demasiado grande: redúzcala primero"],
  [/^the picture is damaged or incomplete: .*$/, "la imagen está dañada o incompleta: cópiela otra vez de la cámara"],
  [/^the picture could not be read .*$/, "no se pudo leer la imagen: inténtelo otra vez, o guárdela antes como JPEG"],
  [/^photos cannot be added on this computer: /, "en este equipo no se pueden añadir fotos: "],
  [/^you added (\d+) photos to report (\w+): .*$/, "ya ha añadido $1 fotos al informe $2: quite una, o haga otro informe"],
  [/^report (\w+) was changed meanwhile: read it again$/, "el informe $1 se ha cambiado entretanto: léalo otra vez"],
  [/^no D-Bus system bus: .*$/, "no hay bus de sistema D-Bus: instale dbus y bluez, y reinicie el equipo"],
  [/^bluetoothd does not run: install bluez, then: /, "bluetoothd no está en marcha: instale bluez y luego: "],
  [/^bluetoothd does not permit this user: .*$/, "bluetoothd no admite a este usuario: añádalo al grupo bluetooth e inicie sesión de nuevo"],
  [/^no Bluetooth adapter: .*$/, "no hay adaptador Bluetooth: conecte uno"],
  [/^the Bluetooth adapter (\S+) is switched off: .*$/, "el adaptador Bluetooth $1 está apagado: bluetoothctl power on"],
  [/^the Bluetooth adapter (\S+) cannot advertise: .*$/, "el adaptador Bluetooth $1 no puede anunciar"],
];
