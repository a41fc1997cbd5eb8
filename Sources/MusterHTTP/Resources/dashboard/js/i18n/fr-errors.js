// French translations of the node's errors, loaded after the page.

export default [
  [/^the file is empty: choose a picture$/, "le fichier est vide : choisissez une image"],
  [/^the file is larger than (\d+) MiB: .*$/, "le fichier dépasse $1 Mio : choisissez une image plus petite"],
  [/^this is not a picture that Muster reads: (.*) or HEIF$/, "ce n’est pas une image que Muster lit : $1 ou HEIF"],
  [/^the picture (has too many pixels .*|needs too much memory|took longer than .*): scale it down first$/, "l’image est trop grande : réduisez-la d’abord"],
  [/^the picture is damaged or incomplete: .*$/, "l’image est endommagée ou incomplète : copiez-la de nouveau depuis l’appareil photo"],
  [/^the picture could not be read .*$/, "l’image n’a pas pu être lue : réessayez, ou enregistrez-la d’abord en JPEG"],
  [/^photos cannot be added on this computer: /, "impossible d’ajouter des photos sur cet ordinateur : "],
  [/^you added (\d+) photos to report (\w+): .*$/, "vous avez déjà ajouté $1 photos au signalement $2 : retirez-en une, ou faites un autre signalement"],
  [/^report (\w+) was changed meanwhile: read it again$/, "le signalement $1 a été modifié entre-temps : relisez-le"],
  [/^no D-Bus system bus: .*$/, "pas de bus système D-Bus : installez dbus et bluez, redémarrez l’ordinateur"],
  [/^bluetoothd does not run: install bluez, then: /, "bluetoothd n’est pas lancé : installez bluez, puis : "],
  [/^bluetoothd does not permit this user: .*$/, "bluetoothd refuse cet utilisateur : ajoutez-le au groupe bluetooth, reconnectez-vous"],
  [/^no Bluetooth adapter: .*$/, "pas d’adaptateur Bluetooth : branchez-en un"],
  [/^the Bluetooth adapter (\S+) is switched off: .*$/, "l’adaptateur Bluetooth $1 est éteint : bluetoothctl power on"],
  [/^the Bluetooth adapter (\S+) cannot advertise: .*$/, "l’adaptateur Bluetooth $1 ne peut pas émettre"],
];
