import { eventCatalogue, eventTypes } from '@waybill/contracts';
import { defineRoutes, listOf } from '@waybill/kernel';
import Type from 'typebox';

const example = eventCatalogue.find(({ type }) => type === 'product.deleted')!;

export const EventTypeDescription = Type.Object(
  {
    type: Type.Enum([...eventTypes]),
    description: Type.String({ description: 'When it is sent.' }),
    schema: Type.Object(
      {},
      {
        additionalProperties: true,
        description:
          'JSON Schema (2020-12) of `data`: whole, or the id alone for who may not read more. The document that ' +
          'you read has the same under `webhooks`.',
      },
    ),
    sample: Type.Object(
      {},
      { additionalProperties: true, description: 'A whole `data`, the same as test calls carry.' },
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
    description: 'All that a webhook can subscribe to. Types may be added; none is renamed or removed.',
    answer: [200, listOf('eventTypes', EventTypeDescription)],
  },
});
