import { type EventTypeDescription, eventCatalogue } from '@waybill/contracts';

const header = (name: string, description: string, schema: object, required = true) => ({
  name,
  in: 'header',
  required,
  description,
  schema: { type: 'string', ...schema },
});

/** `store-api.md 5.3, 6.2`, `decisions.md 6.7, 12.4, 12.5`. */
const headers = [
  header(
    'X-WB-Signature',
    'HMAC-SHA-256 of `<unix seconds>.<raw body>`, keyed with the whole `whsec_…` secret; the seconds are those of ' +
      '`X-WB-Timestamp`. While a secret is rotated: made with the old one.',
    { pattern: '^sha256=[0-9a-f]{64}$' },
  ),
  header(
    'X-WB-Signature-Next',
    'Only while a secret is rotated: the same, made with the new one.',
    { pattern: '^sha256=[0-9a-f]{64}$' },
    false,
  ),
  header('X-WB-Timestamp', 'When it was sent.', { format: 'date-time' }),
  header('X-WB-Event-Id', 'The same for all attempts: tells repeats apart.', { examples: ['evt_…'] }),
  header('X-WB-Event-Type', 'As `type` of the body.', {}),
  header('X-WB-Attempt', '1 at first, one more with every retry.', { pattern: '^[1-9][0-9]*$' }),
  header('X-WB-Test', 'Only on test calls: 1.', { enum: ['1'] }, false),
  header('webhook-id', 'Standard Webhooks: the event id.', {}),
  header('webhook-timestamp', 'Standard Webhooks: Unix seconds of the same instant.', {
    pattern: '^[0-9]+$',
  }),
  header(
    'webhook-signature',
    'Standard Webhooks: `v1,` and the base64 HMAC-SHA-256 of `<id>.<timestamp>.<raw body>`, keyed with the bytes that ' +
      'follow `whsec_`. While a secret is rotated there are two, with a space between: of the old one and the new.',
    { pattern: '^v1,[A-Za-z0-9+/]{43}=( v1,[A-Za-z0-9+/]{43}=)?$' },
  ),
];

/** Converts `order.created` to `OrderCreated`, from which generators derive function names. */
const inPascalCase = (type: string) =>
  type.replace(/(?:^|\.)(\w)/g, (_, letter: string) => letter.toUpperCase());

function describe({ type, description, schema, sample }: EventTypeDescription) {
  const eventId = `evt_${'0'.repeat(26)}`;
  return {
    // Makes client generators skip the call: a client does not make it, and some generators fail over its parameters.
    'x-internal': true,
    operationId: `receive${inPascalCase(type)}`,
    tags: ['Webhooks'],
    // The receiver verifies the caller by its signature.
    security: [],
    summary: type,
    description,
    parameters: headers,
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: {
            type: 'object',
            required: ['id', 'type', 'createdAt', 'data'],
            properties: {
              id: { type: 'string', pattern: '^evt_' },
              type: { type: 'string', enum: [type] },
              createdAt: { type: 'string', format: 'date-time', description: 'The time of the event.' },
              data: schema,
            },
          },
          examples: {
            whole: { value: { id: eventId, type, createdAt: '2026-11-20T10:00:00.000Z', data: sample } },
          },
        },
      },
    },
    responses: {
      '2XX': { description: 'Accepted. Answer within 10 seconds; the body is not used.' },
      default: {
        description: 'Rejected, including redirects: the call is repeated by the retry schedule.',
      },
    },
  };
}

/** Describes the calls for the `webhooks` of the OpenAPI 3.1 document: `decisions.md 12.7`. */
export const calls: Readonly<Record<string, object>> = Object.fromEntries(
  eventCatalogue.map((each) => [each.type, { post: describe(each) }]),
);
