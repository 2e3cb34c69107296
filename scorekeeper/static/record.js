// The deal form without waiting: every change asks the server what it would bring and shows the answer.
// The form works without this file; nothing here knows a rule of a game.
"use strict";

for (const form of document.querySelectorAll("form[data-preview]")) {
  const offline = document.querySelector("[data-offline]");
  const entered = () => new URLSearchParams(new FormData(form));
  let latest = null; // the preview under way: { controller, arrived }
  let held = false; // a submit waits for it
  let sending = false;

  function show(html) {
    const [focused, x, y] = [document.activeElement?.id, window.scrollX, window.scrollY];
    const opened = [...form.querySelectorAll("details[open]")].map((details) => details.id);
    form.querySelector("[data-fragment]").innerHTML = html;
    for (const id of opened) document.getElementById(id)?.setAttribute("open", "");
    if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
    window.scrollTo(x, y);
  }

  async function preview(controller) {
    const body = entered();
    const signal = AbortSignal.any([controller.signal, AbortSignal.timeout(8000)]);
    try {
      const reply = await fetch(form.dataset.preview, { method: "POST", body, headers: { "X-Fragment": "1" }, signal });
      if (!reply.ok) throw new Error(`preview answered ${reply.status}`);
      const html = await reply.text();
      // Text typed meanwhile is newer than this answer, and its own change event is still to come.
      if (entered().toString() === body.toString()) show(html);
      if (offline) offline.hidden = true;
      return true;
    } catch {
      if (offline && !controller.signal.aborted) offline.hidden = false;
      return false;
    } finally {
      if (latest?.controller === controller) {
        latest = null;
        form.ariaBusy = null;
      }
    }
  }

  form.addEventListener("change", () => {
    latest?.controller.abort();
    const controller = new AbortController();
    latest = { controller };
    form.ariaBusy = "true";
    latest.arrived = preview(controller);
  });

  form.addEventListener("submit", async (event) => {
    if (sending || held || latest) event.preventDefault();
    else setTimeout(() => (sending = false), 10000); // a send that was stopped must not lock the form
    if (sending || held) return;
    if (!latest) return void (sending = true);
    held = true;
    let arrived = false;
    while (latest) arrived = await latest.arrived;
    held = false;
    const { submitter } = event;
    const button = submitter?.isConnected ? submitter : document.getElementById(submitter?.id);
    if (arrived && !button?.disabled) form.requestSubmit(button);
  });
  window.addEventListener("pageshow", () => (sending = false));
}
