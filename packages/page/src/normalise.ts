import type { PageDocument } from './model.ts';
import { normaliseText } from './text.ts';

/**
 * Converts a document to its stored form: every text in Unicode NFC with LF line ends. This includes ids, so that they
 * still match.
 */
export function normaliseDocument<Document extends PageDocument>(document: Document): Document {
  return normaliseValue(document) as Document;
}

function normaliseValue(value: unknown): unknown {
  if (typeof value === 'string') return normaliseText(value);
  if (Array.isArray(value)) return value.map(normaliseValue);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, normaliseValue(inner)]));
}
