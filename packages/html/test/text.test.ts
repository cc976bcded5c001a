import { createExcerpt, extractHtmlText, findFirstImage } from '../src/index.ts';

describe('text of HTML is what a reader sees', () => {
  it.each([
    ['<p>One</p><p>two</p>', 'One two'],
    ['<p>ti<b>ght</b>ly</p>', 'tightly'],
    ['<img alt="a > b" title="<b>"><p title="x>y">Tea &amp; milk&nbsp;&euro;&#x31;</p>', 'Tea & milk €1'],
    ['<script>alert(1)</script>a<style>b{}</style><!-- c > d -->e', 'a e'],
    ['a &lt;b&gt; c', 'a <b> c'],
    ['a<br>b<hr>c', 'a b c'],
    ['<p title="never closed', ''],
    ['1 < 2', '1 < 2'],
  ])('%j', (html, text) => {
    expect(extractHtmlText(html)).toBe(text);
  });

  it('is cut at a word, and leaves out what stands around the text', () => {
    expect(createExcerpt('<nav>Home</nav><h1>Title</h1><p>Text</p>')).toBe('Text');
    expect(createExcerpt(`<p>${'word '.repeat(50)}</p>`)).toBe(`${'word '.repeat(32).trim()}…`);
    expect(createExcerpt(`${' '.repeat(19_990)}<p title="a long title">`)).toBe('');
    expect(createExcerpt('x'.repeat(500))).toBe(`${'x'.repeat(160)}…`);
  });

  it('takes linear time', () => {
    const before = process.cpuUsage();
    for (const unit of ['<', '<a "', ' ', '<style>', '</p>', '&']) extractHtmlText(unit.repeat(300_000));
    expect(process.cpuUsage(before).user).toBeLessThan(10_000_000);
  });
});

test('the first picture is that of an element, not of a text', () => {
  const isOwn = (src: string) => src.startsWith('/media/');
  expect(findFirstImage('<p title="<img src=/media/a>">x</p><img src="/x"><img src="/media/b">', isOwn)).toBe(
    '/media/b',
  );
  expect(findFirstImage('<p>', isOwn)).toBeUndefined();
});
