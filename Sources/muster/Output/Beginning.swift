/// What `muster` alone prints: how to begin, on one screen of 80 columns and 24 rows.
enum Beginning {
  static let text = """
    Muster shows who is safe and who is in danger, without internet.

    Begin on the first laptop:
      muster init "River flood" --callsign Anna    create the operation
      muster run                                   start the node and its page
      muster invite                                invite others
    On each other laptop:
      muster join 'muster://join/…' --callsign Ben
      muster run

    Then, in a second terminal:
      muster sos                                   call for help
      muster user status safe                      report that you are safe
      muster report add --title "Gas smell" --severity 4 --at 47.38,8.54
      muster ack                                   answer a roll call
      muster watch                                 see alerts and people, live
      muster order rollcall                        call the roll, as command

    muster doctor checks this laptop. muster --help lists all commands, and
    muster COMMAND --help explains one.
    """
}
