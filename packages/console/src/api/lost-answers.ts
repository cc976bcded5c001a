const keyHeader = 'idempotency-key';

/** The last POST per address whose answer was lost, so that its outcome is unknown. */
const lost = new Map<string, { key: string; body: string; at: number }>();

/**
 * How long an identical request counts as a retry. Later the user has looked and means a second request, such as
 * lowering the stock by one again.
 */
const againWithinMs = 120_000;

/**
 * Sends a POST; an identical one within `againWithinMs` after a lost answer reuses its idempotency key. A user who
 * presses the button again gets the first result, not a second resource (`decisions.md 11.2`). Other methods are
 * idempotent anyway.
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
    if (response && hasKnownOutcome(response)) lost.delete(request.url);
    else
      lost.set(request.url, {
        key: request.headers.get(keyHeader)!,
        body: await copy.text(),
        at: performance.now(),
      });
  }
}

/** Whether an answer shows the outcome of the request. It does not if it asks for another try or for a new sign-in. */
const hasKnownOutcome = ({ status, headers }: Response) =>
  status < 500 && status !== 401 && !headers.has('retry-after');
