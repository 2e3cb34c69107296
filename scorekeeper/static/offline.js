// The deals that wait on this phone. Each is kept in the browser's database from the tap on until the server has saved
// it. They are sent in order, each under the id of its form: one that arrives twice counts once. The first of a session
// that is not plainly saved holds up those after it, and a person decides about it. Beside them are the forms of the
// deals to come, fetched while there is a network. Works without a service worker; where there can be one, this is
// also what brings it. Stands on every page that people write from, so that what waits is sent from any.
"use strict";

// What *work* does with the storage of that name. A browser may refuse it: then nothing is remembered.
function recall(name, work) {
  try {
    return work(window[name]);
  } catch {
    return null;
  }
}

const queue = (() => {
  const [every, patience] = [5000, 8000]; // milliseconds: between two tries, for the server to answer
  const opening = 3000; // milliseconds for the database, which some browsers never open
  const { words: release } = document.currentScript.dataset; // their address is another one in each release
  const tabs = window.BroadcastChannel ? new BroadcastChannel("queue") : null;
  const answers = new Map(); // by deal, the page with which the server asked about it last
  let lost = false; // whether the last try found no network
  let [turns, draining] = [Promise.resolve(), false];

  const opened = new Promise((resolve, reject) => {
    const request = indexedDB.open("scorekeeper", 1);
    request.onupgradeneeded = () => {
      request.result.createObjectStore("deals", { keyPath: "key", autoIncrement: true });
      request.result.createObjectStore("forms", { keyPath: "session" });
    };
    request.onsuccess = () => {
      // A page of another release may need another database.
      request.result.onversionchange = () => request.result.close();
      resolve(request.result);
    };
    request.onerror = () => reject(request.error);
    request.onblocked = reject;
    setTimeout(reject, opening, new Error("The database does not open."));
  });
  opened.catch(() => {}); // whoever uses it hears of it

  // What *work* asks of a store, in one transaction that is on the disk when this ends.
  async function stored(name, mode, work) {
    const transaction = (await opened).transaction(name, mode, { durability: "strict" });
    const request = work(transaction.objectStore(name));
    return new Promise((resolve, reject) => {
      transaction.oncomplete = () => resolve(request.result);
      transaction.onabort = () => reject(transaction.error);
    });
  }

  const all = () => stored("deals", "readonly", (deals) => deals.getAll());
  const one = (key) => stored("deals", "readonly", (deals) => deals.get(key));
  const idOf = ({ body }) => new URLSearchParams(body).get("submission_id");
  const forget = (session) => stored("forms", "readwrite", (forms) => forms.delete(session));

  // Of what scripts remember under a key that begins "group 5/12 ", in this tab or for good; at *visit* of each. Group 5
  // and its session 12 are what it belongs to, as they are named in forms and deals too.
  function remembered(visit = () => {}) {
    const groups = new Set();
    const look = (storage) => {
      for (const key of Object.keys(storage)) {
        const [, group] = key.match(/^group ([\d/]+) /) ?? [];
        if (group) groups.add(group) && visit(group, () => storage.removeItem(key));
      }
    };
    for (const name of ["sessionStorage", "localStorage"]) recall(name, look);
    return groups;
  }

  // Of what is not *open* to this browser any more, as a group or as a session alone, nothing stays but what was entered
  // here to be recorded and is not saved.
  async function prune(open) {
    const closed = (group) => !open.includes(group) && !open.includes(group.split("/")[0]);
    remembered((group, drop) => closed(group) && drop());
    for (const { group, session } of await stored("forms", "readonly", (forms) => forms.getAll()))
      if (closed(group)) await forget(session);
    for (const { group, key, state } of await all())
      if (state === "saved" && closed(group)) await stored("deals", "readwrite", (deals) => deals.delete(key));
  }

  // The deals of a session that are to be counted on from *version*: those that wait, and those saved since.
  async function of(session, version) {
    const counts = (deal) => deal.session === session && (deal.state !== "saved" || deal.version >= version);
    return (await all()).filter(counts);
  }

  // The forms of a session that were fetched ahead, unless these pages are not theirs: see fetchAhead.
  async function formsOf(session) {
    const forms = await stored("forms", "readonly", (forms) => forms.get(session));
    return forms?.release === release ? forms : undefined;
  }

  function tell() {
    document.dispatchEvent(new Event("queue"));
    if (tabs) tabs.postMessage(null);
  }

  // Change a deal, unless somebody has dropped it meanwhile.
  const change = (key, values) =>
    stored("deals", "readwrite", (deals) => {
      const request = deals.get(key);
      request.onsuccess = () => request.result && deals.put({ ...request.result, ...values });
      return request;
    });

  // What comes after a deal that a person decides about is not what it was when it was entered: its preview is given
  // up, so that the server shows another before it saves it.
  async function unsettle({ key, session }) {
    for (const deal of await all()) {
      if (deal.session !== session || deal.key <= key || deal.state === "saved") continue;
      const body = new URLSearchParams(deal.body);
      body.set("previewed", "");
      await change(deal.key, { body: body.toString(), said: "", rows: null, points: null, over: false });
    }
  }

  // Do something while nothing is being sent: one after another, and of all tabs one at a time where the browser can see
  // to that; otherwise the server does.
  function inTurn(work) {
    turns = turns.then(() => (navigator.locks ? navigator.locks.request("queue", work) : work())).then(tell, tell);
    return turns;
  }

  const drop = (deal) =>
    inTurn(async () => {
      if ((await one(deal.key))?.state === "saved") return;
      await unsettle(deal);
      await stored("deals", "readwrite", (deals) => deals.delete(deal.key));
    });

  async function ask(address, options) {
    const stop = new AbortController();
    const late = setTimeout(() => stop.abort(), patience);
    try {
      const reply = await fetch(address, { ...options, signal: stop.signal });
      // What is no answer of ours comes from something in between.
      if (!reply.headers.has("X-Release")) throw new Error(`the network answered ${reply.status}`);
      const html = await reply.text();
      lost = false;
      if (reply.headers.has("X-Open")) await prune(reply.headers.get("X-Open").split(" ")).catch(() => {});
      return { status: reply.status, redirected: reply.redirected, html };
    } catch (error) {
      lost = true;
      document.dispatchEvent(new Event("cut"));
      throw error;
    } finally {
      clearTimeout(late);
    }
  }

  // Whether the server answers; this page may have an address that only takes a form.
  const reach = () => ask("/words", { cache: "no-store", headers: { "X-Fragment": "1" } }).then(() => true, () => false);

  function post({ action, body }) {
    const headers = { "Content-Type": "application/x-www-form-urlencoded", "X-Queued": "1" };
    return ask(action, { method: "POST", body, headers, redirect: "error" });
  }

  // Send it with the token that forms carry now: it goes with the cookie, which may be another one since. To whom the
  // form is not open any more neither is what it sends.
  async function renew(deal) {
    const form = await ask(deal.form, { headers: { "X-Fragment": "1" } });
    if ([403, 404].includes(form.status)) return form;
    const token = new DOMParser().parseFromString(form.html, "text/html").querySelector("[name=csrf_token]");
    const body = new URLSearchParams(deal.body);
    if (token) body.set("csrf_token", token.value);
    return post({ ...deal, body: body.toString() });
  }

  // Send one deal. Whether it is done with; without an answer of the server this throws.
  async function send(deal) {
    // What leaves without an answer may have arrived.
    if (navigator.onLine && !deal.tried) await change(deal.key, { tried: true });
    let answer = await post(deal);
    if (answer.status === 400) answer = await renew(deal);
    if (answer.status >= 500) {
      await change(deal.key, { troubled: true });
      throw new Error(`the server answered ${answer.status}`);
    }
    answers.delete(deal.key);
    if (answer.status === 201) return void (await change(deal.key, { state: "saved" }));
    answers.set(deal.key, answer.html);
    const page = new DOMParser().parseFromString(answer.html, "text/html");
    const said = page.querySelector("[role=alert] .notice, .problems li") ?? page.querySelector("h1");
    // Whoever is let in again goes on where it stopped: nothing has changed by that.
    const gone = [403, 404].includes(answer.status);
    if (!gone) await unsettle(deal);
    await change(deal.key, { state: "asks", reason: said?.textContent.trim() ?? answer.status, gone, tried: false });
  }

  // Send what waits, as far as it can be sent; of what asks for a person only the deal *decided* now.
  async function sendAll(decided) {
    const held = new Set();
    for (const { key, session } of await all()) {
      if (held.has(session)) continue;
      const deal = await one(key);
      if (!deal || deal.state === "saved") continue;
      if (deal.state === "asks" && key !== decided) {
        held.add(session);
        continue;
      }
      try {
        await send(deal);
      } catch {
        // What waits is not to be cleared away meanwhile.
        navigator.storage?.persist?.();
        if (lost && deal.troubled) await change(key, { troubled: false });
        if (lost) return;
        // The server is there, and may save what is of another session.
        held.add(session);
      }
      if ((await one(key))?.state === "asks") held.add(session);
    }
  }

  const drain = (decided) => inTurn(() => sendAll(decided));

  // Keep a deal, once however often its form is sent.
  async function add(deal) {
    await stored("deals", "readwrite", (deals) => {
      const request = deals.getAll();
      request.onsuccess = () => {
        const here = request.result.some((other) => idOf(other) === idOf(deal));
        if (!here) deals.add({ ...deal, state: "waits", reason: "", gone: false });
      };
      return request;
    });
    tell();
  }

  // Another deal in the place of one about which a person has decided.
  async function replace(key, deal) {
    await stored("deals", "readwrite", (deals) => deals.put({ ...deal, key, state: "waits", reason: "", gone: false }));
    tell();
  }

  // Nothing needs to be counted on from a version before *version* any more.
  async function settle(session, version) {
    for (const deal of await all()) {
      if (deal.session !== session || deal.state !== "saved" || deal.version >= version) continue;
      await stored("deals", "readwrite", (deals) => deals.delete(deal.key));
    }
  }

  // Fetch the form of the deal that comes *next* in a version of a session, and those that *seats* deal after it, unless
  // they are here as pages of it are *shown*, which new names change too: in the database, and the next one also where
  // the service worker, if there is one, finds it.
  async function fetchAhead(session, version, shown, next, seats) {
    await settle(session, version);
    const served = !navigator.serviceWorker?.controller || (await caches.match(next, { ignoreVary: true }));
    const forms = await formsOf(session);
    if (served && forms?.version === version && forms.shown === shown) return;
    const pages = {};
    let [group, first] = [null, null];
    for (const seat of ["next", ...seats]) {
      const address = seat === "next" ? next : new URL(`ahead/${seat}`, next);
      const { status, redirected, html } = await ask(address, { headers: { "X-Fragment": "1" } });
      if ([403, 404].includes(status)) return void (await forget(session));
      const page = new DOMParser().parseFromString(html, "text/html");
      const field = page.querySelector("[name=expected_version]");
      // Where the session has moved on, the page does as well, and asks again.
      if (status !== 200 || redirected || Number(field?.value) !== version) return;
      pages[seat] = html;
      ({ group } = field.form.dataset);
      first ??= page.querySelector("[data-live]").dataset.version;
    }
    await stored("forms", "readwrite", (kept) => {
      const request = kept.get(session);
      request.onsuccess = () => {
        const newer = request.result?.release === release && request.result.version > version;
        if (!newer) kept.put({ session, group, version, shown: first, release, pages });
      };
      return request;
    });
  }

  async function wake() {
    if (document.hidden || draining) return;
    draining = true;
    try {
      if ((await all()).some(({ state }) => state === "waits")) await drain();
    } finally {
      draining = false;
    }
  }

  if (tabs) tabs.onmessage = () => document.dispatchEvent(new Event("queue"));
  const awake = () => wake().catch(() => {});
  window.addEventListener("online", awake);
  document.addEventListener("visibilitychange", awake);
  setInterval(awake, every);
  awake();
  // Where this page is not there for this browser, what is kept may not be either. Of other sessions a page of one says
  // nothing, and the start page of none.
  const several = async () => {
    const groups = remembered();
    for (const { group } of await stored("forms", "readonly", (forms) => forms.getAll()).catch(() => [])) groups.add(group);
    return groups.size > (location.pathname === "/" ? 0 : 1);
  };
  if (document.getElementById("gone")) reach();
  else several().then((are) => are && reach());

  return { add, all, answers, drain, drop, fetchAhead, forget, formsOf, idOf, of, reach, replace, lost: () => lost };
})();

// The service worker serves what was kept where there is no network. A newer one waits until a person says to use it.
(() => {
  const { words, off } = document.currentScript.dataset;
  const worker = off === undefined ? navigator.serviceWorker : undefined;
  let used = false;

  // Where no worker waits with it, as where another tab uses it already, the newer version is what is loaded next.
  async function use() {
    const registration = await worker?.getRegistration();
    if (!registration?.waiting) return location.reload();
    used = true;
    registration.waiting.postMessage("use");
  }

  async function tell() {
    const page = new DOMParser().parseFromString(await (await fetch(words)).text(), "text/html");
    if (document.getElementById("newer")) return;
    const notice = document.importNode(page.getElementById("newer"), true);
    const place = document.createElement("div");
    place.setAttribute("role", "status");
    place.append(notice);
    notice.querySelector("button").addEventListener("click", use);
    document.getElementById("main").prepend(place);
    // Only what comes to a place that was there is read out.
    requestAnimationFrame(() => (notice.hidden = false));
  }

  // An open page has met an answer of another release.
  document.addEventListener("newer", () => {
    if (document.getElementById("newer")) return;
    worker?.getRegistration().then((registration) => registration?.update()).catch(() => {});
    tell().catch(() => {});
  });

  // On the way back a browser shows what it has left, without asking, where no worker does: of an older release, or of what
  // is not open to it any more. It may be the answer to a form, which is not sent again.
  const [opened] = performance.getEntriesByType("navigation");
  async function comeBack() {
    const address = location.pathname + location.search;
    const { status, headers } = await fetch(address, { cache: "no-cache", headers: { "X-Fragment": "1" } });
    const release = headers.get("X-Release");
    if (release && ([403, 404].includes(status) || !words.includes(release))) location.replace(address);
  }
  window.addEventListener("pageshow", ({ persisted }) => {
    if (persisted || (opened?.type === "back_forward" && !opened.workerStart)) comeBack().catch(() => {});
  });
  if (!worker) return;

  async function waits({ waiting }) {
    if (waiting && worker.controller) await tell();
  }

  async function watch() {
    const registration = await navigator.serviceWorker.register("/sw.js", { updateViaCache: "none" });
    await waits(registration);
    // A page that was on its way when the worker began has been missed by it.
    if (registration.active && !navigator.serviceWorker.controller) registration.active.postMessage("claim");
    registration.addEventListener("updatefound", () => {
      registration.installing.addEventListener("statechange", () => waits(registration));
    });
    document.addEventListener("visibilitychange", () => document.hidden || registration.update().catch(() => {}));
  }

  // The first worker of this browser has not seen this page come.
  const show = () => fetch(location.href, { headers: { "X-Fragment": "1" } }).catch(() => {});
  navigator.serviceWorker.addEventListener("controllerchange", () => (used ? location.reload() : show()));
  if (navigator.serviceWorker.controller && !opened?.workerStart) show();
  watch().catch(() => {});
})();

// A form goes off only when the server has just answered: otherwise the browser would show an error of its own in the place
// of the page, and what was entered would be lost. Nothing counts twice: while one form is under way, no other goes off.
let passes = false; // whether it has, and the button that was pressed is pressed again

function press(button) {
  passes = true;
  button.click();
  passes = false;
}

(() => {
  const { words } = document.currentScript.dataset;
  const patience = 10000; // milliseconds until a form that has led nowhere can be sent again
  let underWay = null; // the form that is, or true while it is not known whether it can be
  let [said, own] = [null, null]; // what is said then, which must be here before the network is gone; where it stands

  function read() {
    said ??= fetch(words).then((reply) => (reply.headers.has("X-Release") ? reply.text() : Promise.reject(reply.status)));
    said.catch(() => (said = null));
    return said;
  }

  // A page may have a place of its own for it.
  async function say(button) {
    let notice = document.querySelector("[data-offline]");
    if (!notice || notice === own) {
      notice = own ??= new DOMParser().parseFromString(await read(), "text/html").querySelector("[data-offline]");
      notice.hidden = true;
      (button.closest(".row") ?? button).after(notice.parentElement);
    }
    // Only what comes to a place that was there is read out.
    await new Promise(requestAnimationFrame);
    notice.hidden = false;
    notice.scrollIntoView({ block: "nearest" });
  }

  window.addEventListener("submit", async (event) => {
    const { target: form, submitter, defaultPrevented } = event;
    if (defaultPrevented || !submitter || form.method !== "post") return;
    const waits = underWay === true || underWay === form;
    if (!passes || waits) event.preventDefault();
    if (waits) return;
    if (passes) {
      // What has an id counts once however often it is sent.
      if (form.elements.submission_id) return;
      underWay = form;
      return void setTimeout(() => (underWay = null), patience);
    }
    const before = underWay;
    underWay = true;
    for (const busy of [form, submitter]) busy.setAttribute("aria-busy", "true");
    const reached = await queue.reach();
    for (const busy of [form, submitter]) busy.removeAttribute("aria-busy");
    underWay = before;
    if (!reached) return void say(submitter).catch(() => {});
    const notice = document.querySelector("[data-offline]");
    if (notice) notice.hidden = true;
    // A preview that came meanwhile has brought another one of it.
    const button = submitter.isConnected ? submitter : document.getElementById(submitter.id);
    if (button) press(button);
  });
  window.addEventListener("pageshow", () => (underWay = null));
  if (document.querySelector("form[method=post]")) read().catch(() => {});
})();
