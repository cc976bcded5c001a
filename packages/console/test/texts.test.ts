import commonInGerman from '../src/texts/de/common.ts';
import editorInGerman from '../src/texts/de/editor.ts';
import common from '../src/texts/en/common.ts';
import editor from '../src/texts/en/editor.ts';

// Texts looked up by API error codes have no type that lists the codes.
test('whatever is refused in words in English is so in German', () => {
  expect(Object.keys(commonInGerman.errors)).toEqual(Object.keys(common.errors));
  expect(Object.keys(editorInGerman.refusals)).toEqual(Object.keys(editor.refusals));
});
