import { stat } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { type MessageFormatElement, parse, TYPE } from '@formatjs/icu-messageformat-parser';
import { printAST } from '@formatjs/icu-messageformat-parser/printer.js';
import { compileString } from '@internationalized/string-compiler';
import type { Plugin } from 'rolldown';

/** ICU messages by key: the default export of each file in `src/texts/<language>`. */
type Catalogue = string | readonly Catalogue[] | { readonly [key: string]: Catalogue };

/** Files of catalogues. */
export const catalogueFiles = /[\\/]src[\\/]texts[\\/](?:en|de)[\\/][\w-]+\.ts$/;

/** Compiles the catalogues to strings and functions. With `isPseudo`, the English ones speak the pseudo-locale. */
export const compileCatalogues = ({ isPseudo = false } = {}): Plugin => ({
  name: 'compile-catalogues',
  load: {
    filter: { id: catalogueFiles },
    handler: async (id) => ({
      code: await compileCatalogue(id, { isPseudo: isPseudo && /[\\/]en[\\/]/.test(id) }),
      moduleType: 'js',
    }),
  },
});

/**
 * Returns the module of a catalogue. Its default export takes the language's formatter, which all messages share, and
 * returns the texts (`bindCatalogue`). Throws an error that names the file and the key of a message with a fault.
 */
export async function compileCatalogue(file: string, { isPseudo = false } = {}): Promise<string> {
  // Node.js loads each address once, but the development server compiles a file again after each change.
  const { mtimeMs } = await stat(file);
  const { default: catalogue } = await import(`${pathToFileURL(file)}?${mtimeMs}`);
  return `export default (formatter) => (${compileEntry(catalogue, { path: file, isPseudo })});`;
}

function compileEntry(entry: Catalogue, { path, isPseudo }: { path: string; isPseudo: boolean }): string {
  if (typeof entry === 'string') return compileMessage(isPseudo ? toPseudoLocale(entry) : entry, path);
  const compileChild = (child: Catalogue, key: string | number) =>
    compileEntry(child, { path: `${path}, ${key}`, isPseudo });
  if (Array.isArray(entry)) return `[${entry.map(compileChild).join()}]`;
  return `{${Object.entries(entry).map(([key, child]) => `${JSON.stringify(key)}:${compileChild(child, key)}`)}}`;
}

function compileMessage(message: string, path: string): string {
  // The compiler knows no numbers outside of plurals, and writes backslashes as they are.
  const known = message.replace(/\{(\w+), number\}/g, '{number_$1}').replaceAll('\\', '\\\\');
  try {
    return compileString(known)
      .replaceAll(/args\.number_(\w+)/g, 'formatter.number(args.$1)')
      .replace('(args, formatter) =>', '(args) =>');
  } catch (error) {
    throw new Error(`${path}: ${error instanceof Error ? error.message : error}: ${message}`);
  }
}

const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
const accented = 'àƀçďéƒĝĥíĵķĺɱñóþʠŕšţúṽŵẋýžÀƁÇĎÉƑĜĤÍĴĶĹḾÑÓÞɊŔŠŢÚṼŴẊÝŽ';
const accent = (text: string) => text.replace(/[a-z]/gi, (letter) => accented[letters.indexOf(letter)]!);

/**
 * Accents a message, makes it two fifths longer and puts it between marks. On a screen it shows texts that come from no
 * catalogue, texts that are put together from pieces, and texts that are cut off.
 */
export function toPseudoLocale(message: string): string {
  if (message === '') return message;
  const parts = parse(message);
  const text = accent(joinLiterals(parts));
  const longer = text.slice(0, Math.ceil(text.length * 0.4)).trimEnd();
  return printAST([literal('⟦'), ...accentLiterals(parts), literal(` ${longer}⟧`)]);
}

const literal = (value: string): MessageFormatElement => ({ type: TYPE.literal, value });

/** Returns the text that a message has of itself; of several forms, the general one. */
function joinLiterals(parts: readonly MessageFormatElement[]): string {
  return parts
    .map((part) => {
      if (part.type === TYPE.literal) return part.value;
      return 'options' in part ? joinLiterals(part.options.other?.value ?? []) : '';
    })
    .join('');
}

function accentLiterals(parts: readonly MessageFormatElement[]): MessageFormatElement[] {
  return parts.map((part) => {
    if (part.type === TYPE.literal) return { ...part, value: accent(part.value) };
    if (!('options' in part)) return part;
    const options = Object.entries(part.options).map(([key, option]) => [
      key,
      { ...option, value: accentLiterals(option.value) },
    ]);
    return { ...part, options: Object.fromEntries(options) };
  });
}
