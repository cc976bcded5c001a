import { createRequire } from 'node:module';

// The way sanitize-html loads it too: jest takes one module both imported and required for a cycle.
const { Tokenizer } = createRequire(import.meta.url)('htmlparser2') as typeof import('htmlparser2');

/** Elements whose content is code or plain text to a browser: it goes with them. */
export const rawTextTags = [
  'script',
  'style',
  'textarea',
  'title',
  'xmp',
  'iframe',
  'noembed',
  'noframes',
  'plaintext',
];

/** Elements nested deeper than this are taken off and their text kept; browsers stop at 512. */
const deepest = 256;

/** What `ShallowTokenizer` needs of htmlparser2's parser, which its types keep to itself. */
interface Parser {
  stack: string[];
  readTagName(start: number, end: number): string;
  onopentagname(start: number, end: number): void;
  onclosetag(start: number, end: number): void;
}

const raw = new Set(rawTextTags);

/**
 * Keeps foreign tags from the parser instead of dropping them after it. So the tree that the parser builds is
 * the one that is written, which makes the result its own fixed point (`<p><x><p>` would come out as `<p><p>`,
 * which reads as two siblings), no text turns into SVG or MathML, and the parser, whose every tag costs a walk
 * over the open elements, stays linear at any nesting.
 */
export const shallowTokenizer = (known: ReadonlySet<string>): typeof Tokenizer =>
  class extends Tokenizer {
    constructor(...[options, callbacks]: ConstructorParameters<typeof Tokenizer>) {
      super(options, callbacks);
      const parser = callbacks as unknown as Parser;
      const { onopentagname, onclosetag } = parser;
      parser.onopentagname = (start, end) => {
        const name = parser.readTagName(start, end);
        if (raw.has(name) || (known.has(name) && parser.stack.length < deepest)) {
          onopentagname.call(parser, start, end);
        }
      };
      parser.onclosetag = (start, end) => {
        const name = parser.readTagName(start, end);
        if (raw.has(name) || known.has(name)) onclosetag.call(parser, start, end);
      };
    }
  };
