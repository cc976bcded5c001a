import Type from 'typebox';
import { exampleId } from './examples.ts';
import type { IdKind } from './ids.ts';

/**
 * The schema of an id in a request. It has no pattern: an id of another form finds nothing, like an unknown one, and
 * the route gives the same answer to both.
 */
export const IdInput = (kind: IdKind, description?: string) =>
  Type.String({ maxLength: 60, examples: [exampleId(kind)], ...(description && { description }) });
