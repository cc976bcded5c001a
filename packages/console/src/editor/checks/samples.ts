import type { Json, PageDocument } from '@waybill/page';
import type { EditorWords } from '../../texts/en/editor.ts';

/** Sample texts that a merchant should replace; the labels of fields and buttons are fine as they are. */
const sampleKeys = [
  'heading',
  'text',
  'item',
  'button',
  'link',
  'point',
  'welcome',
  'lead',
  'pictureAlt',
  'quote',
  'quoted',
  'product',
  'price',
] as const;

/** A sample text that came with an element and was not changed. */
export interface SampleText {
  readonly id: string;
  readonly text: string;
}

/** Returns the sample texts in a document, in any of the console's languages in which it may have been made. */
export function findSampleTexts(
  { nodes }: PageDocument,
  languages: readonly Pick<EditorWords, 'samples'>[],
): SampleText[] {
  const samples = new Set(languages.flatMap((words) => sampleKeys.map((key) => words.samples[key])));
  return nodes.flatMap(({ id, props }) => {
    const found = new Set([...listTexts(props?.specials ?? {})].filter((text) => samples.has(text)));
    return [...found].map((text) => ({ id, text }));
  });
}

function* listTexts(value: Json | Readonly<Record<string, Json>>): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (typeof value === 'object' && value !== null)
    for (const inner of Object.values(value)) yield* listTexts(inner as Json);
}
