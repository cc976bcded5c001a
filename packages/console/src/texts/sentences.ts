import { formatMessage, type Message } from './messages.ts';

/** The parts of a sentence that stand in the holes of its template, by their names. */
type Parts = Readonly<Record<string, string | number>>;

/**
 * Texts by the sentences of the API that they stand for. A sentence with changing parts is a template: `must be at least
 * {limit}`. Its text takes the parts as arguments.
 */
export type Sentences = Readonly<Record<string, Message<Parts>>>;

interface Template {
  /** The texts before, between and after the holes. */
  readonly literals: readonly string[];
  readonly holes: readonly string[];
  readonly text: Message<Parts>;
}

/** The templates of each table, those with the longest literals first, because they say most. */
const templatesByTable = new WeakMap<Sentences, readonly Template[]>();

function listTemplates(sentences: Sentences): readonly Template[] {
  const known = templatesByTable.get(sentences);
  if (known) return known;
  const templates = Object.entries(sentences)
    .map(([sentence, text]) => {
      const pieces = sentence.split(/\{(\w+)\}/);
      const isLiteral = (_: string, i: number) => i % 2 === 0;
      return {
        literals: pieces.filter(isLiteral),
        holes: pieces.filter((piece, i) => !isLiteral(piece, i)),
        text,
      };
    })
    .filter(({ holes }) => holes.length > 0)
    .sort((one, other) => other.literals.join('').length - one.literals.join('').length);
  templatesByTable.set(sentences, templates);
  return templates;
}

/** Returns the parts of a sentence that a template leaves open, or null for a sentence of another template. */
function matchTemplate({ literals, holes }: Template, sentence: string): Parts | null {
  const [first = '', ...following] = literals;
  if (!sentence.startsWith(first)) return null;
  const parts: Record<string, string | number> = {};
  let start = first.length;
  for (const [i, literal] of following.entries()) {
    const isLast = i === following.length - 1;
    const end = isLast ? sentence.length - literal.length : sentence.indexOf(literal, start);
    if (end < start || !sentence.startsWith(literal, end)) return null;
    parts[holes[i]!] = toArgument(sentence.slice(start, end));
    start = end + literal.length;
  }
  return parts;
}

/** Turns a number into one, so that it is written as the language writes numbers. */
const toArgument = (part: string): string | number => (/^-?\d+(?:\.\d+)?$/.test(part) ? Number(part) : part);

/** Returns the text that a table has for a sentence of the API, or null if it has none. */
export function findSentence(sentences: Sentences, sentence: string): string | null {
  if (Object.hasOwn(sentences, sentence)) return formatMessage(sentences[sentence]!, {});
  for (const template of listTemplates(sentences)) {
    const parts = matchTemplate(template, sentence);
    if (parts) return formatMessage(template.text, parts);
  }
  return null;
}
