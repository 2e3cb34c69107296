// The deal form without waiting, and without the server: the page carries what is asked when, and every way the deal
// can end, and this looks it up at each tap. The server is asked only about what is noted beside a deal, and for the
// reasons. What was entered and not saved is still there when one comes back, while the session has not moved on.
// The form works without this file; nothing here knows a rule of a game.
"use strict";

for (const form of document.querySelectorAll("form[data-preview]")) {
  const lookup = JSON.parse(document.getElementById("lookup").textContent);
  const { fields, nodes, root, results, said, cells, unfit } = lookup;
  const offline = document.querySelector("[data-offline]");
  const entered = () => new URLSearchParams(new FormData(form));
  const own = ["csrf_token", "submission_id", "expected_version", "dealer", "previewed"]; // of this form as shown once
  const draft = `${form.action}${location.search} ${form.elements.expected_version.value}`;
  let latest = null; // the question to the server under way: { controller, arrived }
  let held = false; // a submit waits for it
  let sending = false;

  // What the answers so far leave of a field: the words that can be chosen (null: all of them), whether it is asked for
  // now, and whether it may be later.
  function allowed(field, known) {
    let [left, now, later] = [null, true, true];
    for (const [fact, byWord] of Object.entries(field.only ?? {})) {
      const kept = byWord[known[fact] ?? ""];
      if (kept?.length) left = left?.filter((word) => kept.includes(word)) ?? kept;
      else if (kept) [now, later] = [false, later && !known[fact]];
    }
    return { left, now, later, out: [known[field.unlike] ?? []].flat() };
  }

  // Keys to choose from: those that cannot be chosen are barred in their places, and a last one left follows. Returns
  // the answer, or null where there is no question.
  function keys(field, group, { left, now, later, out }, known) {
    const inputs = [...group.querySelectorAll("input")];
    const free = inputs.filter(({ value }) => now && (left?.includes(value) ?? true) && !out.includes(value));
    const follows = Boolean(field.one) && free.length === 1 && inputs.length > 1;
    const clears = group.classList.contains("follows") && !follows;
    for (const input of inputs) {
      input.disabled = !free.includes(input);
      if (follows || clears || input.disabled) input.checked = follows && !input.disabled;
    }
    group.classList.toggle("follows", follows);
    group.disabled = follows || !free.length;
    group.hidden = now ? !free.length : !later;
    const words = inputs.filter((input) => input.checked).map((input) => input.value);
    known[field.name] = field.many ? words : words[0];
    return group.disabled ? null : words.join();
  }

  // The keys from where a contract is made are marked, and the legend says it.
  function drawLine(field, group, line) {
    if (!line) return;
    group.querySelector("legend").textContent = field.labels[line];
    group.querySelectorAll(".choice").forEach((choice, place) => {
      const value = Number(choice.querySelector("input").value);
      choice.classList.toggle("makes", value >= line);
      choice.classList.toggle("line", value === line && place > 0);
    });
  }

  // Numbers that add up: none can be more than what is left, and what follows is said beside its row.
  function numbers(field, group, { now, later, out }, known, line) {
    group.hidden = !now && !later;
    group.disabled = !now;
    if (!now) return { answers: [] };
    const rows = field.seats.map((seat, place) => {
      const row = document.getElementById(`${field.name}-${seat}`);
      const [inputs, legend] = [[...row.querySelectorAll("input")], row.querySelector("legend")];
      const barred = (row.parentElement.disabled = out.includes(String(seat)));
      if (barred) for (const input of inputs) input.checked = false;
      if (!legend.querySelector("small")) legend.append(" ", document.createElement("small"));
      const chosen = inputs.find((input) => input.checked);
      const owes = line && known[field.lineOf] === String(seat) ? field.owes[line] : "";
      const note = legend.querySelector("small");
      note.textContent = barred ? field.out : owes;
      return { barred, inputs, note, question: field.questions[place], number: chosen && Number(chosen.value) };
    });
    const playing = rows.filter(({ barred }) => !barred);
    const open = playing.filter(({ number }) => number === undefined);
    const left = playing.reduce((rest, { number }) => rest - (number ?? 0), field.high);
    const follows = left >= 0 && (open.length === 1 || left === 0);
    for (const { inputs, number } of playing)
      for (const input of inputs) input.disabled = !input.checked && Number(input.value) > left + (number ?? 0);
    if (follows) for (const { note } of open) note.textContent = field.left[left];
    if (left < 0 || (left > 0 && !open.length)) return { answers: [], wanting: unfit, problem: field.sums[left] };
    if (open.length && !follows) return { answers: [], wanting: open[0].question };
    return { answers: playing.slice(0, -1).map(({ number }) => String(number ?? left)) };
  }

  // Draw the form as the answers leave it; what is wanting, or what they lead to.
  function follow() {
    const known = {};
    const answers = [];
    let [wanting, problem] = ["", ""];
    for (const field of fields) {
      const group = form.querySelector(`[data-field="${field.name}"]`);
      const can = allowed(field, known);
      const line = field.lines?.[known[field.lineBy] ?? ""];
      if (field.aside) group.hidden = group.disabled = !can.now;
      else if (field.sums) {
        const sum = numbers(field, group, can, known, line);
        answers.push(...sum.answers);
        problem = sum.problem ?? "";
        wanting ||= sum.wanting ?? "";
      } else {
        const answer = keys(field, group, can, known);
        drawLine(field, group, line);
        if (answer !== null) answers.push(answer);
        if (answer === "" && field.needed) wanting ||= field.question;
      }
    }
    const found = nodes && !wanting ? results[answers.reduce((at, word) => nodes[at]?.[word], root)] : undefined;
    return { found, wanting: wanting || (found ? "" : unfit), problem };
  }

  function paint({ found, wanting, problem }) {
    const [shown, sentence] = found ?? ["", -1];
    const points = shown.split(";")[0].split(",");
    const [first, rest] = said?.[sentence] ?? [problem, ""];
    const [strong, span] = form.querySelector(".preview p").children;
    [strong.textContent, span.textContent] = [first, rest];
    const amounts = form.querySelectorAll(".amounts > div");
    cells?.forEach(([seat, bySeat], place) => {
      const drawn = amounts[place].querySelectorAll(".num");
      (bySeat[points[seat]] ?? []).forEach(([text, debt], index) => {
        drawn[index].textContent = text;
        drawn[index].classList.toggle("debt", debt);
        drawn[index].classList.toggle("long", text.length > 5);
      });
    });
    form.querySelector("[data-amounts]").hidden = !found;
    form.elements.previewed.value = shown;
    const [record, why] = ["record", "why"].map((id) => document.getElementById(id));
    record.disabled = Boolean(wanting);
    record.textContent = wanting || record.dataset.go;
    why.hidden = !found;
    if (!why.open) why.querySelector("ol").replaceChildren();
    for (const error of form.querySelectorAll(".error")) error.remove();
    for (const control of form.querySelectorAll("[aria-invalid]")) control.removeAttribute("aria-invalid");
  }

  // What only the server can say: the reasons, what is wrong with a note, all of it where a page carries no endings.
  const notes = () => [...form.querySelectorAll("#more :is(select, input:not([type=hidden]))")];
  const needsServer = () => !nodes || notes().some(({ value }) => value) || document.getElementById("why").open;

  function show(html) {
    const [focused, x, y] = [document.activeElement?.id, window.scrollX, window.scrollY];
    const opened = [...form.querySelectorAll("details[open]")].map((details) => details.id);
    form.querySelector("[data-fragment]").innerHTML = html;
    for (const id of opened) document.getElementById(id)?.setAttribute("open", "");
    follow();
    if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
    window.scrollTo(x, y);
  }

  async function preview(controller, body) {
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

  function update() {
    const drawn = follow();
    if (nodes) paint(drawn);
    latest?.controller.abort();
    latest = null;
    form.ariaBusy = null;
    if (offline) offline.hidden = true;
    if (!needsServer()) return;
    const controller = new AbortController();
    latest = { controller };
    form.ariaBusy = "true";
    latest.arrived = preview(controller, entered());
  }

  form.addEventListener("change", () => {
    update();
    const kept = [...entered()].filter(([name]) => !own.includes(name));
    sessionStorage.setItem(draft, JSON.stringify(kept));
  });
  const opens = ({ target }) => target.id === "why" && target.open && !target.querySelector("li");
  form.addEventListener("toggle", (event) => opens(event) && update(), true);

  const kept = JSON.parse(sessionStorage.getItem(draft));
  if (kept && !document.querySelector("[role=alert]")) {
    for (const group of form.querySelectorAll(".follows")) group.classList.remove("follows");
    for (const control of form.querySelectorAll("[data-field] :is(input, select)")) {
      const values = kept.filter(([name]) => name === control.name).map(([, value]) => value);
      if (["radio", "checkbox"].includes(control.type)) control.checked = values.includes(control.value);
      else if (control.type !== "hidden") control.value = values[0] ?? "";
    }
    update();
  } else follow();

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
