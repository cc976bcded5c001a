import { findSentence } from '../src/texts/sentences.ts';

const sentences = {
  'is required': 'Fill this in.',
  'must contain {number}': 'Put {number} in.',
  'must be at most {limit}': ({ limit }: { limit?: unknown }) => `No more than ${limit}.`,
  'must be at most {limit}, {name} among them': ({ limit, name }: { limit?: unknown; name?: unknown }) =>
    `No more than ${limit}, with ${name}.`,
  '{name} is missing': ({ name }: { name?: unknown }) => `Add ${name}.`,
};

test.each([
  ['is required', 'Fill this in.'],
  ['must contain {number}', 'Put {number} in.'],
  ['must be at most 5', 'No more than 5.'],
  ['must be at most 5, standard among them', 'No more than 5, with standard.'],
  ['"Size" is missing', 'Add "Size".'],
  ['is required here', null],
  ['toString', null],
])('the sentence “%s” has the text of its template', (sentence, text) => {
  expect(findSentence(sentences, sentence)).toBe(text);
});

test('a number is passed on as a number, so that the language decides how it is written', () => {
  const typeOf = { 'has {part}': ({ part }: { part?: unknown }) => typeof part };
  expect(['has 12', 'has 1.5', 'has 1,2', 'has two'].map((text) => findSentence(typeOf, text))).toEqual([
    'number',
    'number',
    'string',
    'string',
  ]);
});

test('a part that a template repeats a literal after is read up to the end', () => {
  const pairs = {
    'a {one} and {other}': ({ one, other }: { one?: unknown; other?: unknown }) => `${one}|${other}`,
  };
  expect(findSentence(pairs, 'a b and c and d')).toBe('b|c and d');
  expect(findSentence(pairs, 'a b')).toBeNull();
});
