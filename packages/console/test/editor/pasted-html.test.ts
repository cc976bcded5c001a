import { withoutStyles } from '../../src/editor/canvas/pasted-html.ts';
import { hrefOf } from '../../src/editor/panels/link-address.ts';

describe('pasted HTML', () => {
  test('loses style sheets, comments and links, and keeps its words', () => {
    expect(
      withoutStyles(
        'a<!-- > x --><STYLE type="a>b">p { color: red }</style >b<link href=x><meta><basefont>1 < 2 <3 >c',
      ),
    ).toBe('ab<basefont>1 < 2 <3 >c');
  });

  test('has its inline styles under another name, where they are attributes', () => {
    const renamed = withoutStyles(
      `<p title="a > style='b'" style="color: red">style="x"</p><i it's style=b>`,
    );
    expect(renamed).not.toMatch(/ style="color/);
    expect(renamed).toContain(`title="a > style='b'"`);
    expect(renamed).toContain('>style="x"</p>');
    expect(renamed).not.toContain(' style=b');
  });

  test('without an end hides the rest, as a parser has it', () => {
    for (const open of ['<!-- x', '<style>p {}', '<style', '<p title="x', "<p title='x>", '<p x'])
      expect(withoutStyles(`before${open}`)).toBe('before');
  });

  test('takes linear time', () => {
    const began = performance.now();
    for (const part of ['<!--', '<style', '<style>', '<a ', '<a b="', '<link', '<', '= '])
      withoutStyles(part.repeat(200_000));
    expect(performance.now() - began).toBeLessThan(5_000);
  });
});

test('a typed address of mail is one with and without its scheme', () => {
  expect(hrefOf('ada@shop.example.com')).toEqual({ type: 'email', email: 'ada@shop.example.com' });
  expect(hrefOf('mailto:ada@example.com')).toEqual({ type: 'email', email: 'ada@example.com' });
  expect(hrefOf('ada@example')).toBeUndefined();
  expect(hrefOf('ada@example..com')).toBeUndefined();
});
