// The table as seated: one tap turns its writing to the next side. The table view also remembers on this device how it was
// turned, and keeps the screen on where the browser can. Old tablets can read this too.
"use strict";

(() => {
  const across = document.body.classList.contains("across");
  // Which group and session it is of tells offline.js when it must not stay.
  const key = `group ${document.body.dataset.group} turn ${location.pathname}`;
  let turned = null; // unless it is as the page came

  function turn(to) {
    turned = to;
    for (const picture of document.querySelectorAll("[data-turn]")) picture.dataset.turn = to;
    for (const link of document.querySelectorAll("[data-turns]")) link.href = `?turn=${(to + 1) % 4}`;
  }

  // Keeps how it is turned, unless that is null. Returns how it is then: a browser may refuse to keep anything.
  function remember(to) {
    try {
      if (to !== null) localStorage.setItem(key, to);
      return Number(localStorage.getItem(key));
    } catch (error) {
      return Number(to);
    }
  }

  document.addEventListener("click", (event) => {
    const link = event.target.closest("[data-turns]");
    if (!link) return;
    event.preventDefault();
    const to = Number(new URL(link.href).searchParams.get("turn"));
    turn(to);
    if (across) remember(to);
  });

  document.addEventListener("moved-on", () => turned !== null && turn(turned));

  // Not every browser moves the focus to what the address names.
  const named = document.getElementById(location.hash.slice(1));
  if (named) named.focus({ preventScroll: true });

  if (!across) return;

  async function stayAwake() {
    if (document.hidden) return;
    const said = document.querySelector("[data-awake]");
    try {
      const lock = await navigator.wakeLock.request("screen");
      said.textContent = said.dataset.awake;
      lock.addEventListener("release", () => (said.textContent = said.dataset.asleep));
    } catch (error) {
      said.textContent = isSecureContext ? said.dataset.asleep : said.dataset.insecure;
    }
  }

  turn(remember(new URLSearchParams(location.search).get("turn")));
  document.addEventListener("visibilitychange", stayAwake);
  stayAwake();
})();
