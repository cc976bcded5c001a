const keyHeader = 'idempotency-key';

/** What was asked to be made without an answer, the last of each address: nobody knows whether it was. */
const lost = new Map<string, { key: string; body: string; at: number }>();

/** For how long the same request is another try of it. Later one has looked, and means another: stock goes down by one twice. */
const againWithinMs = 120_000;

/**
 * Sends a POST whose answer was lost again with the key that it had: whoever presses again is answered with what was made,
 * and makes no second one (`decisions.md 11.2`). Other methods come to the same when they are asked twice.
 */
export async function withLostKey(
  request: Request,
  send: (request: Request) => Promise<Response>,
): Promise<Response> {
  if (request.method !== 'POST' || !request.headers.has(keyHeader)) return send(request);
  const copy = request.clone();
  const before = lost.get(request.url);
  const isRecent = before !== undefined && performance.now() - before.at < againWithinMs;
  if (isRecent && before.body === (await copy.clone().text())) request.headers.set(keyHeader, before.key);
  let response: Response | null = null;
  try {
    response = await send(request);
    return response;
  } finally {
    if (response && tellsWhatBecame(response)) lost.delete(request.url);
    else
      lost.set(request.url, {
        key: request.headers.get(keyHeader)!,
        body: await copy.text(),
        at: performance.now(),
      });
  }
}

/** Who may try again, or has to sign in first, does not know what has become of the first try. */
const tellsWhatBecame = ({ status, headers }: Response) =>
  status < 500 && status !== 401 && !headers.has('retry-after');
