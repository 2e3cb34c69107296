// What can be passed on stands on the page as text, to be read and selected. Here it gets its buttons: Share where the
// device can, and Copy, which over plain HTTP goes by the selection.
"use strict";

for (const box of document.querySelectorAll("[data-share]")) {
  const text = box.querySelector("textarea, a.key, .passed-on");
  const said = () => (text.value ?? text.textContent).trim();
  const [share, copy] = [box.querySelector("[data-do=share]"), box.querySelector("[data-do=copy]")];
  const done = box.querySelector("[role=status]");

  function select() {
    if (text.select) text.select();
    else getSelection().selectAllChildren(text);
  }

  async function copied() {
    try {
      await navigator.clipboard.writeText(said());
      return true;
    } catch {
      select();
      return document.execCommand("copy");
    }
  }

  share.hidden = !navigator.share;
  copy.hidden = false;
  // Who closes what the device offers has not failed at anything.
  share.addEventListener("click", () => navigator.share({ text: said() }).catch(() => {}));
  copy.addEventListener("click", async () => {
    done.textContent = "";
    done.textContent = (await copied()) ? copy.dataset.done : copy.dataset.failed;
  });
}
