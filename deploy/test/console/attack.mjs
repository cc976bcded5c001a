export async function attack(base) {
  const outcome = (work) => work().catch((error) => `refused: ${error.name}`);
  const frame = document.createElement('iframe');
  frame.src = `${base}/console/`;
  document.body.append(frame);
  const opened = window.open(`${base}/console/`);
  await new Promise((resolve) => frame.addEventListener('load', resolve));
  // Until it has gone to the console, it belongs to this page and shows nothing.
  const hasGone = () => {
    try {
      return !opened || opened.closed || opened.location.href !== 'about:blank';
    } catch {
      return true;
    }
  };
  const deadline = Date.now() + 20_000;
  while (!hasGone() && Date.now() < deadline) await new Promise(requestAnimationFrame);
  return {
    storage: JSON.stringify(localStorage),
    cookies: document.cookie,
    refresh: await outcome(async () => {
      const reply = await fetch(`${base}/api/auth/refresh`, { method: 'POST', credentials: 'include' });
      return reply.json();
    }),
    refreshUnseen: await outcome(async () => {
      const reply = await fetch(`${base}/api/auth/refresh`, {
        method: 'POST',
        credentials: 'include',
        mode: 'no-cors',
      });
      return reply.type;
    }),
    me: await outcome(async () => (await fetch(`${base}/api/me`, { credentials: 'include' })).json()),
    framed: await outcome(async () => frame.contentWindow.document.body.innerHTML),
    opened: await outcome(async () => opened?.document.body.innerHTML ?? 'closed to us'),
  };
}
