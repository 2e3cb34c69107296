// What waits on this phone, as pages show it, and the way on to the next deal where there is no network. A page that the
// service worker serves, and one that lies open where there is none, go on alike: the next form stands in its place.
"use strict";

(() => {
  const byId = (id) => document.getElementById(id);
  const here = () => Number(byId("waiting")?.dataset.session);
  const words = fetch(document.querySelector("script[data-words]").dataset.words).then((reply) => reply.text());
  let behind = null; // the page of the session, while a form stands in its place
  let listed = []; // what waits, as it is shown

  const unsaved = (deals) => deals.filter(({ state }) => state !== "saved");
  const first = (deal) => listed.find(({ session }) => session === deal.session) === deal;
  const last = (deal) => listed.findLast(({ session }) => session === deal.session) === deal;
  const cut = () => !navigator.onLine || queue.lost() || document.querySelector("[data-live]")?.dataset.state === "lost";

  function drawnRow([name, change, total]) {
    const [row, who, after] = ["span", "bdi", "small"].map((tag) => document.createElement(tag));
    who.textContent = name;
    const drawn = [change, total].map(([text, debt]) => {
      const amount = document.createElement("span");
      amount.className = debt ? "num debt" : "num";
      amount.textContent = text;
      return amount;
    });
    after.append("(", drawn[1], ")");
    row.append(who, " ", drawn[0], " ", after);
    return row;
  }

  function drawn(deal, words) {
    const entry = document.querySelector("#waiting template").content.firstElementChild.cloneNode(true);
    const part = (name) => entry.querySelector(`[data-of="${name}"]`);
    const reason = deal.gone ? words.gone : deal.reason;
    const state = deal.state === "asks" ? words.asks.replace("{reason}", () => reason) : words.waits;
    for (const name of ["title", "entered", "said"]) part(name).textContent = deal[name];
    part("rows").replaceChildren(...(deal.rows ?? []).map(drawnRow));
    part("rows").hidden = !deal.rows;
    part("state").textContent = deal.rows || deal.state === "asks" ? state : `${state} ${words.unknown}`;
    part("name").hidden = Boolean(here());
    [part("name").textContent, part("name").href] = [deal.name, deal.back];
    part("look").hidden = deal.gone || deal.state !== "asks" || !first(deal);
    part("look").href = deal.form;
    part("leave").hidden = !(deal.state === "asks" && first(deal)) && !last(deal);
    part("leave").addEventListener("click", () => queue.drop(deal));
    return entry;
  }

  async function show() {
    const section = byId("waiting");
    // A form that is being sent gives way to another page.
    if (!section || document.querySelector("form[data-session][aria-busy]")) return;
    const [list, session] = [await listIn(section), here()];
    const deals = unsaved(await queue.all()).filter((deal) => !session || deal.session === session);
    deals.sort((one, other) => one.session - other.session || one.key - other.key);
    // Another page may have taken the place of this one meanwhile.
    if (!list.isConnected || JSON.stringify(deals) === JSON.stringify(listed)) return;
    // Above a form it stays where it is when all have arrived: nothing moves under a thumb.
    list.hidden = !deals.length && (!listed.length || !("folded" in section.dataset));
    if (!list.hidden) section.hidden = false;
    listed = deals;
    const { arrived, asked, count } = list.dataset;
    const says = deals.some(({ state }) => state === "asks") ? asked : deals.length ? count : arrived;
    byId("waiting-count").textContent = says.replace("{number}", deals.length);
    list.querySelector("ol").replaceChildren(...deals.map((deal) => drawn(deal, list.dataset)));
    if (!deals.length) byId("waiting-first").hidden = true;
    section.hidden = list.hidden && byId("waiting-stuck").hidden;
    // The number on it is that of the first of these.
    if (deals.length && byId("next")) byId("next").textContent = list.dataset.next;
  }

  // The list of what waits, with the words that the server has for it.
  async function listIn(section) {
    const html = await words;
    if (!section.firstChild) {
      const page = new DOMParser().parseFromString(html, "text/html");
      const main = page.querySelector("main");
      section.replaceChildren(...main.childNodes);
      const list = section.querySelector("details");
      [list.open, list.hidden] = [!("folded" in section.dataset), true];
      byId("waiting-copy").hidden = Boolean(here());
    }
    return section.querySelector("details");
  }

  // The page of a session has no form, but one may come to stand in its place.
  async function loadForms() {
    if (!here() || typeof begin === "function") return;
    const page = new DOMParser().parseFromString(await words, "text/html");
    const script = document.createElement("script");
    script.src = page.querySelector("main").dataset.script;
    document.head.append(script);
  }

  // Say that something waits for the network.
  async function say(id) {
    const section = byId("waiting");
    await listIn(section);
    section.hidden = byId(id).hidden = false;
  }

  // Put a page in the place of this one.
  function swap(html) {
    const page = new DOMParser().parseFromString(html, "text/html");
    document.title = page.title;
    document.body.replaceWith(document.adoptNode(page.body));
    listed = [];
    window.scrollTo(0, 0);
    (document.querySelector("main [autofocus]") ?? byId("main")).focus({ preventScroll: true });
    show();
    return document.querySelector("form[data-session]");
  }

  // What deals that are not on a page come to: see begin.
  function ahead(deals, version) {
    if (!deals.length) return { count: 0 };
    const follow = deals.every((deal, place) => deal.version === version + place && deal.state !== "asks" && deal.points);
    const points = follow ? deals[0].points.map((_, seat) => deals.reduce((sum, deal) => sum + deal.points[seat], 0)) : null;
    return { count: deals.length, version: deals.at(-1).version + 1, points };
  }

  // Go on to the form of the deal after those that wait.
  async function goOn(session) {
    if (!(await queue.formsOf(session))) await fetchAhead();
    const forms = await queue.formsOf(session);
    const deals = await queue.of(session, forms?.version);
    const before = deals.at(-1);
    if (!forms || before?.over) return stuck();
    const form = swap(forms.pages[before?.next] ?? forms.pages.next);
    begin(form, { ahead: ahead(deals, forms.version), send: sendFrom(form) });
  }

  async function stuck() {
    for (const form of document.querySelectorAll("form[data-session]")) {
      form.hidden = true;
      form.removeAttribute("aria-busy");
    }
    await show();
    await say("waiting-stuck");
    document.querySelector("#waiting details").open = true;
  }

  // The page on which the server asks about a deal: it goes where the deal was, or is left out.
  function ask(deal) {
    const form = swap(queue.answers.get(deal.key));
    if (!form) return;
    begin(form, { send: sendFrom(form, deal) });
    byId("decide").hidden = false;
    byId("leave").addEventListener("click", async () => {
      await queue.drop(deal);
      leave(form.dataset.back);
    });
  }

  function leave(address) {
    // A page is loaded anew where only what comes after # differs.
    if (new URL(address, location.href).pathname === location.pathname) {
      history.replaceState(null, "", address);
      location.reload();
    } else location.assign(address);
  }

  // How the deals of *form* are sent: in the place of *decided*, the deal about which it asks, if it does.
  function sendFrom(form, decided = null) {
    return async (deal, sent) => {
      try {
        await (decided ? queue.replace(decided.key, deal) : queue.add(deal));
      } catch {
        // No database here: as it is sent without this script.
        return void HTMLFormElement.prototype.submit.call(form);
      }
      sent();
      // Where there was no network just now, nobody waits long for it.
      const late = new Promise((resolve) => setTimeout(resolve, queue.lost() ? 1000 : 10000));
      await Promise.race([queue.drain(), late]);
      const [left] = unsaved(await queue.of(deal.session));
      if (!left) leave(form.dataset.saved);
      else if (queue.answers.has(left.key)) ask(left);
      else await goOn(deal.session);
    };
  }

  // A form that has just been opened. What waits before it is counted on, or decided about first.
  async function arrive() {
    const form = document.querySelector("form[data-session]");
    if (!form) return;
    begin(form, { send: sendFrom(form) });
    if (!("fresh" in form.dataset)) return;
    const [left] = await queue.of(here(), Number(form.elements.expected_version.value));
    if (!left) return;
    if (left.state === "asks") await queue.drain(left.key);
    if (queue.answers.has(left.key)) ask(left);
    else await goOn(here());
  }

  function fetchAhead() {
    const next = document.querySelector("[data-ahead]");
    if (!next) return null;
    const { ahead, form } = next.dataset;
    const version = next.dataset.version ?? document.querySelector("#acts [name=expected_version]").value;
    const asked = queue.fetchAhead(here(), Number(version), new URL(form ?? next.href, location), ahead.split(" "));
    return asked.catch(() => {});
  }

  function back() {
    document.body.replaceWith(behind);
    [behind, listed] = [null, []];
    show();
  }

  // Where no service worker does it, a link leads on without the network.
  async function withoutWorker(event) {
    const link = event.target.closest("#next, .turned-up a, .deal-title a");
    if (!link || navigator.serviceWorker?.controller || !cut()) return;
    event.preventDefault();
    if (link.closest(".deal-title")) {
      if (behind) history.back();
      else say("waiting-stuck");
      return;
    }
    const [page, chosen] = [document.body, new URLSearchParams(link.search)];
    await goOn(here());
    if (document.body === page) return;
    behind = page;
    history.pushState(null, "", "#deal");
    for (const [name, value] of chosen) byId(`${name}-${value}`)?.click();
  }

  document.addEventListener("click", (event) => {
    if (event.target.id !== "waiting-copy") return void withoutWorker(event);
    const list = byId("waiting").querySelector("ol");
    getSelection().selectAllChildren(list);
    navigator.clipboard?.writeText(getSelection().toString());
  });
  // What else changes the session would come before the deals that wait.
  document.addEventListener(
    "submit",
    (event) => {
      if (event.target.id !== "acts" || !listed.length || event.submitter?.name === "side") return;
      event.preventDefault();
      event.stopPropagation();
      say("waiting-first");
    },
    true,
  );
  window.addEventListener("popstate", () => behind && back());
  document.addEventListener("queue", show);
  document.addEventListener("moved-on", fetchAhead);
  navigator.serviceWorker?.addEventListener("controllerchange", fetchAhead);
  window.addEventListener("load", fetchAhead);
  show();
  arrive();
  loadForms();
})();
