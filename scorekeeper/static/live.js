// What stands on a page in [data-part] follows the session: a stream says that it has moved on, or its group has, and the page
// is asked for again. Of all tabs of a browser one has the stream and tells the others. Where there is none the page is asked
// for again and again. Which of these it is stands in [data-live], in words. A page with a form that stays as it is asks
// elsewhere (data-page) what there is to say beside it. Old tablets can read this too.
"use strict";

(() => {
  const [silence, patience, later] = [12000, 8000, 30000]; // milliseconds
  const [often, seldom] = [800, 4000]; // milliseconds from one question to the next, and to the next that is asked in vain
  let every = often; // unless it is said that there are many who ask
  const said = () => document.querySelector("[data-live]"); // another page may take the place of this one
  const stream = said().dataset.live;
  const words = document.querySelector("script[data-words]");
  const tabs = navigator.locks && window.BroadcastChannel && stream ? new BroadcastChannel(stream) : null;
  let [newest, tag] = [0, null]; // by what a stream said; the ETag
  let asOf = Date.parse(document.lastModified); // when this was the newest
  let [heard, tried, sent] = [-Infinity, -Infinity, -Infinity]; // when a stream spoke, one was tried, a form went: no clock that is set
  let [looking, again, vain, failed] = [false, false, false, false]; // failed: whether what the page itself sends has not got through
  let stop = () => {};
  const now = () => performance.now();
  const shown = () => Number(said().dataset.version);
  const streaming = () => now() - heard < silence;

  // The time as the phone writes it, in the language of the page, with the day where that is not today.
  function time() {
    const { lang } = document.documentElement;
    const region = (navigator.languages || []).find((one) => one.split("-")[0] === lang.split("-")[0]);
    const [then, today] = [new Date(asOf), new Date()];
    const day = then.toDateString() === today.toDateString() ? {} : { weekday: "short", day: "numeric", month: "short" };
    return then.toLocaleString(region || lang, { ...day, hour: "numeric", minute: "2-digit" });
  }

  function say(state) {
    const place = said();
    // Another minute is nothing to read out.
    place.setAttribute("aria-live", place.dataset.state === state ? "off" : "polite");
    place.dataset.state = state;
    place.textContent = place.dataset[state].replace("{}", time());
  }

  function address() {
    const { page } = said().dataset;
    if (!page) return location.pathname + location.search;
    // What waits before a form moves the version that it aims at.
    const aims = document.querySelector("main [name=expected_version]");
    const asked = new URL(page, location);
    if (aims) asked.searchParams.set("version", aims.value);
    return asked;
  }

  // A page of another release wants its own styles and scripts: offline.js tells the person.
  function compare(reply) {
    const release = reply.headers.get("X-Release");
    if (!release) throw new Error("this is no answer of ours");
    if (words && !words.dataset.words.includes(release)) document.dispatchEvent(new Event("newer"));
  }

  // What is about something else now, as Undo is about the latest deal, is not alike: a tap under way does not meet it.
  function alike(old, fresh) {
    if (old.nodeName !== fresh.nodeName || old.nodeName === "svg") return old.isEqualNode(fresh);
    return fresh.nodeType !== 1 || ["id", "href", "formaction"].every((name) => old.getAttribute(name) === fresh.getAttribute(name));
  }

  // Make *old* like *fresh*: what is alike in both stays, with its focus, opened, and scrolled to where it was.
  function become(old, fresh) {
    if (old.isEqualNode(fresh)) return;
    if (old.nodeType !== 1) return void (old.nodeValue = fresh.nodeValue);
    for (const { name } of [...old.attributes]) if (name !== "open" && !fresh.hasAttribute(name)) old.removeAttribute(name);
    for (const { name, value } of fresh.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
    const left = [...old.childNodes];
    for (const child of [...fresh.childNodes]) {
      // Text is alike everywhere: only what stands in the same place is meant.
      const among = child.nodeType === 1 ? left : left.slice(0, 1);
      const mate = among.findIndex((node) => alike(node, child));
      if (mate < 0) old.insertBefore(child, left[0] || null);
      else {
        for (const gone of left.splice(0, mate)) gone.remove();
        become(left.shift(), child);
      }
    }
    for (const gone of left) gone.remove();
  }

  function show(page) {
    const [focused, x, y] = [document.activeElement, window.scrollX, window.scrollY];
    for (const part of document.querySelectorAll("[data-part]")) {
      const fresh = page.getElementById(part.id);
      if (fresh) become(part, document.importNode(fresh, true));
    }
    said().dataset.version = page.querySelector("[data-live]").dataset.version;
    document.dispatchEvent(new Event("moved-on"));
    const like = !focused.isConnected && document.querySelector(`${focused.localName}[class="${focused.className}"]`);
    if (like) like.focus({ preventScroll: true });
    window.scrollTo(x, y);
  }

  async function look() {
    if (looking || !said()) return;
    looking = true;
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(), patience);
    const asked = { cache: "no-cache", headers: { "X-Fragment": "1" }, signal: controller.signal };
    try {
      const reply = await fetch(address(), asked);
      compare(reply);
      vain = !reply.ok;
      // That page says what has become of the link; this one may answer a form, which would be sent again.
      if (reply.status === 404) return void location.replace(stream.replace(/\/live$/, ""));
      failed = false;
      if (!reply.ok) return void say(reply.status < 500 ? "then" : "ill");
      const [html, etag] = [await reply.text(), reply.headers.get("ETag")];
      // A button that has been pressed stays what it was: pressed again, it does the same thing, once.
      if (now() - sent < patience) return;
      if (!etag || etag !== tag || shown() < newest) show(new DOMParser().parseFromString(html, "text/html"));
      [asOf, tag] = [Date.now(), etag];
      say(streaming() ? "now" : "then");
    } catch (error) {
      vain = true;
      say("lost");
    } finally {
      clearTimeout(timer);
      looking = false;
      if (again) setTimeout(look);
      again = false;
    }
  }

  function hear(version) {
    [heard, newest] = [now(), version];
    if (version !== shown() || failed) {
      // What is on its way may be older.
      again = looking;
      return void look();
    }
    asOf = Date.now();
    say("now");
  }

  function listen() {
    const source = new EventSource(`${stream}?version=${shown()}`);
    const tell = ({ data }) => {
      hear(Number(data));
      if (tabs) tabs.postMessage(Number(data));
    };
    for (const name of ["version", "beat"]) source.addEventListener(name, tell);
    source.addEventListener("busy", ({ data }) => {
      source.close();
      every = Math.max(often, data);
    });
    source.addEventListener("error", look);
    return () => source.close();
  }

  // A tab that nobody sees has no stream: a browser has six connections in all.
  function tune() {
    stop();
    if (document.hidden || !window.EventSource) return;
    tried = now();
    if (!tabs) return void (stop = listen());
    const waiting = new AbortController();
    const until = new Promise((release) => (stop = () => release(waiting.abort())));
    const lead = () => until.then(listen());
    navigator.locks.request(stream, { signal: waiting.signal }, lead).catch(() => {});
  }

  function wake() {
    tune();
    if (!document.hidden) look();
  }

  // A page that follows nothing says of when it is where there is no network, or was none as it came from this phone.
  if (!stream) {
    window.addEventListener("online", () => say("then"));
    window.addEventListener("offline", () => say("lost"));
    if (!navigator.onLine || "kept" in document.documentElement.dataset) say(navigator.onLine ? "then" : "lost");
    return;
  }

  document.addEventListener("submit", () => (sent = now()));
  if (tabs) tabs.onmessage = ({ data }) => document.hidden || hear(data);
  document.addEventListener("visibilitychange", wake);
  // Another page has taken the place of this one, and nothing on it has been pressed. What is on its way is not of it.
  document.addEventListener("swapped", () => {
    [tag, sent, again] = [null, -Infinity, looking];
    look();
  });
  window.addEventListener("pageshow", ({ persisted }) => persisted && wake());
  window.addEventListener("online", wake);
  window.addEventListener("offline", () => say("lost"));
  document.addEventListener("cut", () => {
    failed = true;
    say("lost");
  });
  function ask() {
    setTimeout(ask, vain ? seldom : every);
    if (document.hidden || (streaming() && shown() === newest)) return;
    look();
    if (now() - tried > later) tune();
  }

  tune();
  setTimeout(ask, seldom);
})();
