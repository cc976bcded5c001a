/** An event as the body of a call (`store-api.md 6.2`). */
interface Envelope {
  id: string;
  type: string;
  createdAt: string;
  data: unknown;
}

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/**
 * Returns a call as a curl command with all its headers (`store-api.md 6.2`, `decisions.md 6.7`). Signatures are
 * placeholders that explain how they are computed.
 */
export function createCurlCommand(
  url: string,
  { id, type, createdAt, data }: Envelope,
  { attempt, isTest, now }: { attempt: number; isTest: boolean; now: Date },
): string {
  const seconds = Math.floor(now.getTime() / 1000);
  const headers: readonly (readonly [string, string])[] = [
    ['Content-Type', 'application/json'],
    ['User-Agent', 'Waybill-Webhooks/1'],
    ['X-WB-Signature', `sha256=<hex HMAC-SHA256 of "${seconds}.<body>", key: the secret>`],
    ['X-WB-Timestamp', now.toISOString()],
    ['X-WB-Event-Id', id],
    ['X-WB-Event-Type', type],
    ['X-WB-Attempt', String(attempt)],
    ...(isTest ? ([['X-WB-Test', '1']] as const) : []),
    ['webhook-id', id],
    ['webhook-timestamp', String(seconds)],
    [
      'webhook-signature',
      `v1,<base64 HMAC-SHA256 of "${id}.${seconds}.<body>", key: the secret's base64 part, decoded>`,
    ],
  ];
  return [
    `curl -X POST ${quoted(url)}`,
    ...headers.map(([name, value]) => `  -H ${quoted(`${name}: ${value}`)}`),
    `  --data-raw ${quoted(JSON.stringify({ id, type, createdAt, data }))}`,
  ].join(' \\\n');
}
