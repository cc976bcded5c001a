import { type CallSettings, type FilterCondition, filterOps } from '@waybill/contracts';
import { nullable } from '@waybill/kernel';
import Type, { type Static } from 'typebox';

const Scalar = [Type.String({ maxLength: 1_000 }), Type.Number(), Type.Boolean(), Type.Null()] as const;

const Condition = Type.Object(
  {
    path: Type.String({
      minLength: 1,
      maxLength: 200,
      description:
        'A path in the event: `id`, `type`, `createdAt` or `data`, followed by field names separated by dots. A ' +
        'path to or through a list matches if one of the items matches.',
      examples: ['data.product.status'],
    }),
    op: Type.Enum([...filterOps], {
      description:
        '`is`, `isNot`: exactly this text, number, boolean or null. `in`: one of up to 100 of these. `exists`: ' +
        'whether a value exists (true or false). `above`, `below`: numbers, or instants as RFC 3339 text. ' +
        '`contains`, `startsWith`: a part of the text. If the path has no value, only `isNot`, and `exists` with ' +
        'false, match.',
    }),
    value: Type.Union([...Scalar, Type.Array(Type.Union([...Scalar]), { minItems: 1, maxItems: 100 })], {
      description: 'The value for `op`.',
      examples: ['active'],
    }),
  },
  { $id: 'WebhookFilterCondition' },
);

const batchMembers = {
  maxEvents: Type.Integer({ minimum: 2, maximum: 100 }),
  maxSeconds: Type.Integer({ minimum: 1, maximum: 60 }),
};
export const Batch = Type.Object(batchMembers, { $id: 'BatchRule' });
export type Batch = Static<typeof Batch>;

const alertMembers = {
  percent: Type.Integer({ minimum: 1, maximum: 100 }),
  minutes: Type.Integer({
    minimum: 5,
    maximum: 1440,
    description: 'Attempts count from the time at which alerts were set.',
  }),
};
export const FailureAlerts = Type.Object(alertMembers, { $id: 'FailureAlertRule' });
export type FailureAlerts = Static<typeof FailureAlerts>;

/** The same rules where a webhook is replaced: omitted members keep their values (`decisions.md`, part three). */
const BatchPatch = Type.Object(Type.Partial(Type.Object(batchMembers)).properties, { $id: 'BatchRulePatch' });
const FailureAlertsPatch = Type.Object(Type.Partial(Type.Object(alertMembers)).properties, {
  $id: 'FailureAlertRulePatch',
});

/** The names of the members of each rule. */
export const ruleMembers = {
  batch: ['maxEvents', 'maxSeconds'],
  failureAlerts: ['percent', 'minutes'],
} as const;

const text = (maxLength: number) => Type.String({ maxLength });
const http = Type.Object({ kind: Type.Enum(['http']) });
const rabbitmq = Type.Object({
  kind: Type.Enum(['rabbitmq']),
  url: Type.String({
    description: 'amqp or amqps, with user name and password, which are returned as `***`.',
    examples: ['amqps://waybill:***@rabbit.example.com:5671/shop'],
  }),
  exchange: Type.String({
    description: 'Empty for the default exchange, whose routing keys are names of queues.',
    examples: ['events'],
  }),
  routingKey: Type.String({ examples: ['waybill'] }),
});
const sqs = Type.Object({
  kind: Type.Enum(['sqs']),
  queueUrl: Type.String({ examples: ['https://sqs.eu-west-1.amazonaws.com/123456789012/waybill'] }),
  region: Type.String({ examples: ['eu-west-1'] }),
  accessKeyId: Type.String({ examples: ['AKIAIOSFODNN7EXAMPLE'] }),
  secretAccessKey: Type.String({ description: 'Returned as `***`.', examples: ['***'] }),
});

/** The target of calls. It is validated as one object, because a union would not tell which field is wrong. */
const destinationMembers = {
  kind: Type.Enum(['http', 'rabbitmq', 'sqs']),
  url: Type.Optional(text(2_048)),
  exchange: Type.Optional(text(255)),
  routingKey: Type.Optional(text(255)),
  queueUrl: Type.Optional(text(2_048)),
  region: Type.Optional(text(64)),
  accessKeyId: Type.Optional(text(128)),
  secretAccessKey: Type.Optional(text(256)),
};
export const Destination = Type.Object(destinationMembers, {
  $id: 'WebhookDestination',
  documentedAs: Type.Union([http, rabbitmq, sqs]),
});
export type Destination = Static<typeof Destination>;

/** A destination where a webhook is replaced: omitted members keep their values while the kind stays the same. */
const DestinationPatch = Type.Object(
  { ...destinationMembers, kind: Type.Optional(destinationMembers.kind) },
  {
    $id: 'WebhookDestinationPatch',
    documentedAs: Type.Union([http, Type.Partial(rabbitmq), Type.Partial(sqs)]),
  },
);
export type DestinationPatch = Static<typeof DestinationPatch>;

const samplePem = '-----BEGIN CERTIFICATE-----\nMIIB…\n-----END CERTIFICATE-----';

const certificateMembers = {
  certificate: Type.String({
    maxLength: 32_768,
    examples: [samplePem],
    description: 'PEM; the certificates of its issuers can follow.',
  }),
  key: Type.Optional(
    Type.String({
      maxLength: 32_768,
      examples: ['-----BEGIN PRIVATE KEY-----\nMIIE…\n-----END PRIVATE KEY-----'],
      description:
        'PEM, without a passphrase. Never returned; if omitted with the same certificate, the stored key stays.',
    }),
  ),
};
const ClientCertificateInput = Type.Object(certificateMembers);
const ClientCertificatePatch = Type.Object(Type.Partial(Type.Object(certificateMembers)).properties);

/** Shown in `headers` and `destination` in place of a secret; sending it back keeps the secret. */
export const secretPlaceholder = '***';

const fields = {
  filter: nullable(
    Type.Array(Type.Unsafe<FilterCondition>(Condition), {
      minItems: 1,
      maxItems: 20,
      description:
        'Conditions that an event, as this webhook can read it, must all meet. Null for every event.',
    }),
  ),
  headers: Type.Record(Type.String(), Type.String(), {
    description:
      'At most 20 headers of your own, by name; printable ASCII. Values of headers listed in `secretHeaders` ' +
      'are returned as `***`, and stay unchanged if that is sent back.',
    examples: [{ 'X-Tenant': 'shop-7' }],
  }),
  secretHeaders: Type.Array(Type.String({ maxLength: 100, examples: ['Authorization'] }), {
    maxItems: 20,
    description: 'The names of `headers` whose values are secret.',
  }),
  maxPerSecond: nullable(
    Type.Integer({
      minimum: 1,
      maximum: 1_000,
      description: 'The maximum number of calls started per second, including retries, replays and tests.',
    }),
  ),
  retryDelays: nullable(
    Type.Array(Type.Integer({ minimum: 1, maximum: 604_800 }), {
      maxItems: 10,
      description: 'Seconds before each retry. Null for the default schedule; empty for no retries.',
      examples: [[60, 300]],
    }),
  ),
  ordering: nullable(
    Type.Enum(['resource'], {
      description:
        '`resource`: calls about the same resource are made one after another, in the order of its events.',
    }),
  ),
  // A batch is refused beside `ordering`, which the example has.
  batch: Type.Union([Batch, Type.Null()], { examples: [null] }),
  format: Type.Enum(['envelope', 'cloudevents'], {
    description: '`cloudevents`: CloudEvents 1.0, structured mode.',
  }),
  honorsRetryAfter: Type.Boolean({
    description: 'Whether a `Retry-After` of at most 24 hours with 429 or 503 postpones the next attempt.',
  }),
  stopsOnGone: Type.Boolean({ description: 'Whether a 410 ends the delivery.' }),
  failureAlerts: nullable(FailureAlerts),
  disableAfterDays: nullable(
    Type.Integer({
      minimum: 1,
      maximum: 30,
      description:
        'The number of days with failures and no success after which the webhook is disabled. Null: never.',
    }),
  ),
};

/** The settings as an endpoint shows them: `decisions.md 24`. */
export const shownSettings = {
  ...fields,
  clientCertificate: nullable(Type.Object({ certificate: Type.String({ examples: [samplePem] }) })),
  destination: Type.Unsafe<Destination>(Destination),
};

const optionalFields = Type.Partial(Type.Object(fields)).properties;
const certificateExample = { examples: [null] };

/** The settings as a client sends them for a new endpoint. An absent one has its default. */
export const settingsInput = {
  ...optionalFields,
  clientCertificate: Type.Optional(Type.Union([ClientCertificateInput, Type.Null()], certificateExample)),
  destination: Type.Optional(Destination),
};

/** The settings as a client sends them to replace an endpoint. An absent one stays as it is, also inside an object. */
export const settingsReplacement = {
  ...optionalFields,
  batch: Type.Optional(Type.Union([BatchPatch, Type.Null()], { examples: [null] })),
  failureAlerts: Type.Optional(nullable(FailureAlertsPatch)),
  clientCertificate: Type.Optional(Type.Union([ClientCertificatePatch, Type.Null()], certificateExample)),
  destination: Type.Optional(DestinationPatch),
};
const SettingsReplacement = Type.Object(settingsReplacement);
/** The settings of a new endpoint fit, too. */
export type SettingsInput = Static<typeof SettingsReplacement>;

/**
 * The content of `call_settings`: the settings that delivery needs, and the names of secret headers. Secrets appear as
 * `***`.
 */
export interface StoredCallSettings extends CallSettings {
  secretHeaders?: string[];
}
