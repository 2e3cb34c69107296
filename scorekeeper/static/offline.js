// The deals that wait on this phone. Each is kept in the browser's database from the tap on until the server has saved
// it. They are sent in order, each under the id of its form: one that arrives twice counts once. The first of a session
// that is not plainly saved holds up those after it, and a person decides about it. Beside them are the forms of the
// deals to come, fetched while there is a network. Works without a service worker; where there can be one, this is
// also what brings it. Stands on every page, so that what waits is sent from any.
"use strict";

const queue = (() => {
  const [every, patience] = [5000, 8000]; // milliseconds: between two tries, for the server to answer
  const { words: release } = document.currentScript.dataset; // their address is another one in each release
  const tabs = window.BroadcastChannel ? new BroadcastChannel("queue") : null;
  const answers = new Map(); // by deal, the page with which the server asked about it last
  let lost = false; // whether the last try found no network
  let sending = Promise.resolve();

  const opened = new Promise((resolve, reject) => {
    const request = indexedDB.open("scorekeeper", 1);
    request.onupgradeneeded = () => {
      request.result.createObjectStore("deals", { keyPath: "key", autoIncrement: true });
      request.result.createObjectStore("forms", { keyPath: "session" });
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
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
  const forget = () => stored("forms", "readwrite", (forms) => forms.clear());

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

  async function drop(deal) {
    await unsettle(deal);
    await stored("deals", "readwrite", (deals) => deals.delete(deal.key));
    tell();
  }

  async function ask(address, options) {
    const stop = new AbortController();
    const late = setTimeout(() => stop.abort(), patience);
    try {
      const reply = await fetch(address, { ...options, signal: stop.signal });
      // What is no answer of ours comes from something in between.
      if (!reply.headers.has("X-Release")) throw new Error(`the network answered ${reply.status}`);
      const html = await reply.text();
      lost = false;
      return { status: reply.status, redirected: reply.redirected, html };
    } catch (error) {
      lost = true;
      throw error;
    } finally {
      clearTimeout(late);
    }
  }

  function post({ action, body }) {
    const headers = { "Content-Type": "application/x-www-form-urlencoded", "X-Queued": "1" };
    return ask(action, { method: "POST", body, headers, redirect: "error" });
  }

  // The same deal with the token that forms carry now: it goes with the cookie, which may be another one since.
  async function renewed(deal) {
    const { html } = await ask(deal.form, { headers: { "X-Fragment": "1" } });
    const token = new DOMParser().parseFromString(html, "text/html").querySelector("[name=csrf_token]");
    const body = new URLSearchParams(deal.body);
    if (token) body.set("csrf_token", token.value);
    return { ...deal, body: body.toString() };
  }

  // Send one deal. Whether it is done with; without an answer of the server this throws.
  async function send(deal) {
    let answer = await post(deal);
    if (answer.status === 400) answer = await post(await renewed(deal));
    answers.delete(deal.key);
    if (answer.status === 201) return void (await change(deal.key, { state: "saved" }));
    answers.set(deal.key, answer.html);
    const page = new DOMParser().parseFromString(answer.html, "text/html");
    const said = page.querySelector("[role=alert] .notice, .problems li") ?? page.querySelector("h1");
    const gone = [403, 404].includes(answer.status);
    if (gone) await forget();
    await unsettle(deal);
    await change(deal.key, { state: "asks", reason: said.textContent.trim(), gone });
  }

  // Send what waits, as far as it can be sent; of what asks for a person only the deal *decided* now.
  async function sendAll(decided) {
    const held = new Set();
    for (const { key, session } of await all()) {
      if (held.has(session)) continue;
      const deal = await stored("deals", "readonly", (deals) => deals.get(key));
      if (!deal || deal.state === "saved") continue;
      if (deal.state === "asks" && key !== decided) {
        held.add(session);
        continue;
      }
      try {
        await send(deal);
      } catch {
        // There is no network, or the server gives no answer: what waits is not to be cleared away meanwhile.
        return void navigator.storage?.persist?.();
      }
      const after = await stored("deals", "readonly", (deals) => deals.get(key));
      if (after?.state === "asks") held.add(session);
    }
  }

  // One after another, and of all tabs one at a time where the browser can see to that; otherwise the server does.
  function drain(decided) {
    const run = () => (navigator.locks ? navigator.locks.request("queue", () => sendAll(decided)) : sendAll(decided));
    sending = sending.then(run).then(tell, tell);
    return sending;
  }

  async function add(deal) {
    const key = await stored("deals", "readwrite", (deals) => deals.add({ ...deal, state: "waits", reason: "", gone: false }));
    tell();
    return key;
  }

  // Another deal in the place of one about which a person has decided.
  async function replace(key, deal) {
    await stored("deals", "readwrite", (deals) => deals.put({ ...deal, key, state: "waits", reason: "", gone: false }));
    tell();
    return key;
  }

  // Nothing needs to be counted on from a version before *version* any more.
  async function settle(session, version) {
    for (const deal of await all()) {
      if (deal.session !== session || deal.state !== "saved" || deal.version >= version) continue;
      await stored("deals", "readwrite", (deals) => deals.delete(deal.key));
    }
  }

  // Fetch the form of the deal that comes *next* in a version of a session, and those that *seats* deal after it, unless
  // they are here: in the database, and the next one also where the service worker, if there is one, finds it.
  async function fetchAhead(session, version, next, seats) {
    await settle(session, version);
    const served = !navigator.serviceWorker?.controller || (await caches.match(next, { ignoreVary: true }));
    if (served && (await formsOf(session))?.version === version) return;
    const pages = {};
    for (const seat of ["next", ...seats]) {
      const address = seat === "next" ? next : new URL(`ahead/${seat}`, next);
      const { status, redirected, html } = await ask(address, { headers: { "X-Fragment": "1" } });
      if ([403, 404].includes(status)) return void (await forget());
      const field = new DOMParser().parseFromString(html, "text/html").querySelector("[name=expected_version]");
      // Where the session has moved on, the page does as well, and asks again.
      if (status !== 200 || redirected || Number(field?.value) !== version) return;
      pages[seat] = html;
    }
    await stored("forms", "readwrite", (kept) => {
      const request = kept.get(session);
      request.onsuccess = () => {
        const newer = request.result?.release === release && request.result.version > version;
        if (!newer) kept.put({ session, version, release, pages });
      };
      return request;
    });
  }

  async function wake() {
    if (!document.hidden && (await all()).some(({ state }) => state === "waits")) drain();
  }

  if (tabs) tabs.onmessage = () => document.dispatchEvent(new Event("queue"));
  window.addEventListener("online", wake);
  document.addEventListener("visibilitychange", wake);
  setInterval(() => wake().catch(() => {}), every);
  wake().catch(() => {});
  // This page is not there for this browser, so what was fetched ahead may not be either.
  if (document.getElementById("gone")) forget().catch(() => {});

  return { add, all, answers, drain, drop, fetchAhead, formsOf, of, replace, lost: () => lost };
})();

// The service worker serves what was kept where there is no network. A newer one waits until a person says to use it.
(() => {
  const { words, off } = document.currentScript.dataset;
  if (off !== undefined || !navigator.serviceWorker) return;
  let used = false;

  async function tell({ waiting }) {
    if (!waiting || !navigator.serviceWorker.controller || document.getElementById("newer")) return;
    const page = new DOMParser().parseFromString(await (await fetch(words)).text(), "text/html");
    const notice = document.importNode(page.getElementById("newer"), true);
    notice.querySelector("button").addEventListener("click", () => {
      used = true;
      waiting.postMessage("use");
    });
    document.getElementById("main").prepend(notice);
    notice.hidden = false;
  }

  async function watch() {
    const registration = await navigator.serviceWorker.register("/sw.js", { updateViaCache: "none" });
    await tell(registration);
    // A page that was on its way when the worker began has been missed by it.
    if (registration.active && !navigator.serviceWorker.controller) registration.active.postMessage("claim");
    registration.addEventListener("updatefound", () => {
      registration.installing.addEventListener("statechange", () => tell(registration));
    });
    document.addEventListener("visibilitychange", () => document.hidden || registration.update().catch(() => {}));
  }

  // The first worker of this browser has not seen this page come.
  const [opened] = performance.getEntriesByType("navigation");
  const show = () => fetch(location.href, { headers: { "X-Fragment": "1" } }).catch(() => {});
  navigator.serviceWorker.addEventListener("controllerchange", () => (used ? location.reload() : show()));
  if (navigator.serviceWorker.controller && !opened?.workerStart) show();
  watch().catch(() => {});
})();
