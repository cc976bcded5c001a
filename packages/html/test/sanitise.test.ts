import { findDangers } from '@waybill/testing';
import fc from 'fast-check';
import { sanitise, sanitiseHtml, toWarnings } from '../src/index.ts';

describe('what people write comes through', () => {
  it.each([
    '<h2>Title</h2><p>Some <strong>bold</strong>, <em>fine</em> and <code class="language-ts">a &lt; b</code></p>',
    '<ul><li>one<ol start="3"><li>two</li></ol></li></ul>',
    '<table class="wide"><caption>c</caption><colgroup><col span="2" /></colgroup><thead><tr><th scope="col">a</th>' +
      '</tr></thead><tbody><tr><td colspan="2">b</td></tr></tbody></table>',
    '<figure><img src="https://cdn.example/a.png" alt="" width="10" loading="lazy" /><figcaption>f</figcaption></figure>',
    '<a href="/relative?a=1&amp;b=2#part" title="t">a</a><a href="mailto:a@b.example">b</a><a href="tel:+3612345">c</a>',
    '<blockquote><p lang="hu" dir="ltr">Ő</p></blockquote><hr /><details open><summary>s</summary>d</details>',
    'plain text &amp; 😀 مرحبا',
    '',
  ])('%s', (html) => {
    expect(sanitiseHtml(html)).toBe(html);
  });

  it('keeps the text of tags it does not know', () => {
    expect(sanitiseHtml('<article><font color=red>a</font> <custom-tag>b</custom-tag></article>')).toBe(
      '<p>a b</p>',
    );
  });

  it('shuts a new page off from the one that opens it', () => {
    expect(sanitiseHtml('<a href="/x" target="_BLANK" rel="nofollow opener">x</a>')).toBe(
      '<a href="/x" target="_blank" rel="nofollow noopener">x</a>',
    );
    expect(sanitiseHtml('<a href="/x" target="frame">x</a>')).toBe('<a href="/x">x</a>');
  });
});

const film = (src: string, title = 'Video') =>
  `<iframe src="${src}" title="${title}" loading="lazy" allow="fullscreen; picture-in-picture; encrypted-media" ` +
  'allowfullscreen referrerpolicy="strict-origin-when-cross-origin"></iframe>';
const youtube = film('https://www.youtube-nocookie.com/embed/abc_DEF-1');

describe('what markup means stays where the markup goes', () => {
  it.each([
    // Unknown blocks.
    ['<section>one</section><header>two</header><main>three</main>', '<p>one</p><p>two</p><p>three</p>'],
    [
      '<section><h2>T</h2>text <b>x</b><p>p</p>tail</section>',
      '<h2>T</h2><p>text <b>x</b></p><p>p</p><p>tail</p>',
    ],
    ['x<nav>y</nav>z', 'x<p>y</p>z'],
    ['<p>a<section>b</section>c</p>', '<p>a</p><p>b</p>c'],
    ['<ul><li>a<aside>b</aside></li></ul>', '<ul><li>a<p>b</p></li></ul>'],
    ['<h2>a<section>b</section>c</h2>', '<h2>a b c</h2>'],
    ['<menu><li>a</li></menu>', '<ul><li>a</li></ul>'],
    // Styles.
    ['<span style="font-weight:bold">x</span>', '<strong>x</strong>'],
    ['<span style="font-style: oblique !important">x</span>', '<em>x</em>'],
    ['<font style="text-decoration:underline line-through">x</font>', '<u><s>x</s></u>'],
    ['<p style="font-weight:600">x <i>y</i></p>', '<p><strong>x <i>y</i></strong></p>'],
    ['<b style="font-weight:normal"><p>a</p><p>b</p></b>', '<p>a</p><p>b</p>'],
    ['<b>a <span style="font-weight:400">b</span> c</b>', '<b>a </b>b<b> c</b>'],
    ['<em>a <a href="/x" style="font-style:normal">b</a></em>', '<em>a </em><a href="/x">b</a>'],
    ['<u style="text-decoration:none">a</u>', 'a'],
    ["<p><i style='mso-bidi-font-style:normal'>it</i></p>", '<p><i>it</i></p>'],
    ['<b style="mso-bidi-font-weight:normal">x</b>', '<b>x</b>'],
    ['<strike>x</strike><tt>y</tt>', '<s>x</s><code>y</code>'],
    [
      '<table><tr style="font-weight:bold"><td>a</td><td style="font-weight:normal">b</td></tr></table>',
      '<table><tr><td><strong>a</strong></td><td>b</td></tr></table>',
    ],
    // Anchors.
    [
      '<h2 id="a">A</h2><h3 id="a">B</h3><a href="#a">x</a>',
      '<h2 id="h-a">A</h2><h3 id="h-a-2">B</h3><a href="#h-a">x</a>',
    ],
    [
      '<a name="n">y</a><a href="#n">z</a><a href="#none">q</a>',
      '<a id="h-n">y</a><a href="#h-n">z</a><a href="#none">q</a>',
    ],
    [
      '<p id="p">x</p><li id="fn"><a href="#fn">y</a></li>',
      '<p>x</p><li id="h-fn"><a href="#h-fn">y</a></li>',
    ],
    [
      '<h2 id="größe x">A</h2><a href="#gr%C3%B6%C3%9Fe x">x</a>',
      '<h2 id="h-größe-x">A</h2><a href="#h-größe-x">x</a>',
    ],
    // Videos.
    [
      '<iframe src="https://www.youtube.com/embed/abc_DEF-1?start=3" width=1 onload=x></iframe>',
      `<div class="wb-embed">${youtube}</div>`,
    ],
    [
      '<p>a <iframe src="//youtube.com/embed/abc_DEF-1"></iframe></p>',
      `<p>a <span class="wb-embed">${youtube}</span></p>`,
    ],
    [
      '<iframe title="T" src="https://player.vimeo.com/video/12"></iframe>',
      `<div class="wb-embed">${film('https://player.vimeo.com/video/12', 'T')}</div>`,
    ],
    ['<iframe src="https://www.youtube.com.evil.example/embed/a"></iframe>', ''],
    // Tables.
    [
      '<table><tr><td>a<td>b<tr><td><table><tr><td>x</table><td>y</table>',
      '<table><tr><td>a</td><td>b</td></tr><tr><td><table><tr><td>x</td></tr></table></td><td>y</td></tr></table>',
    ],
  ])('%s', (html, expected) => {
    const clean = sanitiseHtml(html);
    expect(clean).toBe(expected);
    expect(sanitiseHtml(clean)).toBe(clean);
    expect(findDangers(clean)).toEqual([]);
  });

  it('says what was removed, and nothing of what only changed its form', () => {
    const counts = (html: string) =>
      toWarnings(sanitise(html).removals).map(({ code, count }) => [code, count]);
    expect(counts('<script>x</script><p onclick=a onload=b>c</p>')).toEqual([['script_removed', 3]]);
    expect(counts('<iframe src="//evil.example"></iframe><video></video><svg></svg>')).toEqual([
      ['embed_removed', 3],
    ]);
    expect(counts('<a href="javascript:x">y</a><img src="data:x">')).toEqual([['link_removed', 2]]);
    expect(counts('<form><input></form>')).toEqual([['form_removed', 2]]);
    expect(counts('<html><head><title>A &amp; b</title></head><body><p>c</p><title> </title>')).toEqual([
      ['title_removed', 1],
    ]);
    expect(
      counts('<!-- c --><section class=x style="color:red" id=y><style>a{}</style><b>x</b></section>'),
    ).toEqual([]);
    expect(
      counts(sanitiseHtml('<script>x</script><form>a</form><iframe src="//youtube.com/embed/a"></iframe>')),
    ).toEqual([]);
  });
});

describe('what runs goes', () => {
  it.each([
    ['<script>alert(1)</script>', ''],
    ['a<SCRIPT SRC=//evil.example>b', 'a'],
    ['<style>*{}</style><p style="position:fixed">x</p>', '<p>x</p>'],
    ['<img src=x onerror=alert(1)>', '<img src="x" />'],
    ['<img/src="x"/onerror=alert(1)//', ''],
    ['<p onclick="x" OnMouseOver=y data-x=1 id=a name=b>t</p>', '<p>t</p>'],
    ['<a href="javascript:alert(1)">x</a>', '<a>x</a>'],
    ['<a href=" &#14; jAvA&Tab;script&colon;alert(1)">x</a>', '<a>x</a>'],
    ['<a href="java\nscript:alert(1)">x</a>', '<a>x</a>'],
    ['<a href="data:text/html,x">x</a><a href="vbscript:x">y</a>', '<a>x</a><a>y</a>'],
    ['<a href="\u2000javascript:alert(1)">x</a><a href="&#x3000;javascript:x">y</a>', '<a>x</a><a>y</a>'],
    ['<a href="java&#x200b;script:x">x</a><a href="&#xE0041;javascript:x">y</a>', '<a>x</a><a>y</a>'],
    ['<img src="\u2028javascript:x"><img src="\u061cdata:image/svg+xml,x">', '<img /><img />'],
    ['<img src="data:image/svg+xml,x"><img src="mailto:x">', '<img /><img />'],
    ['<svg><script>alert(1)</script><p>x</svg>', '<p>x</p>'],
    ['<svg><a xlink:href="javascript:x"><text>y</text></a></svg>', '<a>y</a>'],
    ['<math><mtext><table><mglyph><style><img src=x onerror=y>', '<table></table>'],
    [
      '<noscript><p title="</noscript><img src=x onerror=y>">',
      '<p title="&lt;/noscript&gt;&lt;img src=x onerror=y&gt;"></p>',
    ],
    ['<iframe src="//evil.example"><p>x</p></iframe>', ''],
    ['<form action="/x"><input name=a><button>b</button></form>', '<p>b</p>'],
    ['<!--<img src="--><img src=x onerror=y>', '<img src="x" />'],
    ['<![CDATA[<b>x</b>]]><?php x ?>', ''],
    ['<textarea><b></textarea/><img src=x onerror=y>', '<img src="x" />'],
    ['<xmp><b>x</b></xmp><plaintext><b>', ''],
    ['<template><script>x</script></template><base href="//evil.example">', ''],
    ['&lt;script&gt;alert(1)&lt;/script&gt;', '&lt;script&gt;alert(1)&lt;/script&gt;'],
    ['<b class="ok x&quot;y fixed! z">c</b>', '<b class="ok z">c</b>'],
    ['<image src=x onerror=y>', '<img src="x" />'],
    ['<<b>x</b', '&lt;<b>x</b>'],
  ])('%j', (html, expected) => {
    const clean = sanitiseHtml(html);
    expect(clean).toBe(expected);
    expect(findDangers(clean)).toEqual([]);
  });
});

const tagName = fc.constantFrom(
  ...'a b p div li ul td tr table tbody h1 pre code dd dt option select form svg math mtext desc title'.split(
    ' ',
  ),
  ...'section header nav font b i u h2 h3'.split(' '),
  ...'style script textarea xmp iframe noscript template noembed plaintext image img br hr body html x'.split(
    ' ',
  ),
);
const attribute = fc.constantFrom(
  ' onclick=x',
  ' href="javascript:x"',
  ' href=/y',
  ' class="a b!"',
  " title='</p><script>'",
  ' target=_blank',
  ' style=x',
  ' style="font-weight:bold"',
  ' style="font-weight:normal;font-style:italic"',
  ' id=x',
  ' id="h-x"',
  ' name=x',
  ' href="#x"',
  ' src="//youtube.com/embed/x"',
  ' title="--><img onerror=x>"',
  ' rel="x nofollow"',
  ' src=data:x',
  '/',
  ' "',
  ' =',
);
const piece = fc.oneof(
  fc.tuple(tagName, fc.array(attribute, { maxLength: 3 })).map(([name, list]) => `<${name}${list.join('')}>`),
  tagName.map((name) => `</${name}>`),
  fc.constantFrom(
    '<!--',
    '-->',
    '<![CDATA[',
    ']]>',
    '<?',
    '</',
    '<',
    '>',
    '&',
    '&lt;script>',
    '&#0;',
    '\0',
    '\r\n',
  ),
  fc.string({ maxLength: 5 }),
);
const soup = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''));

describe('any input', () => {
  it('comes out harmless, and the same when sanitised again', () => {
    fc.assert(
      fc.property(soup, (html) => {
        const clean = sanitiseHtml(html);
        expect(findDangers(clean)).toEqual([]);
        expect(sanitiseHtml(clean)).toBe(clean);
      }),
      { numRuns: 2000 },
    );
  });

  it('leads nowhere but to http, https, mailto and tel, whatever stands in and around the scheme', () => {
    const unseen = Array.from({ length: 0x110000 }, (_, code) => code)
      .filter((code) => code < 0xd800 || code > 0xdfff)
      .map((code) => String.fromCodePoint(code))
      .filter((text) => /[\p{White_Space}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u.test(text));
    const urls = unseen.flatMap((text) => [`${text}javascript:x`, `java${text}script:x`, `${text}data:x`]);
    const spellings = urls.flatMap((url) => [
      url,
      url.replace(/[^ -~]/gu, (text) => `&#${text.codePointAt(0)};`),
    ]);
    const html = spellings.map((url) => `<a href="${url}">x</a><img src="${url}">`).join('');
    expect(findDangers(sanitiseHtml(html))).toEqual([]);
    const piece = fc.oneof(
      fc.constantFrom(...unseen),
      fc.constantFrom(...'java script : : / x ? # data &#58;'.split(' ')),
    );
    const url = fc.array(piece, { maxLength: 10 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(url, (text) => {
        const clean = sanitiseHtml(`<a href="${text}">x</a><img src="${text}">`);
        expect(findDangers(clean)).toEqual([]);
        expect(sanitiseHtml(clean)).toBe(clean);
      }),
      { numRuns: 5_000 },
    );
  });

  const length = 500_000;
  // CPU time of this thread, which a busy machine does not stretch; quadratic work would take minutes.
  const quadraticMicroseconds = 10_000_000;
  it.each(
    [
      '<',
      '<b>',
      '<x>',
      '<p>',
      '</p>',
      '<!--',
      '&#x',
      '<a href="',
      '<li><b>',
      '<svg><desc>',
      '<b style="font-weight:bold">',
      '<section>',
      '<h2 id="a">',
      '<a href="#a" name="a">',
      '<iframe>',
      '"\'> =',
    ].map((unit) => [unit]),
  )('takes linear time: %s over and over', (unit) => {
    const html = unit.repeat(length / unit.length);
    const before = process.cpuUsage();
    const clean = sanitiseHtml(html);
    expect(process.cpuUsage(before).user).toBeLessThan(quadraticMicroseconds);
    expect(sanitiseHtml(clean)).toBe(clean);
  });

  it('takes linear time: open tags by the ten thousand, then end tags of others', () => {
    const before = process.cpuUsage();
    const html = `${'<b>'.repeat(100_000)}text${'</i>'.repeat(100_000)}`;
    expect(sanitiseHtml(html)).toBe(`${'<b>'.repeat(256)}text${'</b>'.repeat(256)}`);
    expect(process.cpuUsage(before).user).toBeLessThan(quadraticMicroseconds);
  });
});
