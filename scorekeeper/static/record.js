// The deal form without waiting: every change asks the server what it would bring and shows the answer. What was entered
// and not saved is still there when one comes back, as long as the session has not moved on.
// The form works without this file; nothing here knows a rule of a game.
"use strict";

for (const form of document.querySelectorAll("form[data-preview]")) {
  const offline = document.querySelector("[data-offline]");
  const entered = () => new URLSearchParams(new FormData(form));
  const own = ["csrf_token", "submission_id", "expected_version", "previewed"]; // of this form as it was shown once
  const draft = `${form.action} ${form.elements.expected_version.value}`;
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

  async function preview(controller, body, before = body.toString()) {
    const signal = AbortSignal.any([controller.signal, AbortSignal.timeout(8000)]);
    try {
      const reply = await fetch(form.dataset.preview, { method: "POST", body, headers: { "X-Fragment": "1" }, signal });
      if (!reply.ok) throw new Error(`preview answered ${reply.status}`);
      const html = await reply.text();
      // Text typed meanwhile is newer than this answer, and its own change event is still to come.
      if (entered().toString() === before) show(html);
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

  function ask(body, before) {
    latest?.controller.abort();
    const controller = new AbortController();
    latest = { controller };
    form.ariaBusy = "true";
    latest.arrived = preview(controller, body, before);
  }

  form.addEventListener("change", () => {
    const body = entered();
    sessionStorage.setItem(draft, JSON.stringify([...body].filter(([name]) => !own.includes(name))));
    ask(body);
  });

  const kept = sessionStorage.getItem(draft);
  if (kept && !document.querySelector("[role=alert]")) {
    const body = entered();
    ask(new URLSearchParams([...[...body].filter(([name]) => own.includes(name)), ...JSON.parse(kept)]), body.toString());
  }

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
