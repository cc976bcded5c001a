import { removeStyles } from '../../src/editor/clipboard/pasted-html.ts';
import { parseHref } from '../../src/editor/core/link-address.ts';

describe('pasted HTML', () => {
  test('loses style sheets, comments and links, and keeps its words', () => {
    expect(
      removeStyles(
        'a<!-- > x --><STYLE type="a>b">p { color: red }</style >b<link href=x><meta><basefont>1 < 2 <3 >c',
      ),
    ).toBe('ab<basefont>1 < 2 <3 >c');
  });

  test('has its inline styles under another name, where they are attributes', () => {
    const renamed = removeStyles(`<p title="a > style='b'" style="color: red">style="x"</p><i it's style=b>`);
    expect(renamed).not.toMatch(/ style="color/);
    expect(renamed).toContain(`title="a > style='b'"`);
    expect(renamed).toContain('>style="x"</p>');
    expect(renamed).not.toContain(' style=b');
  });

  test('has what a sheet says of the meaning of a class as the style of its tags, as Excel writes bold cells', () => {
    const sheet =
      '<style><!--table {x:y}\n.xl65\n\t{color:red;\n\tfont-weight:700;}\ntd.xl66, .xl67 {font-style: italic; mso-x:"&"}--></style>';
    expect(
      removeStyles(`${sheet}<td class=xl65>a<td class="b xl66" style='width:1pt'>b<td class=xl9>c`),
    ).toBe(
      '<td class=xl65 data-pasted-style="font-weight:700">a' +
        `<td class="b xl66" data-pasted-style='font-style: italic;width:1pt'>b<td class=xl9>c`,
    );
  });

  test('without an end hides the rest, as a parser has it', () => {
    for (const open of ['<!-- x', '<style>p {}', '<style', '<p title="x', "<p title='x>", '<p x'])
      expect(removeStyles(`before${open}`)).toBe('before');
  });

  test('takes linear time', () => {
    const began = performance.now();
    for (const part of ['<!--', '<style', '<style>', '<a ', '<a b="', '<link', '<', '= '])
      removeStyles(part.repeat(200_000));
    expect(performance.now() - began).toBeLessThan(5_000);
  });
});

test('a typed address of mail is one with and without its scheme', () => {
  expect(parseHref('ada@shop.example.com')).toEqual({ type: 'email', email: 'ada@shop.example.com' });
  expect(parseHref('mailto:ada@example.com')).toEqual({ type: 'email', email: 'ada@example.com' });
  expect(parseHref('ada@example')).toBeUndefined();
  expect(parseHref('ada@example..com')).toBeUndefined();
});
