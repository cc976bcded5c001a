import Type, { type Static } from 'typebox';
import { idPattern } from './ids.ts';
import { Timestamp } from './resources.ts';

/** The actions that the audits of stores and organisations record, by the kind of thing that they concern. */
const actionsByTarget = {
  apiKey: ['created', 'revoked'],
  member: ['added', 'roleChanged', 'removed'],
  invitation: ['created', 'accepted', 'withdrawn'],
  store: ['created', 'updated', 'closed'],
  domain: ['added', 'activated', 'deactivated', 'removed'],
  organisation: ['created', 'deleted'],
  app: [
    'created',
    'updated',
    'secretReplaced',
    'webhookSecretIssued',
    'suspended',
    'restored',
    'deleted',
    'installed',
    'authorized',
    'consented',
    'rolledBack',
    'disabled',
    'enabled',
    'uninstalled',
  ],
  appVersion: ['submitted', 'recalled', 'approved', 'rejected', 'withdrawn', 'restored', 'deleted'],
  paymentMethod: ['created', 'updated', 'deleted'],
  webhook: ['created', 'updated', 'deleted', 'secretRotated', 'rotationFinished', 'replayStarted'],
  page: ['published', 'unpublished', 'deleted'],
  section: ['published'],
  template: ['published', 'deleted'],
  theme: ['published'],
  article: ['published', 'unpublished', 'deleted'],
  order: ['statusChanged', 'cancelled', 'paymentChanged', 'fulfillmentChanged', 'paymentUrlChanged'],
  payment: ['recorded', 'captured', 'voided'],
  fulfillment: ['created', 'updated'],
  refund: ['created'],
  return: ['created', 'updated'],
  customer: ['erased'],
  customField: ['created', 'updated', 'deleted'],
  discount: ['created', 'updated', 'deleted', 'codesCreated', 'codeWithdrawn'],
  taxes: ['updated'],
  shipping: ['updated'],
  documents: ['updated'],
  document: ['issued'],
  note: ['deleted'],
  mailTemplate: ['updated', 'reset'],
  mailSettings: ['updated'],
  media: ['purged'],
} as const;

type ActionsByTarget = typeof actionsByTarget;

/** The kind of thing that an entry is about. */
export type AuditTarget = keyof ActionsByTarget;

/** An action, `<kind>.<past tense>`: `decisions.md 15.6`. */
export type AuditAction = { [Kind in AuditTarget]: `${Kind}.${ActionsByTarget[Kind][number]}` }[AuditTarget];

export const auditActions = Object.entries(actionsByTarget).flatMap(([kind, actions]) =>
  actions.map((act) => `${kind}.${act}` as AuditAction),
);

const nullable = <Schema extends Parameters<typeof Type.Array>[0]>(schema: Schema) =>
  Type.Union([schema, Type.Null()]);

/** An audit entry: the actor, the action and its target, `decisions.md 15.6`. */
export const AuditEntry = Type.Object(
  {
    id: Type.String({ pattern: idPattern('auditEntry') }),
    at: Timestamp,
    actor: Type.Object({
      type: Type.Enum(['user', 'key', 'app', 'system'], {
        description: '`system` if no user, key or app triggered the change.',
      }),
      id: nullable(Type.String({ description: 'Null for `system`.' })),
      name: nullable(Type.String({ description: 'The current name; null if it is no longer known.' })),
    }),
    action: Type.Enum(auditActions, { examples: ['apiKey.created'] }),
    target: Type.Object({
      type: Type.Enum(Object.keys(actionsByTarget) as AuditTarget[], { examples: ['apiKey'] }),
      id: Type.String(),
      name: nullable(Type.String({ examples: ['Import'] })),
    }),
    changed: Type.Array(Type.String(), {
      description: 'The names of the changed fields for `….updated` actions; otherwise empty.',
      examples: [[]],
    }),
    ip: nullable(Type.String({ description: 'The IP address that sent the request.' })),
    requestId: nullable(Type.String({ description: 'The `X-Request-Id` of the request.' })),
  },
  { $id: 'AuditEntry' },
);
export type AuditEntry = Static<typeof AuditEntry>;

/** Maximum number of entries on a page of an audit. */
export const maxAuditEntries = 200;

/**
 * The request of an internal route that every service with a database has:
 * `POST /internal/audit/{service} { ownerId, actor?, action?, since?, until?, before?, limit }` → `{ entries }`, newest
 * first, those before an id. The names of users, keys and apps are null: the service that shows the entries looks them
 * up.
 */
export interface AuditQuery {
  /** The id of a store or an organisation. */
  ownerId: string;
  /** The id of the actor, or `system`. */
  actor?: string;
  action?: string;
  /** Instants: `since` is the first one included, `until` the first one excluded. */
  since?: string;
  until?: string;
  before?: string;
  limit: number;
}
