"""The page on another machine: TLS with the operation's pinned certificate, and a login."""

import base64
import hashlib
import socket
import ssl
import subprocess
import time

from browser import Page, must
from nodes import wait

PASSPHRASE = "correct horse battery staple"


def pin(port):
    """Returns the key hash, in Chromium's form, of the certificate that browsers get."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.set_alpn_protocols(["h2", "http/1.1"])
    with socket.create_connection(("127.0.0.1", port)) as plain:
        with context.wrap_socket(plain) as tls:
            pem = ssl.DER_cert_to_PEM_cert(tls.getpeercert(binary_form=True))
    key = subprocess.run(["openssl", "x509", "-pubkey", "-noout"], input=pem, text=True,
                         capture_output=True, check=True).stdout
    der = base64.b64decode("".join(key.splitlines()[1:-1]))
    return base64.b64encode(hashlib.sha256(der).digest()).decode()


def log_in(page, name, passphrase=PASSPHRASE):
    page.await_form()
    page.fill(name=name, passphrase=passphrase)
    page.click("dialog[open] [type=submit]")


def out(page):
    page.click("#log-out")
    wait("the login form is shown again", lambda: page.count("dialog[open] [name=passphrase]"))


def by_link(operation, page, shots):
    """The leader adds a login for a phone; its link works once; removed, its session ends."""
    page.view("team")
    page.click("[data-key='add login']")
    page.await_form()
    page.fill(name="Rui & Eva")
    page.click("dialog[open] [type=submit]")
    wait("the code is shown", lambda: page.count("dialog[open] svg.code"))
    link = page.text("dialog[open] .url")
    must("the link leads to the listener for other machines",
         link.startswith(f"https://127.0.0.1:{operation.post}/#login="))
    page.click("dialog[open] [data-key=close]")
    wait("the login is listed", lambda: page.count("#team [data-login='Rui & Eva']"))
    trusted = [f"--ignore-certificate-errors-spki-list={pin(operation.post)}"]
    phone = Page(link, shots, trusted)
    try:
        phone.driver.get(link)
        wait("a passphrase is proposed", lambda: phone.count("dialog[open] [name=passphrase]"))
        must("the address has no code any more", "login=" not in phone.js("return location.href"))
        passphrase = phone.js("return document.querySelector('[name=passphrase]').value")
        phone.shot("log-in-by-link")
        phone.click("dialog[open] [type=submit]")
        wait("the phone sees people", lambda: phone.count(".person") >= 2)
        must("it is logged in", "Rui & Eva" in phone.text("#session"))
        phone.view("team")
        must("a phone manages no logins", not phone.count("#team [data-login]"))
        out(phone)
        log_in(phone, "Rui & Eva", passphrase)
        wait("the passphrase logs in again", lambda: phone.count(".person") >= 2)
        other = Page(link, shots, trusted)
        try:
            other.driver.get(link)
            wait("the form is open", lambda: other.count("dialog[open] [name=passphrase]"))
            other.click("dialog[open] [type=submit]")
            wait("the link works once", lambda: "was used" in other.text("dialog .wrong"))
        finally:
            other.close()
        page.click("#team [data-key='remove Rui & Eva']")
        page.submit()
        wait("it is removed", lambda: not page.count("#team [data-login='Rui & Eva']"))
        phone.js("location.reload()")
        wait("its session has ended", lambda: phone.count("dialog[open] [name=name]"))
    finally:
        phone.close()


def by_invite(operation, shots):
    """The link of an invite opens a page that leads to Muster, and no part of the page keeps the secret."""
    invite = operation.leader.send("POST", "invitations", {"role": "member"})
    must("an invite has a link", invite["link"].startswith(f"https://127.0.0.1:{operation.post}/join#invite="))
    phone = Page(invite["link"], shots, [f"--ignore-certificate-errors-spki-list={pin(operation.post)}"])
    try:
        phone.driver.get(invite["link"])
        wait("the page shows the invite", lambda: phone.count("#invite:not([hidden])"))
        must("it opens Muster", phone.js("return document.querySelector('#open').href") == invite["url"])
        must("it shows what to type", f"muster join '{invite['url']}' --callsign" in phone.text("#command"))
        phone.click("#copy")
        must("it is selected, to be copied where the browser permits it",
             invite["url"] in phone.js("return getSelection().toString()"))
        must("the address has no invite any more", phone.js("return location.href").endswith("/join"))
        for name, (width, height) in {"laptop": (1440, 900), "tablet": (1024, 768), "phone": (390, 844)}.items():
            phone.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
                "width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
            phone.shot(f"invite-{name}")
            wide = phone.js("return document.documentElement.scrollWidth")
            must(f"a {name}'s width holds it ({wide} pixels of {width})", wide <= width)
        faults = phone.faults()
        must(f"the browser has no error there {faults[:3]}", not faults)
    finally:
        phone.close()


def elsewhere(operation, shots):
    """A stranger sees nothing, an observer reads, a commander writes; logout ends the session."""
    port = operation.post
    operation.leader.add_logins({"Maria": "command", "Otto": "observer"}, PASSPHRASE)
    page = Page(f"https://127.0.0.1:{port}", shots,
                [f"--ignore-certificate-errors-spki-list={pin(port)}"])
    try:
        page.driver.get(page.url + "/")
        wait("the login form is shown", lambda: page.count("dialog[open] [name=passphrase]"))
        page.shot("log-in")
        time.sleep(1)
        must("a stranger sees no data", page.count(".person") == 0
             and page.count("#reports .item") == 0 and page.text("#operation") == "Muster")
        log_in(page, "Otto", "a wrong one")
        wait("a wrong passphrase is refused", lambda: "wrong" in page.text("dialog .wrong"))
        log_in(page, "Otto")
        wait("the observer sees people", lambda: page.count(".person") >= 2)
        wait("the login is shown", lambda: "Otto" in page.text("#session"))
        offered = ("#say-help", "#reports [data-key=file]", "#fences [data-key=polygon]",
                   "#orders [data-key=rollcall]", "#feed [data-key^='seen ']",
                   "#team [data-key=invite]", "#map-tools [data-key='tool fences']")
        for view in ("reports", "fences", "orders", "team", "mesh", "feed", "me"):
            page.view(view)
        must("an observer is offered nothing to write", not any(map(page.count, offered)))
        page.shot("observer")
        out(page)
        log_in(page, "Maria")
        wait("the commander sees people", lambda: page.count(".person") >= 2)
        page.view("reports")
        page.click("[data-key=file]")
        page.fill(title="Seen from town")
        page.submit()
        wait("her report is filed", lambda: any(
            row["title"] == "Seen from town" for row in operation.leader.get("reports")["items"]))
        wait("and shown without a reload", lambda: "Seen from town" in page.text("#reports"))
        page.shot("commander")
        page.as_phone()
        page.view("people")
        page.shot("phone-commander")
        wide = page.js("return document.documentElement.scrollWidth")
        must(f"a phone's width holds it ({wide} pixels of 390)", wide <= 390)
        page.as_laptop()
        with open(operation.leader.home + "/audit.log", encoding="utf-8") as file:
            audit = file.read()
        must("the audit log names the user",
             '"name":"Maria"' in audit and "POST /api/v1/reports" in audit)
        out(page)
        must("after a logout no data is shown", page.count(".person") == 0)
        faults = page.faults("status of 401")
        must(f"the browser has no error there {faults[:3]}", not faults)
    finally:
        page.close()


def as_member(operation, shots):
    """A member's phone changes what it filed, checks in, and changes nothing of others."""
    leader, port = operation.leader, operation.post
    leader.add_logins({"Rui": "member"}, PASSPHRASE, "--phone")
    leader.send("POST", "reports", {"title": "Flood"})
    page = Page(f"https://127.0.0.1:{port}", shots,
                [f"--ignore-certificate-errors-spki-list={pin(port)}"])

    def titles():
        return {row["title"]: row["id"] for row in leader.get("reports")["items"]}

    def opened(title):
        page.close_panel()
        page.view("reports")
        page.click(f"#reports [data-key='open {titles()[title]}']")
        wait("it is shown", lambda: title in page.text("#detail h2"))
        return {key for key in ("confirm", "edit", "resolve", "delete")
                if page.count(f"#detail [data-key={key}]")}

    def filed(title):
        page.close_panel()
        page.view("reports")
        page.click("#reports [data-key=file]")
        page.fill(title=title)
        page.submit()
        wait(f"{title} is filed and shown", lambda: title in titles() and title in page.text("#reports"))

    try:
        page.as_phone()
        page.driver.get(page.url + "/")
        log_in(page, "Rui")
        wait("the member sees people", lambda: page.count(".person") >= 2)
        filed("Smoke")
        wait("it is the member's", lambda: opened("Smoke") == {"edit", "delete"})
        page.shot("member-own-report")
        must("of another's report the member only confirms", opened("Flood") == {"confirm"})
        opened("Smoke")
        page.click("#detail [data-key=edit]")
        page.fill(title="Smoke, two houses", severity="4")
        page.submit()
        wait("it is corrected", lambda: "Smoke, two houses" in titles() and "Smoke" not in titles())
        filed("Smoke again")
        wait("it is the member's too", lambda: "delete" in opened("Smoke again"))
        page.click("#detail [data-key=delete]")
        page.submit()
        wait("it is withdrawn", lambda: "Smoke again" not in titles())
        leader.send("POST", f"reports/{titles()['Smoke, two houses']}/confirm", {})
        wait("what is confirmed is not withdrawn",
             lambda: opened("Smoke, two houses") == {"edit"})
        through = f"Rui, through {leader.get('status')['callsign']}'s laptop"
        must("its details name the member and the laptop", through in page.text("#detail"))
        page.shot("member-author")
        page.close_panel()
        page.view("reports")
        wait("so does its row", lambda: through in page.text("#reports"))
        page.shot("member-author-row")
        page.view("timers")
        page.click("#timers [data-key='checkin start']")
        page.fill(minutes="20")
        page.submit()
        own = wait("a check-in runs", lambda: next(
            (one for one in leader.get("checkins")["items"] if one["callsign"] == "Rui"), None))
        page.view("me")
        page.click(f"#me [data-key='checkin {own['id']}']")
        wait("it is confirmed on the phone", lambda: any(
            one["id"] == own["id"] and one["report"] == "ok"
            for one in leader.get("checkins")["items"]))
        page.shot("member-timer")
        wide = page.js("return document.documentElement.scrollWidth")
        must(f"a phone's width holds it ({wide} pixels of 390)", wide <= 390)
        faults = page.faults("status of 401", "/tiles/")
        must(f"the browser has no error there {faults[:3]}", not faults)
    finally:
        page.close()
