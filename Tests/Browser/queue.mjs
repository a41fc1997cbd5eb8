// Drawn sequences of faults around a call for help that waits on a phone, against the page's own
// queue: outages that refuse, swallow or lose answers, slow links, `kill -9` of the node, closing of the
// browser, further tabs, full disks. Time is virtual, so that a sequence takes milliseconds.
//
//     node --experimental-vm-modules Tests/Browser/queue.mjs --sequences 1000 --seed 7
//     node --experimental-vm-modules Tests/Browser/queue.mjs --seed 7 --only 312 --trace
//
// No call is lost, none is performed twice, none is cancelled by an earlier OK, none is overtaken by a
// report, and each is sent at most 5 s after the node answers, without a touch. Exits with 1 if a sequence fails.

import fs from "node:fs";
import path from "node:path";
import vm from "node:vm";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const { values: options } = parseArgs({ options: {
  sequences: { type: "string", default: "1000" }, seed: { type: "string", default: "" },
  only: { type: "string" }, trace: { type: "boolean", default: false },
} });
const seed = Number(options.seed || Date.now() % 1e9);
const scripts = path.resolve(path.dirname(fileURLToPath(import.meta.url)),
  "../../Sources/MusterHTTP/Resources/dashboard/js");
/** A call is sent at most this long after the node answers. */
const allowed = 5000;
/** An attempt of a call that is that old is on a slow link, and the rest may follow it. */
const patience = 2000;
/** Chromium's connections to one node by HTTP/1.1. */
const mostConnections = 6;

/** Deterministic numbers (mulberry32). */
function generator(start) {
  let state = start >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  return {
    next, chance: (p) => next() < p, below: (n) => Math.floor(next() * n),
    between: (a, b) => a + next() * (b - a), pick: (list) => list[Math.floor(next() * list.length)],
  };
}

// MARK: Time

class Clock {
  now = 1_700_000_000_000;
  #events = [];
  #number = 0;

  at(time, work) {
    const event = { time, number: this.#number++, work };
    // The next one last; of one time, in the order of entry.
    let [low, high] = [0, this.#events.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#events[middle].time > time) low = middle + 1;
      else high = middle;
    }
    this.#events.splice(low, 0, event);
    return event;
  }
  after(delay, work) { return this.at(this.now + Math.max(0, delay), work); }
  cancel(event) { if (event) event.work = null; }

  /** Runs until a time. */
  async run(until) {
    for (;;) {
      await new Promise(setImmediate);
      while (this.#events.length > 0 && !this.#events.at(-1).work) this.#events.pop();
      const next = this.#events.at(-1);
      if (!next || next.time > until) break;
      this.#events.pop();
      this.now = Math.max(this.now, next.time);
      const { work } = next;
      next.work = null;
      work();
    }
    this.now = until;
  }
}

// MARK: The node

/** What the node does with a write: once for each key, durably, and an OK before a call is refused. */
class Node {
  constructor(world) { this.world = world; }
  state = "up";
  /** By key: how often a request was performed, and its answer. */
  performed = new Map();
  running = new Set();
  claims = [];
  called = 0;
  standing = "full";
  cancelledAt = 0;
  epoch = 0;

  /** Returns the answer, or null if the process ended before. */
  async perform(request) {
    const { world } = this;
    const { epoch } = this;
    const alive = () => epoch === this.epoch;
    await world.sleep(world.random.between(1, 40));
    if (!alive()) return null;
    if (this.state === "busy") return { status: world.random.pick([503, 429, 500]) };
    if (request.method === "GET") return { status: this.standing === "full" ? 200 : 401, body: { items: [], next: null } };
    const key = request.headers["Idempotency-Key"];
    if (this.standing !== "full" && !request.path.endsWith("me/safety")) return { status: 401 };
    if (this.performed.has(key)) return { status: 204 };
    if (this.running.has(key)) return { status: 409 };
    this.running.add(key);
    await world.sleep(world.random.between(1, 60));
    this.running.delete(key);
    if (!alive()) return null;
    const body = request.body instanceof Object || !request.body ? {} : JSON.parse(request.body);
    const actedAt = Number(request.headers["Muster-Acted-At"]);
    if (body.safety === "help") this.called = Math.max(this.called, actedAt);
    if (body.safety === "safe" && actedAt < this.called) return { status: 422 };
    if (request.path.includes("refused")) return { status: 422 };
    this.performed.set(key, (this.performed.get(key) ?? 0) + 1);
    if (body.safety) {
      // A cancellation cannot call an attempt back that is under way: the alarm stays, and is seen.
      const isUnderWay = request.since <= this.cancelledAt;
      this.claims.push(request.isLate || isUnderWay ? `late ${body.safety}` : body.safety);
      world.trace(`performed ${body.safety} ${key.slice(0, 8)}`);
    }
    // Killed between the commit and the answer.
    if (world.random.chance(world.killsAfterCommit)) this.kill();
    return alive() ? { status: request.method === "POST" ? 201 : 204, body: { id: "row" } } : null;
  }

  kill() {
    this.world.trace("node killed");
    this.epoch++;
    this.running.clear();
    // A process that has ended refuses connections until it starts again.
    const before = this.state;
    this.state = "refusing";
    this.world.clock.after(this.world.random.between(300, 3000), () => {
      if (this.state === "refusing") this.state = this.world.isOver ? "up" : before === "refusing" ? "up" : before;
      this.world.noteAnswering();
    });
  }
}

// MARK: The browser

/** The database of one origin: transactions are atomic, and survive the page. */
class Database {
  constructor(world) { this.world = world; }
  rows = new Map();
  next = 1;
  last = 0;
  isFull = false;

  transaction(page, mode) {
    const steps = [];
    const run = { error: null };
    const request = (work) => {
      const one = {};
      steps.push(() => { one.result = work(); });
      return one;
    };
    const clone = (value) => ({ ...value, body: value.body });
    run.objectStore = (name) => ({
      getAll: () => request(() => (name === "entries" ? [...this.rows.values()].map(clone) : [])),
      delete: (place) => request(() => name === "entries" && this.rows.delete(place)),
      clear: () => request(() => name === "entries" && this.rows.clear()),
      put: (value) => request(() => {
        if (name !== "entries") return;
        const place = value.place ?? this.next++;
        this.next = Math.max(this.next, place + 1);
        this.rows.set(place, { ...clone(value), place });
      }),
    });
    const time = Math.max(this.last, this.world.clock.now + this.world.random.between(1, 30));
    this.last = time;
    this.world.clock.at(time, () => {
      // A page that ended may have its transaction committed, without learning it.
      if (page.isOver && this.world.random.chance(0.5)) return;
      if (mode === "readwrite" && this.isFull) {
        run.error = new page.context.Error("QuotaExceededError");
        if (!page.isOver) run.onabort?.();
        return;
      }
      for (const step of steps) step();
      if (!page.isOver) run.oncomplete?.();
    });
    return run;
  }
}

class Page {
  constructor(world, profile) {
    [this.world, this.profile] = [world, profile];
    this.connections = 0;
    this.waiting = [];
    this.listeners = {};
    /** Requests under way, and the keys of those that were answered. */
    this.running = new Set();
    this.answered = new Set();
  }
  isOver = false;

  async open() {
    const { world } = this;
    const page = this;
    const guard = (work) => (...all) => { if (!page.isOver) work(...all); };
    const listen = (name, work) => { (page.listeners[name] ??= []).push(work); };
    class PageDate extends Date {
      constructor(...all) { super(...(all.length > 0 ? all : [world.clock.now])); }
      static now() { return world.clock.now; }
    }
    const storage = { getItem: (key) => page.profile.storage.get(key) ?? null,
      setItem: (key, value) => page.profile.storage.set(key, value),
      removeItem: (key) => page.profile.storage.delete(key) };
    const context = vm.createContext({
      console: { warn: (text) => world.trace(`warning: ${text}`), log: console.log },
      Date: PageDate, performance: { now: () => world.clock.now - 1_600_000_000_000 },
      setTimeout: (work, delay = 0) => world.clock.after(delay, guard(work)),
      clearTimeout: (event) => world.clock.cancel(event),
      setInterval: () => 0, queueMicrotask, AbortController, Blob, URL,
      localStorage: storage, location: { protocol: "https:", hash: "" },
      crypto: { randomUUID: () => `${world.random.next()}-${world.random.next()}`.replaceAll("0.", "k") },
      navigator: { language: "en", locks: { request: (name, _, work) => page.lock(name, work) } },
      document: { hidden: false, addEventListener: listen, documentElement: {} },
      addEventListener: listen, matchMedia: () => ({ matches: true, addEventListener: () => {} }),
      indexedDB: { open: () => {
        const request = {};
        world.clock.after(1, guard(() => {
          request.result = { transaction: (_, mode) => page.profile.database.transaction(page, mode) };
          request.onsuccess();
        }));
        return request;
      } },
      fetch: (url, init) => page.fetch(url, init),
    });
    page.context = { Error };
    const modules = new Map();
    const load = (file) => {
      if (!modules.has(file)) {
        modules.set(file, new vm.SourceTextModule(source(file), {
          context, identifier: file, importModuleDynamically: (name) => linked(load(name)),
        }));
      }
      return modules.get(file);
    };
    const linked = async (module) => {
      await module.link((name) => load(path.basename(name)));
      await module.evaluate();
      return module;
    };
    this.queue = (await linked(load("queue.js"))).namespace;
    this.state = load("store.js").namespace.state;
    this.api = load("api.js").namespace;
    await this.queue.onQueue(() => {});
    // As the page does: the queue opens before the login is known.
    this.queue.openQueue();
    const session = { id: "login", name: "Rui", operation: "op", user: "rui", rights: "member" };
    world.clock.after(world.random.between(5, 300), guard(() => {
      if (world.node.standing === "full") this.state.session = session;
      else if (world.node.standing === "helpOnly") this.state.expired = { id: "login", standing: "helpOnly" };
      this.queue.flush();
      // What the page loads beside the queue.
      for (let n = 0; n < 12; n++) this.loadSome();
    }));
    const refresh = guard(() => {
      for (let n = 0; n < 4; n++) this.loadSome();
      world.clock.after(5000, refresh);
    });
    world.clock.after(5000, refresh);
  }

  loadSome() { this.api.get("users").catch(() => {}); }

  emit(name) {
    for (const work of this.listeners[name] ?? []) if (!this.isOver) work();
  }

  close() {
    this.isOver = true;
    for (const [name, holder] of this.profile.locks) {
      if (holder === this) this.profile.locks.delete(name);
    }
    this.world.pages.delete(this);
  }

  async lock(name, work) {
    const { locks } = this.profile;
    if (locks.has(name)) return work(null);
    locks.set(name, this);
    try {
      return await work({ name });
    } finally {
      if (locks.get(name) === this) locks.delete(name);
    }
  }

  /** Whether a stored entry is sent although a call waits that the node might answer. */
  overtakes(url, { method = "GET" }) {
    if (this.profile.database.isFull || method === "GET" || url.endsWith("me/safety")) return false;
    return this.queue.unsentCalls().some(({ why, key }) => !why && !this.answered.has(key)
      && ![...this.running].some((one) =>
        one.key === key && this.world.clock.now - one.since >= patience));
  }

  fetch(url, init) {
    if (this.overtakes(url, init)) this.world.overtaken++;
    return new Promise((resolve, reject) => {
      const key = init.headers?.["Idempotency-Key"];
      const request = { since: this.world.clock.now, url, init, resolve, reject, isDone: false, key };
      this.running.add(request);
      const end = (work) => {
        if (request.isDone) return;
        request.isDone = true;
        this.running.delete(request);
        this.waiting = this.waiting.filter((one) => one !== request);
        if (request.isConnected) {
          this.connections--;
          this.connect();
        }
        if (!this.isOver) work();
      };
      request.fail = (why) => end(() => reject(new TypeError(why)));
      request.answer = (answer) => end(() => this.answered.add(key) && resolve({
        status: answer.status, ok: answer.status < 300,
        text: async () => (answer.body ? JSON.stringify(answer.body) : ""),
        json: async () => answer.body,
      }));
      init.signal?.addEventListener("abort", () => request.fail("aborted"));
      this.waiting.push(request);
      this.connect();
    });
  }

  connect() {
    while (this.connections < mostConnections && this.waiting.length > 0) {
      const request = this.waiting.shift();
      request.isConnected = true;
      this.connections++;
      this.world.carry(request);
    }
  }
}

const texts = new Map();
/** The page's own modules; those about the screen have no part in this. */
function source(file) {
  if (file === "shell.js") return "export const isNarrow = () => true;";
  if (file === "status.js") return "export const judged = (one) => one; export const worstFirst = () => 0;";
  if (!texts.has(file)) {
    const place = fs.existsSync(path.join(scripts, file)) ? file : path.join("i18n", file);
    texts.set(file, fs.readFileSync(path.join(scripts, place), "utf8"));
  }
  return texts.get(file);
}

// MARK: The world of one sequence

class World {
  constructor(number) {
    this.random = generator(seed * 1_000_003 + number);
    this.clock = new Clock();
    this.node = new Node(this);
    this.link = "up";
    this.isOver = false;
    this.pages = new Set();
    this.killsAfterCommit = 0;
    this.entered = 0;
    this.overtaken = 0;
    this.profile = { storage: new Map(), locks: new Map(), database: new Database(this) };
    this.lines = [];
  }

  trace(text) {
    this.lines.push(`${((this.clock.now - 1_700_000_000_000) / 1000).toFixed(3)} ${text}`);
  }
  sleep(delay) { return new Promise((resolve) => { this.clock.after(delay, resolve); }); }
  noteAnswering() { this.trace(`node is ${this.node.state}`); }

  /** Carries a request over the link, and its answer back. */
  async carry(request) {
    const { random, clock } = this;
    const slow = () => (this.link === "slow" ? random.between(1000, 7000) : random.between(2, 60));
    // A broken link often refuses at once, or nothing returns at all.
    if (this.link === "down") { await this.sleep(random.between(1, 50)); return request.fail("unreachable"); }
    const swallowed = () => {
      // What a dying connection holds may arrive much later, after the client gave up.
      if (random.chance(0.3)) clock.after(random.between(500, 20000), () => this.deliver(request, true));
    };
    if (this.link === "silent") return swallowed();
    await this.sleep(slow());
    if (this.link === "silent") return swallowed();
    if (this.link === "down") return request.fail("reset");
    this.deliver(request, false);
  }

  async deliver(request, isLate) {
    const { init, url } = request;
    const isFile = init.body instanceof Blob;
    // An upload takes its time.
    if (isFile) await this.sleep(this.random.between(5000, 60000));
    if (this.node.state === "refusing") return request.fail("refused");
    if (isLate) this.trace(`late ${init.method} ${url}`);
    const answer = await this.node.perform({ method: init.method, path: url, headers: init.headers, body: init.body, isLate, since: request.since });
    if (!answer) return request.fail("reset");
    await this.sleep(this.link === "slow" ? this.random.between(500, 4000) : this.random.between(2, 60));
    // A lost answer: the client waits in vain.
    if (this.link === "mute" || this.link === "silent") return;
    if (this.link === "down") return request.fail("reset");
    request.answer(answer);
  }

  async openPage() {
    const page = new Page(this, this.profile);
    this.pages.add(page);
    this.trace("page opened");
    await page.open();
    return page;
  }

  get page() { return [...this.pages][0]; }

  /** The user of a page enters something. */
  enter(kind, method, where, body, more) {
    const { page } = this;
    if (!page || !(page.state.session ?? page.state.expired)) return;
    this.trace(`enter ${kind}`);
    if (kind === "help") this.entered++;
    page.queue.act(kind, "", method, where, body, more).catch(() => {});
  }
}

/** What the page let fail without an answer to it. */
let unhandled = [];
process.on("unhandledRejection", (error) => unhandled.push(`unhandled: ${error}`));

/** Runs one sequence. Returns why it failed, or null. */
async function sequence(number) {
  const world = new World(number);
  unhandled = [];
  const { random, clock, node } = world;
  const begin = clock.now;
  const length = random.between(5000, 60000);
  const end = begin + length;
  world.killsAfterCommit = random.chance(0.3) ? 0.3 : 0;
  await world.openPage();
  const at = (time, work) => clock.at(begin + time, () => { if (clock.now < end || time >= length) work(); });

  // Faults of the link and the node.
  for (let time = random.between(0, 3000); time < length - 200; time += random.between(200, 12000)) {
    at(time, () => {
      world.link = random.pick(["up", "down", "down", "silent", "silent", "mute", "slow"]);
      world.trace(`link ${world.link}`);
      if (world.link === "up") for (const page of world.pages) if (random.chance(0.5)) page.emit("online");
    });
    if (random.chance(0.25)) at(time + random.between(0, 500), () => node.kill());
    if (random.chance(0.15)) {
      at(time, () => { node.state = "busy"; });
      at(time + random.between(500, 8000), () => { if (node.state === "busy") node.state = "up"; });
    }
  }
  // Closing, reloading, a second tab.
  for (let n = random.below(4); n > 0; n--) {
    const time = random.between(200, length - 100);
    const closed = random.between(20, 9000);
    const isTab = random.chance(0.3);
    at(time, () => {
      if (isTab) { if (world.pages.size < 3) world.openPage(); return; }
      world.trace("browser closed");
      for (const page of [...world.pages]) page.close();
      clock.at(Math.min(clock.now + closed, end), () => { if (world.pages.size === 0) world.openPage(); });
    });
  }
  // The login may expire, or be removed, meanwhile.
  if (random.chance(0.3)) {
    at(random.between(0, length), () => {
      node.standing = random.pick(["helpOnly", "removed"]);
      world.trace(`login ${node.standing}`);
    });
  }
  // What else waits: reports, a slow photo, a refused entry, an earlier OK.
  for (let n = random.below(6); n > 0; n--) {
    at(random.between(350, length * 0.8), () => {
      const kind = random.pick(["report", "refused", "photo", "comment"]);
      const files = kind === "photo" ? [new Blob([new Uint8Array(9)])] : [];
      world.enter("report", "POST", kind === "refused" ? "refused" : "reports", { title: "r" },
        { files: files.map((file) => Object.assign(file, { name: "p" })) });
    });
  }
  const help = random.between(400, length * 0.8);
  if (random.chance(0.4)) {
    at(Math.max(350, help - random.between(10, 4000)), () =>
      world.enter("safe", "PUT", "me/safety", { safety: "safe" }));
  }
  const isFull = random.chance(0.05);
  at(help, () => {
    world.profile.database.isFull = isFull;
    world.enter("help", "PUT", "me/safety", { safety: "help" });
  });
  if (isFull) at(help + 3000, () => { world.profile.database.isFull = false; });
  // A further call, or a cancellation.
  let isCancelled = false;
  // Also of one that a further call follows.
  const cancelled = new Set();
  if (random.chance(0.2)) {
    at(help + random.between(100, 5000), () => {
      const call = world.page?.queue.unsentCalls()[0];
      if (!call) return;
      world.trace("cancelled");
      isCancelled = true;
      cancelled.add(call.key);
      node.cancelledAt = clock.now;
      world.page.queue.cancelCall(call);
    });
  }
  if (random.chance(0.2)) {
    at(help + random.between(200, 9000), () => {
      if (!world.page) return;
      isCancelled = false;
      world.enter("help", "PUT", "me/safety", { safety: "help" });
    });
  }

  await clock.run(end);
  // From here on the node answers and a page is open.
  world.isOver = true;
  world.killsAfterCommit = 0;
  world.link = "up";
  node.state = "up";
  if (world.pages.size === 0) await world.openPage();
  world.trace("the node answers");
  const onDisk = [...world.profile.database.rows.values()].filter(({ kind, why }) => kind === "help" && !why);
  const inPages = [...world.pages].flatMap((page) => page.queue.unsentCalls()).filter(({ why }) => !why);
  const made = new Set([...onDisk, ...inPages].map(({ key }) => key));
  // Late arrivals of dying connections are over by then, too.
  await clock.run(end + allowed);
  const unsent = [...made].filter((key) => !node.performed.has(key) && !cancelled.has(key));
  // A further call may be entered during that time: it has as long.
  const unsentCalls = () => [...world.pages].flatMap((page) => page.queue.unsentCalls()).filter(({ why }) => !why);
  const shown = unsentCalls().filter(({ key }) => made.has(key));
  await clock.run(end + 60000);
  shown.push(...unsentCalls());
  if (options.trace) console.log([...world.profile.database.rows.values()].map(({ key, kind, why }) => [key, kind, why]), [...world.pages].map((page) => [Boolean(page.state.session), page.connections, page.waiting.length, page.queue.unsentCalls().map(({ key }) => key)]));
  const doubled = node.claims.filter((one) => one.endsWith("help")).length > world.entered;
  const faults = [
    // A cancelled one need not be performed.
    !isCancelled && unsent.length > 0 && `${unsent.length} not sent within ${allowed} ms`,
    shown.length > 0 && "a call is still shown as not sent",
    doubled && "performed twice",
    world.overtaken > 0 && "a call was overtaken",
    !isCancelled && made.size > 0 && node.claims.at(-1).endsWith("safe")
      && "an earlier OK cancelled the call",
    isCancelled && node.standing === "full" && node.claims.length > 0 && node.claims.at(-1) === "help"
      && "a cancelled call stands",
    ...unhandled,
  ].filter(Boolean);
  for (const page of [...world.pages]) page.close();
  return { faults, lines: world.lines, waited: made.size, cancelled: isCancelled };
}

const first = options.only === undefined ? 0 : Number(options.only);
const last = options.only === undefined ? Number(options.sequences) : first + 1;
let [failed, waited, cancelled] = [0, 0, 0];
for (let number = first; number < last; number++) {
  const result = await sequence(number);
  waited += result.waited;
  cancelled += result.cancelled ? 1 : 0;
  if (options.trace) console.log(result.lines.join("\n"));
  if (result.faults.length === 0) continue;
  failed++;
  if (failed > 10) break;
  console.log(`FAILED: sequence ${number}: ${result.faults.join("; ")}. Replay: node --experimental-vm-modules `
    + `Tests/Browser/queue.mjs --seed ${seed} --only ${number} --trace`);
}
console.log(`${last - first} sequences, seed ${seed}: ${waited} calls waited when the node answered, `
  + `${cancelled} cancelled, ${failed} failures`);
process.exit(failed > 0 || (last - first >= 100 && waited < (last - first) / 10) ? 1 : 0);
