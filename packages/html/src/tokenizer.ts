import { createRequire } from 'node:module';

// Loads the module as sanitize-html does: jest takes a module that is both imported and required for a cycle.
const { Tokenizer } = createRequire(import.meta.url)('htmlparser2') as typeof import('htmlparser2');

/** Elements whose content is code or plain text to a browser, so it is removed with them. */
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

/** Elements nested deeper than this are unwrapped and their text kept; browsers stop at 512. */
const maxDepth = 256;

/** The members of htmlparser2's parser that `ShallowTokenizer` uses and its types keep private. */
interface Parser {
  stack: string[];
  readTagName(start: number, end: number): string;
  onopentagname(start: number, end: number): void;
  onclosetag(start: number, end: number): void;
}

const rawTextTagSet = new Set(rawTextTags);

/**
 * Hides unknown tags from the parser instead of dropping them after it, so that the tree the parser builds is the tree
 * that is written. This has three effects: the result is its own fixed point (`<p><x><p>` would come out as `<p><p>`,
 * which reads as two siblings), no text turns into SVG or MathML, and the parser, which walks over the open elements
 * for each tag, stays linear at any nesting.
 */
export const shallowTokenizer = (knownTags: ReadonlySet<string>): typeof Tokenizer =>
  class extends Tokenizer {
    constructor(...[options, callbacks]: ConstructorParameters<typeof Tokenizer>) {
      super(options, callbacks);
      const parser = callbacks as unknown as Parser;
      const { onopentagname, onclosetag } = parser;
      parser.onopentagname = (start, end) => {
        const name = parser.readTagName(start, end);
        if (rawTextTagSet.has(name) || (knownTags.has(name) && parser.stack.length < maxDepth)) {
          onopentagname.call(parser, start, end);
        }
      };
      parser.onclosetag = (start, end) => {
        const name = parser.readTagName(start, end);
        if (rawTextTagSet.has(name) || knownTags.has(name)) onclosetag.call(parser, start, end);
      };
    }
  };
