// The table as seated: one tap turns its writing to the next side. The table view also remembers on this device how it was
// turned, shows what has changed meanwhile, and keeps the screen on where the browser can. Old tablets can read this too.
"use strict";

(() => {
  const across = document.body.classList.contains("across");
  const key = `turn ${location.pathname}`;

  function turn(to) {
    for (const picture of document.querySelectorAll("[data-turn]")) picture.dataset.turn = to;
    for (const link of document.querySelectorAll("[data-turns]")) link.href = `?turn=${(to + 1) % 4}`;
  }

  document.addEventListener("click", (event) => {
    const link = event.target.closest("[data-turns]");
    if (!link) return;
    event.preventDefault();
    const to = Number(new URL(link.href).searchParams.get("turn"));
    turn(to);
    if (across) localStorage.setItem(key, to);
  });

  if (!across) return;

  const every = 4000; // milliseconds
  const offline = document.querySelector("[data-offline]");
  let shown = null; // the ETag of what is on the screen

  async function refresh() {
    if (document.hidden) return;
    try {
      const reply = await fetch(location.pathname, { cache: "no-cache" });
      if (!reply.ok) throw new Error(`the table answered ${reply.status}`);
      offline.hidden = true;
      const tag = reply.headers.get("ETag");
      if (tag === shown) return;
      shown = tag;
      const page = new DOMParser().parseFromString(await reply.text(), "text/html");
      document.querySelector("main").innerHTML = page.querySelector("main").innerHTML;
      turn(Number(localStorage.getItem(key)));
    } catch (error) {
      offline.hidden = false;
    }
  }

  async function stayAwake() {
    if (document.hidden) return;
    const said = document.querySelector("[data-awake]");
    try {
      const lock = await navigator.wakeLock.request("screen");
      said.textContent = said.dataset.awake;
      lock.addEventListener("release", () => (said.textContent = said.dataset.asleep));
    } catch (error) {
      said.textContent = said.dataset.asleep;
    }
  }

  const asked = new URLSearchParams(location.search).get("turn");
  if (asked !== null) localStorage.setItem(key, Number(asked));
  document.addEventListener("visibilitychange", () => {
    refresh();
    stayAwake();
  });
  setInterval(refresh, every);
  refresh();
  stayAwake();
})();
