import { eventCatalogue, eventTypes } from '@waybill/contracts';
import { defineRoutes, listSchema } from '@waybill/kernel';
import Type from 'typebox';

const example = eventCatalogue.find(({ type }) => type === 'product.deleted')!;

export const EventTypeDescription = Type.Object(
  {
    type: Type.Enum([...eventTypes]),
    description: Type.String({ description: 'When the event is sent.' }),
    schema: Type.Object(
      {},
      {
        additionalProperties: true,
        description:
          'JSON Schema (2020-12) of `data`: complete, or only the ID for readers without permission. The ' +
          '`webhooks` of this document contain the same schemas.',
      },
    ),
    sample: Type.Object(
      {},
      { additionalProperties: true, description: 'A complete `data`, the same as in test calls.' },
    ),
  },
  { $id: 'EventTypeDescription', examples: [example] },
);

/** `decisions.md 12.7`. */
export const routes = defineRoutes({
  listEventTypes: {
    method: 'GET',
    path: '/api/v1/event-types',
    access: { scope: 'webhooks.read' },
    summary: 'List the event types, each with its schema and a sample',
    description: 'All types that a webhook can subscribe to. Types can be added; none is renamed or removed.',
    answer: [200, listSchema('eventTypes', EventTypeDescription)],
  },
});
