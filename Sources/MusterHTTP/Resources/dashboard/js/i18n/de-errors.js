// German translations of the node's errors, loaded after the page.

export default [
  [/^the file is empty: choose a picture$/, "die Datei ist leer: wählen Sie ein Bild"],
  [/^the file is larger than (\d+) MiB: .*$/, "die Datei ist größer als $1 MiB: wählen Sie ein kleineres Bild"],
  [/^this is not a picture that Muster reads: (.*) or HEIF$/, "das ist kein Bild, das Muster liest: $1 oder HEIF"],
  [/^the picture (has too many pixels .*|needs too much memory|took longer than .*): scale it down first$/, "das Bild ist zu groß: verkleinern Sie es zuerst"],
  [/^the picture is damaged or incomplete: .*$/, "das Bild ist beschädigt oder unvollständig: kopieren Sie es noch einmal von der Kamera"],
  [/^the picture could not be read .*$/, "das Bild war nicht lesbar: versuchen Sie es noch einmal, oder speichern Sie es zuerst als JPEG"],
  [/^photos cannot be added on this computer: /, "auf diesem Rechner können keine Fotos hinzugefügt werden: "],
  [/^you added (\d+) photos to report (\w+): .*$/, "Sie haben der Meldung $2 schon $1 Fotos hinzugefügt: entfernen Sie eines, oder machen Sie eine weitere Meldung"],
  [/^report (\w+) was changed meanwhile: read it again$/, "die Meldung $1 wurde inzwischen geändert: lesen Sie sie noch einmal"],
  [/^no D-Bus system bus: .*$/, "kein System-Bus von D-Bus: dbus und bluez installieren, den Laptop neu starten"],
  [/^bluetoothd does not run: install bluez, then: /, "bluetoothd läuft nicht: bluez installieren, dann: "],
  [/^bluetoothd does not permit this user: .*$/, "bluetoothd lässt diesen Benutzer nicht zu: in die Gruppe bluetooth aufnehmen, neu anmelden"],
  [/^no Bluetooth adapter: .*$/, "kein Bluetooth-Adapter: einen anschließen"],
  [/^the Bluetooth adapter (\S+) is switched off: .*$/, "der Bluetooth-Adapter $1 ist ausgeschaltet: bluetoothctl power on"],
  [/^the Bluetooth adapter (\S+) cannot advertise: .*$/, "der Bluetooth-Adapter $1 kann nicht aussenden"],
];
