import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../', import.meta.url));

const maxSentences = 5;
const maxItemLines = 3;
const lineWidth = 120;

/** The contract is given from outside, and its text is not this repository's to change. */
const contract = 'packages/contracts/docs/store-api.md';

interface Block {
  kind: 'paragraph' | 'item';
  /** The number of its first line, from 1. */
  line: number;
  lines: string[];
}

/** Returns the paragraphs and list items of a document. Headings, tables and code are neither. */
function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  let current: Block | undefined;
  let item: Block | undefined;
  let fence = '';
  for (const [index, raw] of text.split('\n').entries()) {
    const line = raw.replace(/^(?:> ?)+/, '');
    const marker = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
    if (marker && (!fence || marker.startsWith(fence))) fence = fence ? '' : marker;
    if (!line.trim() || marker || fence || /^\s*(?:#{1,6} |\||<!--|-{3,}$)/.test(line)) {
      current = undefined;
      continue;
    }
    // An indented line that follows a blank one continues the list item; one at the margin ends the list.
    if (!current && /^\s/.test(line)) current = item;
    if (/^\s*(?:[-*+]|\d+[.)]) /.test(line)) {
      item = { kind: 'item', line: index + 1, lines: [] };
      current = item;
      blocks.push(item);
    } else if (!current) {
      item = undefined;
      current = { kind: 'paragraph', line: index + 1, lines: [] };
      blocks.push(current);
    }
    current.lines.push(line);
  }
  return blocks;
}

/** Counts the sentences of a paragraph. A last one that ends in a colon, before a list or an example, counts too. */
function countSentences(lines: string[]): number {
  const text = lines
    .join(' ')
    .replaceAll(/(`+).+?\1/g, 'code')
    .replaceAll(/\[[^\]]*\]\([^)]*\)/g, 'link')
    .replaceAll(/\b(?:e\.g|i\.e|etc|vs|cf|approx|No)\.(?= \S)/g, 'short')
    .replaceAll(/[*_]{2}/g, '');
  return text.split(/[.!?]["')\]]*(?:\s+|$)/).filter((sentence) => /\w/.test(sentence)).length;
}

/** Returns what is too long in a document, by line. */
function tooLong(text: string): string[] {
  return blocksOf(text).flatMap(({ kind, line, lines }) => {
    if (kind === 'paragraph') {
      const sentences = countSentences(lines);
      return sentences > maxSentences ? [`${line}: a paragraph of ${sentences} sentences`] : [];
    }
    const count = lines.reduce((sum, { length }) => sum + Math.ceil(length / lineWidth), 0);
    return count > maxItemLines ? [`${line}: a list item of ${count} lines`] : [];
  });
}

describe('documents', () => {
  test('have paragraphs of at most five sentences, and list items of at most three lines', () => {
    const patterns = ['*.md', '.github/*.md', '{packages,services,deploy}/**/*.md'];
    const exclude = (name: string) => /(?:^|\/)(?:node_modules|dist)$/.test(name);
    const names = globSync(patterns, { cwd: root, exclude }).filter((name) => name !== contract);
    expect(names.length).toBeGreaterThan(80);
    const found = names.flatMap((name) =>
      tooLong(readFileSync(join(root, name), 'utf8')).map((problem) => `${name}:${problem}`),
    );
    expect(found).toEqual([]);
  });

  const five = 'One. Two? Three! (Four.) Five: five.';
  const three = '- One\n  two\n  three';
  test.each([
    ['A. B. C. D. E. F.', '1: a paragraph of 6 sentences'],
    [`# Title\n\n${five} Six.`, '3: a paragraph of 6 sentences'],
    ['A. B.\nC. D.\n`e`. [F](README.md).', '1: a paragraph of 6 sentences'],
    [`${three}\n  four`, '1: a list item of 4 lines'],
    [`${three}\n\n  four`, '1: a list item of 4 lines'],
    [`- One\n${three.replaceAll(/^/gm, '  ')}\n    four`, '2: a list item of 4 lines'],
    [`1. ${'word '.repeat(80)}`, '1: a list item of 4 lines'],
  ])('a long one is found: %j', (text, problem) => {
    expect(tooLong(text)).toEqual([problem]);
  });

  test.each([
    [five],
    ['**6.1** A. `b. c. d.`, e.g. 18.3, i.e. `a`. See [x. y](README.md). D. So:'],
    [`\`\`\`\n${five} Six.\n\`\`\``],
    [`| A. B. C. D. E. F. |\n| --- |\n\n${five}`],
    [`${three}\n- Four\n\n${five}`],
    [`${three}\n\n  \`\`\`sh\n  four\n  \`\`\``],
  ])('a short one is accepted: %j', (text) => {
    expect(tooLong(text)).toEqual([]);
  });
});
