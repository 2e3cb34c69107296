// What can be passed on stands on the page as text, to be read and selected. Here it gets its buttons: Share where the
// device can, and Copy, which over plain HTTP goes by the selection. They work for parts of the page that come later too.
"use strict";

(() => {
  function select(text) {
    if (text.select) text.select();
    else getSelection().selectAllChildren(text);
  }

  async function copied(text, said) {
    try {
      await navigator.clipboard.writeText(said);
      return true;
    } catch {
      select(text);
      return document.execCommand("copy");
    }
  }

  document.documentElement.classList.add("can-copy");
  document.documentElement.classList.toggle("can-share", Boolean(navigator.share));
  document.addEventListener("click", async ({ target }) => {
    const button = target.closest("[data-do]");
    if (!button) return;
    const box = button.closest("[data-share]");
    const text = box.querySelector("textarea, a.key, .passed-on");
    const said = (text.value ?? text.textContent).trim();
    if (button.dataset.do === "share") {
      try {
        return void (await navigator.share({ text: said }));
      } catch (error) {
        // Who closes what the device offers has not failed at anything. What it cannot share is copied.
        if (error.name === "AbortError") return;
      }
    }
    const { done, failed } = box.querySelector("[data-do=copy]").dataset;
    const told = box.querySelector("[role=status]");
    told.textContent = "";
    told.textContent = (await copied(text, said)) ? done : failed;
  });
})();
