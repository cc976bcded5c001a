import Type, { type TSchema } from 'typebox';
import { type EventType, eventTypes, getEventSubject, publicEvents } from './events.ts';
import { createExample } from './examples.ts';

/** JSON Schema as plain JSON. */
export interface JsonSchema {
  [keyword: string]: unknown;
}

/** A type of the public catalogue as receivers see it: `decisions.md 12.7`. */
export interface EventTypeDescription {
  type: EventType;
  /** Describes when the event is sent. */
  description: string;
  /** The schema of `data`, whole or reduced to the thing's id. */
  schema: JsonSchema;
  /** A whole `data`, the same on every request. */
  sample: Record<string, unknown>;
}

const descriptions: Record<EventType, string> = {
  'order.created': 'An order was placed.',
  'order.updated': 'An order’s status, payment or fulfillment changed.',
  'payment.updated': 'A payment of an order changed.',
  'fulfillment.created': 'Something of an order was sent.',
  'fulfillment.updated': 'The status or tracking of something that was sent changed.',
  'document.issued': 'An invoice, credit note or packing slip was issued.',
  'refund.created': 'Money of an order goes back.',
  'return.updated': 'A return was asked for or agreed to, or has moved along.',
  'customer.created': 'A customer was added.',
  'customer.updated': 'A customer’s record changed.',
  'customer.deleted': 'A customer was removed.',
  'product.created': 'A product was created.',
  'product.updated': 'A product changed, its stock included.',
  'product.deleted': 'A product was removed.',
  'category.created': 'A category was created.',
  'category.updated': 'A category changed; what it contains is no part of it.',
  'category.deleted': 'A category was removed.',
  'page.published': 'A page went live.',
  'page.unpublished': 'A page was taken off.',
  'form.submitted': 'A visitor sent a form of a live page.',
  'course.enrolled': 'The courses application enrolled a student.',
  'course.revoked': 'The courses application took access back.',
};

/** The data of an event whose form only the sending first-party application defines. */
const AnyEventData = Type.Object({}, { description: 'The data that the courses application sends.' });

/**
 * Returns the schema of the whole form and, if that contains more than the id, of the id alone: `decisions.md 12.2`.
 */
function buildEventSchema(type: EventType, fullSchema: TSchema): TSchema {
  const { key, permission } = getEventSubject(type);
  if (permission === null) return fullSchema;
  const subject = (fullSchema as JsonSchema & { properties: Record<string, { properties: { id: TSchema } }> })
    .properties[key]!;
  const closed = { additionalProperties: false };
  const reduced = Type.Object(
    { [key]: Type.Object({ id: subject.properties.id }, closed) },
    { ...closed, description: `For readers without the permission ${permission}.` },
  );
  return { type: 'object', anyOf: [fullSchema, reduced] } as TSchema;
}

/** Removes names, which are for the API document's components, so that the schema stands by itself. */
function removeSchemaNames(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(removeSchemaNames);
  if (typeof schema !== 'object' || schema === null) return schema;
  const { $id: _, ...rest } = schema as JsonSchema;
  return Object.fromEntries(
    Object.entries(rest).map(([keyword, value]) => [keyword, removeSchemaNames(value)]),
  );
}

/** The public catalogue with schemas and samples, all derived from the event definitions. */
export const eventCatalogue: readonly EventTypeDescription[] = eventTypes.map((type) => {
  const fullSchema = publicEvents.find(({ publicType }) => publicType === type)?.data ?? AnyEventData;
  return {
    type,
    description: descriptions[type],
    schema: removeSchemaNames(buildEventSchema(type, fullSchema)) as JsonSchema,
    sample: createExample(fullSchema) as Record<string, unknown>,
  };
});
