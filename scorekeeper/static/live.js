// What stands on a page in [data-part] follows the session: a stream says that it has moved on, or its group has, and the page
// is asked for again. Of all tabs of a browser one has the stream and tells the others. Where there is none the page is asked
// for every few seconds. Which of these it is stands in [data-live], in words. Old tablets can read this too.
"use strict";

(() => {
  const [every, silence, patience] = [4000, 12000, 8000]; // milliseconds
  const said = document.querySelector("[data-live]");
  const stream = said.dataset.live;
  const tabs = navigator.locks && window.BroadcastChannel ? new BroadcastChannel(stream) : null;
  let [shown, newest, tag] = [Number(said.dataset.version), 0, null]; // on the screen, by what a stream said; the ETag
  let [asOf, heard, tried, sent] = [Date.parse(document.lastModified), 0, 0, 0]; // when: this was the newest, a stream spoke, one was tried, a form went
  let looking = false;
  let stop = () => {};
  const streaming = () => Date.now() - heard < silence;

  function say(state) {
    const time = new Date(asOf).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
    // Another minute is nothing to read out.
    said.setAttribute("aria-live", said.dataset.state === state ? "off" : "polite");
    said.dataset.state = state;
    said.textContent = said.dataset[state].replace("{}", time);
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
    document.dispatchEvent(new Event("moved-on"));
    const like = !focused.isConnected && document.querySelector(`${focused.localName}[class="${focused.className}"]`);
    if (like) like.focus({ preventScroll: true });
    window.scrollTo(x, y);
    shown = Number(page.querySelector("[data-live]").dataset.version);
  }

  async function look() {
    if (looking) return;
    looking = true;
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(), patience);
    const asked = { cache: "no-cache", headers: { "X-Fragment": "1" }, signal: controller.signal };
    try {
      const reply = await fetch(location.pathname + location.search, asked);
      if (reply.status === 404) return void location.reload(); // that page says what has become of the link
      if (!reply.ok) throw new Error(`the page answered ${reply.status}`);
      const [html, etag] = [await reply.text(), reply.headers.get("ETag")];
      // A button that has been pressed stays what it was: pressed again, it does the same thing, once.
      if (Date.now() - sent < patience) return;
      if (!etag || etag !== tag) show(new DOMParser().parseFromString(html, "text/html"));
      [asOf, tag] = [Date.now(), etag];
      say(streaming() ? "now" : "then");
      if (shown < newest) setTimeout(look);
    } catch (error) {
      say("lost");
    } finally {
      clearTimeout(timer);
      looking = false;
    }
  }

  function hear(version) {
    [heard, newest] = [Date.now(), version];
    if (version !== shown) return void look();
    asOf = heard;
    say("now");
  }

  function listen() {
    const source = new EventSource(`${stream}?version=${shown}`);
    const tell = ({ data }) => {
      hear(Number(data));
      if (tabs) tabs.postMessage(Number(data));
    };
    for (const name of ["version", "beat"]) source.addEventListener(name, tell);
    source.addEventListener("busy", () => source.close());
    source.addEventListener("error", look);
    return () => source.close();
  }

  // A tab that nobody sees has no stream: a browser has six connections in all.
  function tune() {
    stop();
    if (document.hidden || !window.EventSource) return;
    tried = Date.now();
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

  document.addEventListener("submit", () => (sent = Date.now()));
  if (tabs) tabs.onmessage = ({ data }) => document.hidden || hear(data);
  document.addEventListener("visibilitychange", wake);
  window.addEventListener("pageshow", ({ persisted }) => persisted && wake());
  window.addEventListener("online", wake);
  window.addEventListener("offline", () => say("lost"));
  setInterval(() => {
    if (document.hidden || (streaming() && shown === newest)) return;
    look();
    if (Date.now() - tried > 8 * every) tune();
  }, every);
  tune();
})();
