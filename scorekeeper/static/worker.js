// The service worker, after the lines that name its release, the files of that, and the page of those that is shown where
// there is none: pages come from the network, and only where there is none from what was kept of the newest release that
// was seen. Of what else pages ask for, only what is shipped goes through here.
"use strict";

const [PAGES, SHIPPED] = [`pages ${RELEASE}`, `files ${RELEASE}`];
const PATIENCE = 5000; // milliseconds for the network, where a page has been kept

async function install() {
  const shipped = await caches.open(SHIPPED);
  await shipped.addAll(FILES);
}

async function activate() {
  for (const name of await caches.keys()) if (![PAGES, SHIPPED].includes(name)) await caches.delete(name);
  await self.clients.claim();
  // An app on a home screen begins there.
  const start = new URL("/", location);
  await fetch(start, { headers: { "X-Fragment": "1" } }).then((reply) => learn(start, reply), () => {});
}

const ours = (reply) => reply.headers.has("X-Release");

const made = ({ headers }) => Date.parse(headers.get("Date"));

// Keep what may be kept, for the release it is of: the files of a newer one may be here already. What was kept of an older
// release goes, and what shows something that is not open to this browser any more. From an answer that was longer on its
// way than one of another release nothing is learned.
async function learn({ pathname, search }, reply) {
  const release = `pages ${reply.headers.get("X-Release")}`;
  const others = (await caches.keys()).filter((name) => name.startsWith("pages ") && name !== release);
  for (const name of others)
    for (const page of await (await caches.open(name)).matchAll()) if (made(page) > made(reply)) return;
  for (const name of others) await caches.delete(name);
  const pages = await caches.open(release);
  // It names what is: a group as 5, a session alone as 5/12.
  const open = reply.headers.get("X-Open")?.split(" ");
  for (const request of open ? await pages.keys() : []) {
    const shows = (await pages.match(request, { ignoreVary: true })).headers.get("X-Keep").split(" ");
    if (!shows.every((one) => open.includes(one) || open.includes(one.split("/")[0]))) await pages.delete(request);
  }
  if ([403, 404].includes(reply.status) && !search) await pages.delete(pathname, { ignoreVary: true });
  if (!reply.ok || reply.redirected || search || !reply.headers.has("X-Keep")) return;
  // A page that was kept can tell by this of when it is.
  const headers = new Headers(reply.headers);
  headers.set("Last-Modified", headers.get("Date"));
  const html = (await reply.text()).replace("<html ", "<html data-kept ");
  await pages.put(pathname, new Response(html, { headers }));
}

// On the way back a browser would take a page from its own cache without asking whether it is still like that.
async function fromNetwork(event, address) {
  const reply = await fetch(event.request, event.request.mode === "navigate" ? { cache: "no-cache" } : {});
  if (ours(reply)) event.waitUntil(learn(address, reply.clone()));
  return reply;
}

// For a script, what is no answer of ours is none: something in between gave it.
async function part(event, address) {
  const reply = await fromNetwork(event, address);
  return ours(reply) ? reply : Response.error();
}

async function page(event, address) {
  const kept = await caches.match(address.pathname, { ignoreVary: true });
  const reply = fromNetwork(event, address);
  // One that comes late is learned from all the same.
  event.waitUntil(reply.catch(() => {}));
  if (!kept) return reply.catch(() => nowhere(address));
  // A redirect is followed by the browser, and comes here again.
  const usable = reply.then((reply) => (ours(reply) || reply.type === "opaqueredirect" ? reply : kept), () => kept);
  const late = new Promise((resolve) => setTimeout(resolve, PATIENCE, kept));
  return Promise.race([usable, late]);
}

// Says that there is no network, and leads to what has been kept.
async function nowhere({ pathname }) {
  const page = await caches.match(NOWHERE, { ignoreVary: true });
  const [session] = pathname.match(/^\/sessions\/\d+/) ?? ["/"];
  const html = (await page.text()).replaceAll("{back}", session);
  return new Response(html, { headers: page.headers });
}

async function file(request) {
  return (await caches.match(request, { ignoreVary: true })) ?? fetch(request);
}

self.addEventListener("install", (event) => event.waitUntil(install()));
self.addEventListener("activate", (event) => event.waitUntil(activate()));
self.addEventListener("message", ({ data }) => (data === "use" ? self.skipWaiting() : self.clients.claim()));
self.addEventListener("fetch", (event) => {
  const { request } = event;
  const address = new URL(request.url);
  if (request.method !== "GET" || address.origin !== location.origin) return;
  if (request.mode === "navigate") event.respondWith(page(event, address));
  else if (request.headers.has("X-Fragment")) event.respondWith(part(event, address));
  // What is shipped, of this release or a newer one.
  else if (address.searchParams.has("v")) event.respondWith(file(request));
});
