import { eventually, hasChromium, launchChromium } from '@waybill/testing';
import fc from 'fast-check';
import type { Browser, Page } from 'playwright-core';
import { openModule } from '../testing/open-module.ts';

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const words = fc.stringMatching(/^[a-zé&<"]{1,6}$/u).map(escaped);
const within = (tags: readonly string[], inside: fc.Arbitrary<string>) =>
  fc.tuple(fc.constantFrom(...tags), inside).map(([tag, text]) => `<${tag}>${text}</${tag.split(' ')[0]}>`);
const marks = ['strong', 'b', 'em', 'u', 's', 'sub', 'sup', 'code', 'a href="https://a.example" rel="x"'];

const { blocks } = fc.letrec<{ inline: string; block: string; blocks: string; item: string }>((tie) => ({
  inline: fc.oneof(
    { depthSize: 'small' },
    words,
    fc.constant('<br>'),
    fc.constant('<img src="/m.png" alt="A">'),
    within(marks, tie('inline')),
    fc.tuple(tie('inline'), tie('inline')).map((both) => both.join('')),
  ),
  item: fc
    .tuple(
      words,
      fc.option(
        tie('block').map((list) => (/^<[ou]l/.test(list) ? list : '')),
        { nil: '' },
      ),
    )
    .map(([text, list]) => `<li>${text}${list}</li>`),
  block: fc.oneof(
    { depthSize: 'small' },
    within(['p', 'h1', 'h3', 'h6'], tie('inline')),
    fc.constant('<hr>'),
    within(
      ['pre'],
      words.map((text) => `<code>${text}\n  ${text}</code>`),
    ),
    within(['blockquote'], tie('blocks')),
    within(['ul', 'ol', 'ol start="3"'], tie('item')),
  ),
  blocks: fc.array(tie('block'), { minLength: 1, maxLength: 3 }).map((each) => each.join('\n')),
}));

/** Returns what a text must not lose: its words and its elements. */
function substance(html: string) {
  const tags = [...html.matchAll(/<([a-z]\w*)/g)]
    .map(([, tag]) => ({ b: 'strong', i: 'em' })[tag!] ?? tag!)
    // Nested or adjacent elements of these types may be merged.
    .filter((tag) => !/^(p|strong|em|u|s|sub|sup|code|a)$/.test(tag));
  return { text: html.replaceAll(/<[^>]*>|\n/g, '').replaceAll(' ', ''), tags: tags.toSorted() };
}

(hasChromium('texts as HTML') ? describe : describe.skip)('a text that is kept as HTML', () => {
  let browser: Browser;
  let page: Page;
  beforeAll(async () => {
    browser = await launchChromium();
    page = await browser.newPage();
    await openModule(page, new URL('./html-field-in-browser.ts', import.meta.url));
  });
  afterAll(() => browser?.close());
  const rewritten = (texts: readonly string[]) =>
    page.evaluate<(string | null)[]>(`rewritten(${JSON.stringify(texts)})`);
  const begin = (html: string) => page.evaluate<boolean>(`begin(${JSON.stringify(html)})`);
  const told = () => page.evaluate<string[]>('told()');

  test('loses nothing where it is edited as it looks, and is written the same way ever after', async () => {
    const texts = fc.sample(blocks, 300);
    const once = await rewritten(texts);
    expect(once.map((text) => text && substance(text))).toEqual(texts.map(substance));
    expect(await rewritten(once as string[])).toEqual(once);
  });

  test('is edited as HTML alone where it holds anything else', async () => {
    const others = [
      '<div>a</div>',
      '<p class="x">a</p>',
      '<table><tr><td>a</td></tr></table>',
      '<p>a<!-- b --></p>',
    ];
    const block = ['<pre>a<br>b</pre>', '<pre><b>a</b></pre>', '<p><a>a</a></p>'];
    const more = [
      '<p style="color:red">a</p>',
      '<details>a</details>',
      '<p><del>a</del></p>',
      '<ul>a<li>b</li></ul>',
    ];
    const all = [...others, ...more, ...block];
    expect(await rewritten(all)).toEqual(all.map(() => null));
    const heading = '<ul><li><h3>a</h3></li></ul>';
    expect(await rewritten([heading])).toEqual([heading]);
  });

  test('stays as it was given until it is changed, and when the change is taken back', async () => {
    const given = 'Only <b>words</b>,\n with  spaces';
    expect(await begin(given)).toBe(true);
    expect(await told()).toEqual([]);
    await page.keyboard.press('Control+End');
    await page.keyboard.type('!');
    expect(await told()).toEqual(['<p>Only <strong>words</strong>, with spaces!</p>']);
    await page.keyboard.press('Control+z');
    expect((await told()).at(-1)).toBe(given);
  });

  test('keeps the caret where it is, when it comes back in other letters', async () => {
    await begin('<p>a<br>c</p>');
    await page.keyboard.press('Control+Home');
    await page.keyboard.press('End');
    await page.keyboard.type('b');
    expect(await page.evaluate(`show('<p>ab<br />c</p>')`)).toBe(true);
    await page.keyboard.type('!');
    expect((await told()).at(-1)).toBe('<p>ab!<br>c</p>');
  });

  test('keeps what is typed on when what was typed before comes back late', async () => {
    await begin('');
    await page.keyboard.type('ab');
    expect(await page.evaluate(`show('<p>a</p>')`)).toBe(true);
    await page.keyboard.type('c');
    expect((await told()).at(-1)).toBe('<p>abc</p>');
  });

  test('takes what other programs copy with its lists and without its styles, and loads nothing of it', async () => {
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await begin('<p>Before</p>');
    await page.keyboard.press('Control+End');
    // Typing first ensures that the caret is in place.
    await page.keyboard.type('!');
    const list = '<ul style="margin:0"><li><span style="font-weight:700">Fat</span></li></ul>';
    const rest =
      '<div><a href="https://a.example/?b">linked</a> <mark>marked</mark></div><img src="http://console.test/x.png" onerror="x()">';
    await page.evaluate(`paste(${JSON.stringify(`<p>, and</p>${list}${rest}`)})`);
    const wanted =
      '<p>Before!, and</p>\n<ul><li><strong>Fat</strong></li></ul>\n<p><a href="https://a.example/?b">linked</a> <mark>marked</mark></p>';
    await eventually(async () => (await told()).length > 1);
    expect((await told()).at(-1)).toBe(wanted);
    expect(asked).toEqual([]);
  });

  test('is empty when nothing is left of it', async () => {
    await begin('<h2>a</h2>');
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Delete');
    expect((await told()).at(-1)).toBe('');
  });
});
