import type { Json, PageDocument } from './model.ts';
import { normaliseText } from './text.ts';

/** A document as it is stored: every text in Unicode NFC with lines that end in LF. Ids included, so they agree. */
export function normaliseDocument<Document extends PageDocument>(document: Document): Document {
  return normalised(document as unknown as Json) as unknown as Document;
}

function normalised(value: Json): Json {
  if (typeof value === 'string') return normaliseText(value);
  if (Array.isArray(value)) return value.map(normalised);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, normalised(inner)]));
}
