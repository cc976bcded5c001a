import { defineErrors, errors as shared } from '@waybill/contracts';

/** The errors of webhooks in addition to the shared ones: `store-api.md 7.1`, `decisions.md 6`. */
export const errors = {
  ...shared,
  ...defineErrors({
    blocked_url: [400, 'The URL leads to an address that webhooks must not call.'],
    no_events: [400, 'A webhook needs at least one event type.'],
    invalid_event: [400, 'This event type does not exist.'],
    cursor_expired: [
      410,
      'The event of this cursor is no longer in the log; read from the beginning of the log.',
    ],
    too_many_webhooks: [409, 'A store has at most 50 webhooks.'],
  }),
};
