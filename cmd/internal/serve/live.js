// Keeps the page up to date: told that the run changed, or every few seconds
// where nothing is told, it asks for the page again and takes over what differs,
// so that focus, places and what was typed stay as they are.
'use strict';
(() => {
  const body = document.body;
  const { changes, every } = body.dataset;
  if (!changes && !every) return;
  const said = document.getElementById('live');
  const say = (text) => { if (said && said.textContent !== text) said.textContent = text; };

  const sameKind = (a, b) => a.nodeType === b.nodeType && a.nodeName === b.nodeName && (a.id || '') === (b.id || '');
  const morph = (old, fresh) => {
    if (old.isEqualNode(fresh)) return;
    if (old.nodeType !== Node.ELEMENT_NODE) { old.nodeValue = fresh.nodeValue; return; }
    if (old.dataset && old.dataset.keep && old.dataset.keep === fresh.dataset.keep) return;
    for (const { name } of [...old.attributes]) if (!fresh.hasAttribute(name) && name !== 'open') old.removeAttribute(name);
    for (const { name, value } of fresh.attributes) if (old.getAttribute(name) !== value && name !== 'open') old.setAttribute(name, value);
    const stay = new Set([...fresh.children].map((c) => c.id).filter(Boolean));
    let at = old.firstChild;
    for (let next = fresh.firstChild; next; ) {
      const from = next; next = next.nextSibling;
      if (at && sameKind(at, from)) { morph(at, from); at = at.nextSibling; continue; }
      const twin = from.id && [...old.children].find((c) => sameKind(c, from));
      if (twin) { // what moves loses the focus: rather what stands before it goes, if it is gone from the page
        while (at && at !== twin && !stay.has(at.id)) { const gone = at; at = at.nextSibling; gone.remove(); }
        if (at === twin) at = at.nextSibling; else old.insertBefore(twin, at);
        morph(twin, from);
        continue;
      }
      old.insertBefore(document.importNode(from, true), at);
    }
    while (at) { const gone = at; at = at.nextSibling; gone.remove(); }
  };

  let busy = false, again = false, over = false;
  const refresh = async () => {
    if (busy) { again = true; return; }
    busy = true;
    const begun = performance.now();
    try {
      const answer = await fetch(location.pathname + location.search, { headers: { Accept: 'text/html' } });
      const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
      if (answer.ok) {
        document.title = page.title;
        for (const part of ['header', 'main']) morph(document.querySelector(part), page.querySelector(part));
        say(over ? 'over: nothing changes any more' : 'up to date as it changes');
      } else {
        say('this run is gone, or cannot be read; the page shows it as it was');
      }
    } catch { say('the server is away; the page shows the run as it was'); }
    const rest = Math.max(200, 4 * (performance.now() - begun));
    setTimeout(() => { busy = false; if (again) { again = false; refresh(); } }, rest);
  };

  const often = (rest) => setInterval(() => { if (!document.hidden) refresh(); }, rest);
  if (every) { often(Number(every)); return; }
  const events = new EventSource(changes);
  events.onopen = () => say('up to date as it changes');
  events.onmessage = refresh;
  events.onerror = () => {
    say('the server is away; the page shows the run as it was');
    if (events.readyState === EventSource.CLOSED) often(5000); // it tells no more, as where too many pages are told
  };
  events.addEventListener('over', () => { over = true; events.close(); refresh(); });
})();
