import type { Json, PageDocument } from '@waybill/page';
import type { SampleTexts } from '../../texts/en/editor-samples.ts';

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
export function findSampleTexts({ nodes }: PageDocument, languages: readonly SampleTexts[]): SampleText[] {
  const samples = new Set(languages.flatMap((words) => sampleKeys.map((key) => words[key])));
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

/** Elements that show nothing until something is chosen for them, and the setting that holds the choice. */
const choiceKeys: Readonly<Record<string, 'src' | 'videoId' | 'items'>> = {
  image: 'src',
  video: 'src',
  embed: 'videoId',
  gallery: 'items',
};

/** Returns the ids of pictures, videos and galleries for which no file was chosen: visitors see nothing there. */
export function findEmptyMedia({ nodes }: PageDocument): string[] {
  return nodes
    .filter(({ type, props }) => {
      const key = Object.hasOwn(choiceKeys, type) ? choiceKeys[type] : undefined;
      if (key === undefined) return false;
      const value = props?.specials?.[key];
      return Array.isArray(value) ? !value.some(hasPicture) : !value;
    })
    .map(({ id }) => id);
}

const hasPicture = (item: Json) =>
  typeof item === 'object' && item !== null && !Array.isArray(item) && !!(item as { src?: Json }).src;
