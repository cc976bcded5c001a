import Type from 'typebox';
import { exampleId } from './examples.ts';
import type { IdKind } from './ids.ts';

/**
 * An id in a request. It has no pattern: an id of another form leads nowhere, as an unknown one does, and the route gives
 * the same answer for both.
 */
export const IdInput = (kind: IdKind, description?: string) =>
  Type.String({ maxLength: 60, examples: [exampleId(kind)], ...(description && { description }) });
