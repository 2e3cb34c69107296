// The service worker, after the two lines that name its release and the files of that: pages come from the network, and
// only where there is none from what was kept of the same release. Nothing else that pages ask for goes through here.
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

// Keep what may be kept. A page of another release, or one that is not there for this browser any more, as where a link
// was withdrawn, takes all that was kept with it.
async function learn({ pathname, search }, reply) {
  if ([403, 404].includes(reply.status) || reply.headers.get("X-Release") !== RELEASE) return caches.delete(PAGES);
  if (!reply.ok || reply.redirected || search || !reply.headers.has("X-Keep")) return;
  const pages = await caches.open(PAGES);
  // A page that was kept can tell by this of when it is.
  const headers = new Headers(reply.headers);
  headers.set("Last-Modified", headers.get("Date"));
  await pages.put(pathname, new Response(reply.body, { headers }));
  if (pathname !== "/") return;
  // The start page names every group there is for this browser.
  const groups = reply.headers.get("X-Keep").split(" ");
  for (const request of await pages.keys()) {
    const page = await pages.match(request, { ignoreVary: true });
    if (new URL(request.url).pathname !== "/" && !groups.includes(page.headers.get("X-Keep"))) await pages.delete(request);
  }
}

async function fromNetwork(event, address) {
  const reply = await fetch(event.request);
  // A redirect is followed by the browser, and comes here again.
  if (reply.type === "opaqueredirect") return reply;
  // This is no answer of ours: something in between says that it gets none.
  if (reply.status > 500 && !reply.headers.has("X-Release")) throw new Error(`the network answered ${reply.status}`);
  event.waitUntil(learn(address, reply.clone()));
  return reply;
}

async function page(event, address) {
  const pages = await caches.open(PAGES);
  const kept = await pages.match(address.pathname, { ignoreVary: true });
  const reply = fromNetwork(event, address);
  // One that comes late is learned from all the same.
  event.waitUntil(reply.catch(() => {}));
  if (!kept) return reply;
  const late = new Promise((resolve) => setTimeout(resolve, PATIENCE, kept));
  return Promise.race([reply.catch(() => kept), late]);
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
  if (FILES.includes(address.pathname + address.search)) event.respondWith(file(request));
  else if (request.mode === "navigate") event.respondWith(page(event, address));
  else if (request.headers.has("X-Fragment")) event.respondWith(fromNetwork(event, address));
});
