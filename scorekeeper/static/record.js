// The deal form without waiting, and without the server: the page carries what is asked when, and every way the deal
// can end, and this looks it up at each tap. The server is asked only about what is noted beside a deal, and for the
// reasons. What was entered and not saved is still there when one comes back, while the session has not moved on.
// The form works without this file; nothing here knows a rule of a game. A deal to be recorded goes through the queue.
"use strict";

let done = null; // what ends the form that was followed last

// Have a form follow what is entered. What *ahead* says is of the deals that come before it and that the page does not
// know: how many (count), which version they leave (version) and which of them is the last (after), and what they bring
// each seat (points), if that is known. A form that goes through the queue is sent by *send*. Where it takes the place of
// another one, *given* is what was entered there. Returns what tells what is entered, and what makes a misdeal of it.
function begin(form, { ahead = { count: 0 }, send = null, given = null } = {}) {
  done?.abort();
  done = new AbortController();
  const { signal } = done;
  const byId = (id) => document.getElementById(id);
  const data = JSON.parse(byId("lookup").textContent);
  const { fields, nodes, root, results, said, cells, unfit, names, totals } = data;
  const figures = new Intl.NumberFormat(document.documentElement.lang, { signDisplay: data.signed ? "exceptZero" : "auto" });
  const offline = document.querySelector("[data-offline]");
  const entered = () => new URLSearchParams(new FormData(form));
  const patience = 8000; // milliseconds for the server to answer
  let asking = null; // what stops the question that the server is to answer
  let sending = null; // the button that was tapped: { id, waits }, where it waits for that answer
  let lost = false; // whether the server gave none when it was asked last

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
      const row = byId(`${field.name}-${seat}`);
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
  function draw() {
    const [known, answers] = [{}, []];
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
        wanting = wanting || (sum.wanting ?? "");
      } else {
        const answer = keys(field, group, can, known);
        drawLine(field, group, line);
        if (answer !== null) answers.push(answer);
        if (answer === "" && field.needed) wanting = wanting || field.question;
      }
    }
    const found = nodes && !wanting ? results[answers.reduce((at, word) => nodes[at]?.[word], root)] : undefined;
    // Where nothing can be looked up and nobody be asked, it is noted as it is.
    const unasked = send && !nodes && (ahead.count || lost);
    return { found, wanting: wanting || (found || unasked ? "" : unfit), problem };
  }

  // Whether an ending holds though other deals come before: the ends of games, and what is near them, depend on totals.
  function holds([shown]) {
    if (!ahead.count) return true;
    if (!ahead.points || shown.includes(";")) return false;
    const [low, high] = data.steady;
    const between = (total) => (low === null || total > low) && (high === null || total < high);
    const brings = shown.split(",").map(Number);
    const after = Object.keys(names).map((seat) => totals[seat] + brings[seat]);
    return after.every(between) && Object.keys(names).every((seat, place) => between(after[place] + ahead.points[seat]));
  }

  // What an ending brings a seat, and its total then: each a text, and whether that is a debt.
  function cell(seat, bySeat, points) {
    const [change, total] = bySeat[points[seat]] ?? [];
    if (!ahead.count || !change) return [change, total];
    const now = totals[seat] + ahead.points[seat] + Number(points[seat]);
    return [change, [figures.format(now).replace("-", "−"), data.signed && now < 0]];
  }

  // Show what the answers lead to, which the page carries.
  function paint({ found, wanting, problem }) {
    const held = found && holds(found) ? found : null;
    const [shown, sentence] = held ?? ["", -1];
    const points = shown.split(";")[0].split(",");
    const [strong, span, missing] = byId("outcome").children;
    [strong.textContent, span.textContent] = said?.[sentence] ?? [problem, wanting ? "" : form.dataset.unknown];
    missing.textContent = wanting;
    for (const [seat, bySeat] of cells ?? []) {
      const brings = form.querySelector(`[data-brings="${seat}"]`);
      if (!brings) continue;
      brings.hidden = !held;
      if (!held) continue;
      cell(seat, bySeat, points).forEach(([text, debt], index) => {
        const drawn = brings.querySelectorAll(".num")[index];
        drawn.textContent = text;
        drawn.classList.toggle("debt", debt);
        drawn.classList.toggle("long", text.length > 5);
      });
    }
    form.elements.previewed.value = shown;
    const [record, why] = [byId("record"), byId("why")];
    record.disabled = Boolean(wanting);
    record.textContent = wanting || record.dataset.go;
    why.hidden = !found || ahead.count > 0;
    why.open = why.open && !why.hidden;
    why.querySelector("ol").replaceChildren();
    for (const error of form.querySelectorAll(".error")) error.remove();
    for (const control of form.querySelectorAll("[aria-invalid]")) control.removeAttribute("aria-invalid");
  }

  // What only the server can say: the reasons, what is wrong with a note, all of it where a page carries no endings.
  function needsServer() {
    const notes = [...form.querySelectorAll("#more :is(select, input:not([type=hidden]))")];
    return !nodes || notes.some(({ value }) => value) || byId("why").open;
  }

  // Put the server's answer in place of what is shown, and leave the focus, and what was opened, as they are.
  function show(html) {
    const [focused, x, y] = [document.activeElement?.id, window.scrollX, window.scrollY];
    const opened = [...form.querySelectorAll("details[open]")].map(({ id }) => id);
    const answer = document.createElement("template");
    answer.innerHTML = html;
    for (const part of answer.content.querySelectorAll("[data-entry]")) byId(part.id).replaceChildren(...part.childNodes);
    for (const details of opened.map(byId)) if (details && !details.hidden) details.open = true;
    draw();
    if (focused) byId(focused)?.focus({ preventScroll: true });
    window.scrollTo(x, y);
  }

  async function ask() {
    const [body, question] = [entered(), new AbortController()];
    asking = question;
    form.setAttribute("aria-busy", "true");
    const late = setTimeout(() => question.abort(), patience);
    let html = null;
    try {
      const headers = { "X-Fragment": "1" };
      const reply = await fetch(form.dataset.preview, { method: "POST", body, headers, signal: question.signal });
      if (reply.redirected) location.assign(reply.url);
      else if (reply.ok && reply.headers.has("X-Release")) html = await reply.text();
    } catch {
      // No connection, or no answer in time.
    }
    clearTimeout(late);
    if (asking !== question || !form.isConnected) return;
    // Text typed meanwhile is newer than this answer, and its own change event is still to come.
    if (html !== null && entered().toString() === body.toString()) show(html);
    offline.hidden = html !== null;
    lost = html === null;
    if (send && !nodes && lost) paint(draw());
    answered(html !== null);
  }

  // Nothing is asked any more: a button that waited for it is pressed now, if it can be.
  function answered(arrived) {
    asking = null;
    form.removeAttribute("aria-busy");
    if (!sending?.waits) return;
    const button = byId(sending.id);
    sending = null;
    if (arrived && !button.disabled) button.click();
  }

  function update() {
    const drawn = draw();
    if (nodes || ahead.count) paint(drawn);
    asking?.abort();
    offline.hidden = true;
    // The server knows nothing of the deals that wait here.
    if (!ahead.count && needsServer()) ask();
    else answered(true);
  }

  // What was answered, in the words of the form.
  function described() {
    const words = (element) => {
      const copy = element.cloneNode(true);
      for (const aside of copy.querySelectorAll("[aria-hidden]")) aside.remove();
      return copy.textContent.trim();
    };
    const chosen = (input) => words(input.closest("label").querySelector("span"));
    const told = fields.filter(({ aside }) => !aside).map(({ name, label, sums, seats }) => {
      const group = form.querySelector(`[data-field="${name}"]`);
      const inputs = group.hidden ? [] : [...group.querySelectorAll("input:checked")];
      const said = inputs.map((input) => (sums ? `${names[seats.find((seat) => input.name === `${name}-${seat}`)]} ${chosen(input)}` : chosen(input)));
      return said.length ? `${label}: ${said.join(", ")}` : "";
    });
    return told.filter(Boolean).join(" · ");
  }

  // The deal as it stands, for the queue to keep: what is sent, and what a person is shown of it meanwhile.
  function deal() {
    const { found } = draw();
    const held = found && holds(found) ? found : null;
    const [shown, sentence] = held ?? ["", -1];
    const points = shown.split(";")[0].split(",").map(Number);
    const rows = held && cells.map(([seat, bySeat]) => [names[seat], ...cell(seat, bySeat, points)]);
    const { session, group, name, back, form: fresh } = form.dataset;
    return {
      session: Number(session), group, name, back, form: fresh, action: form.action, body: entered().toString(),
      version: Number(form.elements.expected_version.value), title: document.querySelector("h1").textContent.trim(),
      entered: described(), said: held ? said[sentence].join(" ") : "", rows, points: held && points,
      next: found ? found[2] : data.next, over: Boolean(held && shown.split(";")[2]),
    };
  }

  // A misdeal in the place of the deal, in the *words* of its button: nothing is scored, and the same player deals again.
  const misdeal = (action, words) => ({
    ...deal(), action, misdeal: true, entered: words, said: "", rows: null, points: data.totals.map(() => 0),
    next: data.dealer, over: false,
  });

  form.addEventListener("submit", (event) => {
    if (sending || asking || send) event.preventDefault();
    // Otherwise offline.js sees to it that it is sent once.
    if (sending || !(asking || send)) return;
    const sent = (sending = { id: event.submitter?.id || "record", waits: Boolean(asking) });
    const over = () => sending === sent && (sending = null);
    if (asking) return;
    form.setAttribute("aria-busy", "true");
    const button = byId("record");
    button.textContent = form.dataset.sending;
    // Otherwise this form is done with.
    send(deal(), forget).catch(() => {
      over();
      form.removeAttribute("aria-busy");
      button.textContent = button.dataset.go;
    });
  });
  const shown = ({ persisted }) => {
    sending = null;
    if (!persisted) return;
    form.removeAttribute("aria-busy");
    update();
  };
  window.addEventListener("pageshow", shown, { signal });
  window.addEventListener("online", () => !offline.hidden && update(), { signal });
  const opens = ({ target }) => target.id === "why" && target.open && !target.querySelector("li");
  form.addEventListener("toggle", (event) => opens(event) && !asking && update(), true);

  if ("fresh" in form.dataset) {
    // The same page may have been kept, and shown before: each time it is another form.
    const id = crypto.getRandomValues(new Uint8Array(16));
    form.elements.submission_id.value = [...id].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  }
  if (ahead.count) {
    [form.elements.expected_version.value, form.elements.after.value] = [ahead.version, ahead.after];
    const heading = document.querySelector("h1");
    const number = new Intl.NumberFormat(document.documentElement.lang).format(Number(heading.dataset.number) + ahead.count);
    heading.firstChild.textContent = heading.dataset.words.replace("{number}", number);
  }

  // What belongs to this form as it was shown once is no part of what was entered.
  const own = ["csrf_token", "submission_id", "expected_version", "after", "dealer", "dealt", "previewed"];
  // Which group and session it is of tells offline.js when it must not stay.
  const draft = `group ${form.dataset.group} ${form.action}${location.search} ${form.elements.expected_version.value}`;
  const forget = () => recall("sessionStorage", (drafts) => drafts.removeItem(draft));
  const answers = () => JSON.stringify([...entered()].filter(([name]) => !own.includes(name)));
  form.addEventListener("change", ({ target }) => {
    // Another dealer is another table, for which the server makes another page.
    if (target.name === "dealer") return;
    update();
    recall("sessionStorage", (drafts) => drafts.setItem(draft, answers()));
  });
  byId("again").addEventListener("click", () => {
    forget();
    location.reload();
  });

  draw();
  const [fresh, kept] = [answers(), given ?? recall("sessionStorage", (drafts) => drafts.getItem(draft))];
  if (kept && kept !== fresh && !document.querySelector("[role=alert]")) {
    for (const group of form.querySelectorAll(".follows")) group.classList.remove("follows");
    for (const control of form.querySelectorAll("[data-field] :is(input, select)")) {
      const values = JSON.parse(kept).flatMap(([name, value]) => (name === control.name ? [value] : []));
      if (["radio", "checkbox"].includes(control.type)) control.checked = values.includes(control.value);
      else if (control.type !== "hidden") control.value = values[0] ?? "";
    }
    update();
    byId("kept").hidden = false;
  }
  return { answers, misdeal };
}

for (const form of document.querySelectorAll("form[data-preview]:not([data-session])")) begin(form);
