// What waits on this phone, as pages show it, and the way on to the next deal where there is no network. A page that the
// service worker serves, and one that lies open where there is none, go on alike: the next form stands in its place.
"use strict";

(() => {
  const byId = (id) => document.getElementById(id);
  const here = () => Number(byId("waiting")?.dataset.session);
  let behind = null; // the page of the session, while a form stands in its place
  let listed = []; // what waits, as it is shown
  let sending = false; // whether a form is being sent, and gives way to another page
  let entering = false; // whether a form is on its way into the place of the page: another tap does nothing then
  let followed = null; // the form, as begin returns it
  let [read, script] = [null, null]; // the words of the server and what a form works by, once they have been asked for

  const unsaved = (deals) => deals.filter(({ state }) => state !== "saved");
  const firstOf = (session) => listed.find((deal) => deal.session === session);
  const first = (deal) => firstOf(deal.session) === deal;
  const last = (deal) => listed.findLast(({ session }) => session === deal.session) === deal;
  const shown = () => document.querySelector("[data-live]").dataset.version; // with the names: see fetchAhead
  const freshForm = () => document.querySelector("form[data-fresh]:not([hidden])");
  const alone = () => !navigator.serviceWorker?.controller; // there is nothing here that would serve a page
  const cut = () => !navigator.onLine || queue.lost() || document.querySelector("[data-live]")?.dataset.state === "lost";

  function words() {
    read ??= fetch(document.querySelector("script[data-words]").dataset.words).then((reply) => reply.text());
    read.catch(() => (read = null));
    return read;
  }

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
    const held = deal.state !== "asks" && firstOf(deal.session).state === "asks";
    const waits = held ? words.held : deal.troubled ? words.troubled : words.waits;
    const asks = deal.misdeal && !deal.gone ? words.misdeal : words.asks;
    const state = deal.state === "asks" ? asks.replace("{reason}", () => reason) : waits;
    const known = deal.rows || deal.misdeal || held || deal.state === "asks";
    const unsure = [known ? "" : words.unknown, deal.tried ? words.tried : ""];
    for (const name of ["title", "entered", "said"]) part(name).textContent = deal[name];
    part("rows").replaceChildren(...(deal.rows ?? []).map(drawnRow));
    part("rows").hidden = !deal.rows;
    part("state").textContent = [state, ...unsure].filter(Boolean).join(" ");
    part("name").hidden = Boolean(here());
    [part("name").textContent, part("name").href] = [deal.name, deal.back];
    part("look").hidden = deal.misdeal || (deal.gone && !here()) || deal.state !== "asks" || !first(deal);
    part("look").href = deal.form;
    part("leave").hidden = !(deal.state === "asks" && first(deal)) && !last(deal);
    part("leave").addEventListener("click", async ({ target }) => {
      target.disabled = true;
      await queue.drop(deal);
      await beginAnew();
    });
    return entry;
  }

  // The number on it, which the server gave it, is that of the first of these.
  function nameNext() {
    const next = byId("next");
    if (!next) return;
    next.dataset.named ??= next.textContent;
    next.textContent = listed.length ? document.querySelector("#waiting details").dataset.next : next.dataset.named;
  }

  async function show() {
    const section = byId("waiting");
    if (!section || sending) return;
    const [list, session] = [await listIn(section), here()];
    const deals = unsaved(await queue.all()).filter((deal) => !session || deal.session === session);
    deals.sort((one, other) => one.session - other.session || one.key - other.key);
    const held = document.querySelector("form[data-session][hidden]");
    if (held && !deals.length) return leave(held.dataset.saved);
    // Another page may have taken the place of this one meanwhile.
    if (!list.isConnected || JSON.stringify(deals) === JSON.stringify(listed)) return;
    // Above a form it stays where it is when all have arrived: nothing moves under a thumb.
    list.hidden = !deals.length && (!listed.length || !("folded" in section.dataset));
    if (!list.hidden) section.hidden = false;
    listed = deals;
    byId("waiting-below").hidden = !deals.length || !byId("acts");
    const { arrived, asked, count } = list.dataset;
    const says = deals.some(({ state }) => state === "asks") ? asked : deals.length ? count : arrived;
    byId("waiting-count").textContent = says.replace("{number}", deals.length);
    list.querySelector("ol").replaceChildren(...deals.map((deal) => drawn(deal, list.dataset)));
    if (!deals.length) byId("waiting-first").hidden = true;
    section.hidden = list.hidden && [...section.querySelectorAll(".notice")].every((notice) => notice.hidden);
    nameNext();
  }

  // The list of what waits, with the words that the server has for it.
  async function listIn(section) {
    const html = await words();
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
    const page = new DOMParser().parseFromString(await words(), "text/html");
    script ??= new Promise((resolve, reject) => {
      const element = document.createElement("script");
      [element.onload, element.onerror] = [resolve, reject];
      element.src = page.querySelector("main").dataset.script;
      document.head.append(element);
    });
    script.catch(() => (script = null));
    await script;
  }

  // Say one thing about the network: why it does not go on here.
  async function say(id) {
    const section = byId("waiting");
    await listIn(section);
    section.hidden = false;
    // Only what comes to a place that was there is read out.
    await new Promise(requestAnimationFrame);
    for (const notice of section.querySelectorAll(".notice")) notice.hidden = notice.id !== id;
    section.hidden = false;
  }

  // Put a page in the place of this one.
  function swap(html) {
    const page = new DOMParser().parseFromString(html, "text/html");
    document.title = page.title;
    document.body.replaceWith(document.adoptNode(page.body));
    listed = [];
    window.scrollTo(0, 0);
    (document.querySelector("main [autofocus]") ?? byId("main")).focus({ preventScroll: true });
    document.dispatchEvent(new Event("swapped"));
    show();
    return document.querySelector("form[data-session]");
  }

  // What deals that are not on a page come to: see begin.
  function ahead(deals, version) {
    if (!deals.length) return { count: 0 };
    const follow = deals.every((deal, place) => deal.version === version + place && deal.state !== "asks" && deal.points);
    const points = follow ? deals[0].points.map((_, seat) => deals.reduce((sum, deal) => sum + deal.points[seat], 0)) : null;
    return { count: deals.length, version: deals.at(-1).version + 1, after: queue.idOf(deals.at(-1)), points };
  }

  // Go on to the form of the deal after those that wait, with what was *given* for it.
  async function goOn(session, given = null) {
    entering = true;
    try {
      await loadForms();
      if (!queue.lost() && !(await queue.formsOf(session))) await fetchAhead();
      const forms = await queue.formsOf(session);
      const deals = await queue.of(session, forms?.version);
      const before = deals.at(-1);
      if (!forms || before?.over) return await stuck();
      const form = swap(forms.pages[before?.next] ?? forms.pages.next);
      followed = begin(form, { ahead: ahead(deals, forms.version), send: sendFrom(form), given });
    } finally {
      entering = false;
    }
  }

  // Have an open form that counted on other deals than wait now begin anew, with what has been entered.
  async function beginAnew() {
    const forms = await queue.formsOf(here());
    if (forms && freshForm() && !sending && !entering) await goOn(here(), followed.answers());
  }

  // Without the network, a deal that has come to wait in another tab is counted on; with it, the server says what has
  // happened meanwhile.
  async function countOn() {
    const before = cut() && (await queue.of(here())).at(-1);
    if (before && freshForm() && freshForm().elements.after.value !== queue.idOf(before)) await beginAnew();
  }

  // Choose what an address says: where nothing is chosen yet, or *anew*.
  function choose(search, anew) {
    const form = document.querySelector("form[data-session]");
    for (const [name, value] of new URLSearchParams(search))
      if (anew || form.elements[name]?.value === "") byId(`${name}-${value}`)?.click();
  }

  // Nothing more can be entered here, and *why*, where what waits does not say so itself.
  async function stuck(why = "waiting-stuck") {
    for (const form of document.querySelectorAll("form[data-session]")) {
      form.hidden = true;
      form.removeAttribute("aria-busy");
    }
    await show();
    if (why) await say(why);
    document.querySelector("#waiting details").open = true;
  }

  // The page on which the server asks about a deal: it goes where the deal was, or is left out.
  function ask(deal) {
    // A misdeal has no form to look at.
    if (deal.misdeal) return void stuck(null);
    const form = swap(queue.answers.get(deal.key));
    if (!form) return;
    followed = begin(form, { send: sendFrom(form, deal) });
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
      sending = true;
      try {
        await (decided ? queue.replace(decided.key, deal) : queue.add(deal));
      } catch (error) {
        sending = false;
        // No database here: as it is sent without this script, if there is a network. A misdeal goes elsewhere.
        if (await queue.reach()) {
          form.action = deal.action;
          return void HTMLFormElement.prototype.submit.call(form);
        }
        await say(deal.misdeal ? "waiting-network" : "waiting-full");
        throw error;
      }
      sent();
      // Where there was no network just now, nobody waits long for it.
      const late = new Promise((resolve) => setTimeout(resolve, queue.lost() ? 1000 : 10000));
      await Promise.race([queue.drain(), late]);
      const [left] = unsaved(await queue.of(deal.session));
      sending = false;
      if (!left) leave(form.dataset.saved);
      else if (queue.answers.has(left.key)) ask(left);
      else await goOn(deal.session);
    };
  }

  // A form that has just been opened. What waits before it is counted on, or decided about first.
  async function arrive() {
    const form = document.querySelector("form[data-session]");
    if (!form) return;
    followed = begin(form, { send: sendFrom(form) });
    if (!("fresh" in form.dataset)) return;
    const version = Number(form.elements.expected_version.value);
    let [left] = await queue.of(here(), version);
    if (left?.state === "asks") {
      await queue.drain(left.key);
      [left] = await queue.of(here(), version);
    }
    if (left && queue.answers.has(left.key)) ask(left);
    else if (left?.state === "asks") await stuck();
    else {
      if (left) await goOn(here());
      // A page that was kept knows nothing of it.
      choose(location.search, false);
    }
  }

  function fetchAhead() {
    const next = document.querySelector("[data-ahead]");
    if (byId("ended")) return queue.forget(here()).catch(() => {});
    if (!next) return null;
    const { ahead, form } = next.dataset;
    const version = next.dataset.version ?? document.querySelector("#acts [name=expected_version]").value;
    const asked = queue.fetchAhead(here(), Number(version), shown(), new URL(form ?? next.href, location), ahead.split(" "));
    return asked.catch(() => {});
  }

  function back() {
    document.body.replaceWith(behind);
    [behind, listed] = [null, []];
    document.dispatchEvent(new Event("swapped"));
    show();
  }

  // Whether the forms that are here are of the session as this page shows it.
  async function upToDate() {
    const forms = await queue.formsOf(here()).catch(() => {});
    return shown() === forms?.shown;
  }

  // Where there is no network, links lead on. That it is gone shows only after a while: where no service worker would have
  // a page then, the form is opened here at any time.
  async function follow(event) {
    const link = event.target.closest("#next, .turned-up a, .deal-title a, [data-of=look]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const [isBack, isNext] = [Boolean(link.closest(".deal-title")), link.matches("#next, .turned-up a")];
    const gone = cut();
    if (isBack && behind) {
      event.preventDefault();
      return void history.back();
    }
    if (gone ? isBack && !alone() : !isNext || !alone() || listed.length) return;
    event.preventDefault();
    if (isNext && (gone || (await upToDate()))) enter(link.search);
    else if (await queue.reach()) location.assign(link.href);
    else say("waiting-stuck");
  }

  // Put the next form in the place of the page of the session, with what *search* says chosen. Whether it stands there now.
  async function enter(search) {
    if (entering || behind) return false;
    const page = document.body;
    try {
      await goOn(here());
    } catch {
      // No database here, or something of the page could not be fetched.
      await say("waiting-network");
    }
    if (document.body === page) return false;
    behind = page;
    history.pushState(null, "", "#deal");
    choose(search, true);
    return true;
  }

  // A misdeal waits like a deal: the form of the deal in whose place it comes says which that is, and what comes before.
  async function misdeal(action, words) {
    if (!(await enter(""))) return;
    const form = document.querySelector("form[data-session]");
    await sendFrom(form)(followed.misdeal(action, words), () => {}).catch(() => {});
  }

  document.addEventListener("click", (event) => {
    if (event.target.id !== "waiting-copy") return void follow(event);
    const list = byId("waiting").querySelector("ol");
    getSelection().selectAllChildren(list);
    navigator.clipboard?.writeText(getSelection().toString());
  });
  // What else changes the session would come before the deals that wait, unless a person must decide about those; and it
  // needs the network. A deal that is thrown in is entered like any other, and a misdeal is what the form itself sends:
  // these go through the queue at any time where no service worker would have a page, as in follow.
  document.addEventListener(
    "submit",
    async (event) => {
      const { target: form, submitter } = event;
      const first = listed[0]?.state === "waits" && submitter?.name !== "side";
      const thrownIn = submitter?.name === "contract";
      const queues = thrownIn || submitter?.matches(":not([formaction])");
      const gone = first || cut();
      if (form.id !== "acts" || passes || !(gone || (queues && alone() && !listed.length))) return;
      event.preventDefault();
      event.stopPropagation();
      if (queues && (gone || (await upToDate()))) {
        if (!thrownIn) await misdeal(form.action, submitter.textContent.trim());
        // With the network one tap is enough.
        else if ((await enter(`contract=${submitter.value}`)) && !gone) byId("record").click();
      } else if (first) await say("waiting-first");
      else if (await queue.reach()) press(submitter);
      else await say("waiting-network");
    },
    true,
  );
  window.addEventListener("popstate", () => behind && back());
  // What could not go on then can now.
  window.addEventListener("online", () => document.querySelector("form[data-session][hidden]") && location.reload());
  document.addEventListener("queue", () => {
    show().catch(() => {});
    countOn().catch(() => {});
  });
  document.addEventListener("moved-on", () => {
    nameNext();
    fetchAhead();
  });
  navigator.serviceWorker?.addEventListener("controllerchange", fetchAhead);
  window.addEventListener("load", fetchAhead);
  show().then(() => {
    // A session that is shown can be recorded in again.
    if (here() && listed[0]?.gone) queue.drain(listed[0].key);
  }, () => {});
  arrive();
  loadForms().catch(() => {});
})();
