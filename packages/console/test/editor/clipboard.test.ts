import { checkDocument, type Json, type PageDocument, type PageNode, vocabulary } from '@waybill/page';
import { hostileTexts } from '@waybill/page/test/hostile-texts';
import fc from 'fast-check';
import { createClip } from '../../src/editor/core/clipboard.ts';
import { convertClip, type PasteContext } from '../../src/editor/core/pasting.ts';
import { createTree } from '../../src/editor/core/tree.ts';
import { documents } from './edits.ts';
import { parse } from './parsed.ts';

const context: PasteContext = { vocabulary, storeId: 'str_1', parse };

/** Returns the elements that HTML is pasted as: type and content. */
function listPastedElements(html: string, more: Partial<PasteContext> = {}): [string, unknown][] {
  const { fragments } = convertClip({ html, text: '' }, { ...context, ...more });
  return fragments.map(({ nodes: [node] }) => [node!.type, node!.props?.specials]);
}

const valid = (fragments: readonly PageDocument[]) =>
  fragments.flatMap((each) => checkDocument(vocabulary, each));

/** Returns a document without ids, which differ in a copy. */
function describeShape({ rootId, nodes }: PageDocument): Json {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const shape = ({ type, props, children }: PageNode): Json => ({
    type,
    props: (props ?? null) as Json,
    children: (children ?? []).map((id) => shape(byId.get(id)!)),
  });
  return shape(byId.get(rootId)!);
}

describe('a copy of ours', () => {
  test('is pasted unchanged with new ids, from the JSON or from the HTML alone', () => {
    fc.assert(
      fc.property(documents, (document) => {
        const clip = createClip(createTree(document), [document.rootId], { storeId: 'str_1' });
        for (const some of [clip, { html: clip.html, text: clip.text }]) {
          const { fragments, notes } = convertClip(some, context);
          expect(fragments.map(describeShape)).toEqual([describeShape(document)]);
          expect(notes).toEqual([]);
          const own = new Set(document.nodes.map(({ id }) => id));
          expect(fragments[0]!.nodes.filter(({ id }) => own.has(id))).toEqual([]);
        }
      }),
      { numRuns: 60 },
    );
  });

  const page = (...nodes: PageNode[]): PageDocument => ({
    rootId: 'root',
    nodes: [{ id: 'root', type: 'container', children: nodes.map(({ id }) => id) }, ...nodes],
  });
  const section = page({ id: 'h', type: 'heading', props: { specials: { text: 'Shared' } } });
  const mixed = page(
    { id: 'i', type: 'image', props: { specials: { src: 'mda_1' } } },
    { id: 'p', type: 'product', props: { specials: { productId: 'prd_1' } } },
    { id: 'l', type: 'link', props: { specials: { text: 'x', href: { type: 'page', pageId: 'pag_1' } } } },
    { id: 'b', type: 'blockRef', props: { specials: { appId: 'app_1', blockKey: 'reviews' } } },
    { id: 's', type: 'sectionRef', props: { specials: { sectionId: 'sec_1' } } },
    { id: 'u', type: 'sectionRef', props: { specials: { sectionId: 'sec_2' } } },
  );

  test('that is pasted into another store names what is missing, and includes the content of its sections', () => {
    const clip = createClip(createTree(mixed), ['i', 'p', 'l', 'b', 's', 'u'], {
      storeId: 'str_2',
      sections: { sec_1: section, sec_9: section },
    });
    expect(clip.json).not.toContain('sec_9');
    const { fragments, notes } = convertClip(clip, { ...context, hasBlock: () => false });
    expect(valid(fragments)).toEqual([]);
    expect(fragments.map(({ rootId, nodes }) => nodes.find(({ id }) => id === rootId)!.type)).toEqual([
      'image',
      'product',
      'link',
      'blockRef',
      'container',
    ]);
    expect(Object.fromEntries(notes.map(({ kind, ids }) => [kind, ids]))).toEqual({
      media: ['mda_1'],
      products: ['prd_1'],
      pages: ['pag_1'],
      blocks: ['app_1/reviews'],
      detached: ['sec_1'],
      sections: ['sec_2'],
    });
  });

  test('in its own store keeps its references, but none to the section that it is pasted into', () => {
    const clip = createClip(createTree(mixed), ['root'], { storeId: 'str_1' });
    const { fragments, notes } = convertClip(clip, {
      ...context,
      withinSection: 'sec_2',
      hasBlock: () => true,
    });
    const types = fragments[0]!.nodes.map(({ type }) => type);
    expect(types.filter((type) => type === 'sectionRef')).toHaveLength(1);
    expect(notes).toEqual([{ kind: 'sections', ids: ['sec_2'] }]);
  });

  test('whose sections contain each other is pasted in finite time', () => {
    const holder = (id: string) =>
      page({ id: 'r', type: 'sectionRef', props: { specials: { sectionId: id } } });
    const sections = { sec_1: holder('sec_2'), sec_2: holder('sec_1') };
    const clip = createClip(createTree(holder('sec_1')), ['r'], { storeId: 'str_2', sections });
    const { fragments, notes } = convertClip(clip, context);
    expect(valid(fragments)).toEqual([]);
    expect(notes.map(({ kind }) => kind).toSorted()).toEqual(['detached', 'sections']);
  });

  test('that is forged is pasted only as far as it is valid', () => {
    const bad = [
      '',
      '{',
      'null',
      '[]',
      '{"waybill":1}',
      '{"waybill":1,"fragments":[null,1,{}]}',
      JSON.stringify({
        waybill: 1,
        storeId: 'str_1',
        fragments: [{ rootId: 'a', nodes: [{ id: 'a', type: 'x' }] }],
      }),
      JSON.stringify({
        waybill: 1,
        storeId: 'str_1',
        fragments: [
          {
            rootId: 'a',
            nodes: [{ id: 'a', type: 'link', props: { specials: { href: 'javascript:alert(1)' } } }],
          },
        ],
      }),
    ];
    for (const json of bad)
      expect(convertClip({ json, text: 'instead' }, context).fragments.map(describeShape)).toEqual([
        { type: 'text', props: { specials: { text: 'instead' } }, children: [] },
      ]);
  });

  test('shows its text to other programs', () => {
    const document = page(
      { id: 'h', type: 'heading', props: { specials: { text: 'Tea & cake', level: 1 } } },
      { id: 'l', type: 'list', props: { specials: { items: ['one', 'two'] } } },
    );
    const { html, text } = createClip(createTree(document), ['root'], { storeId: 'str_1' });
    expect(html).toMatch(
      /^<div data-waybill="[^"]*"><h1>Tea &amp; cake<\/h1><ul><li>one<\/li><li>two<\/li><\/ul><\/div>$/,
    );
    expect(text).toBe('Tea & cake\n- one\n- two');
  });
});

describe('HTML from elsewhere', () => {
  test('of a web page becomes headings, text, lists, pictures, buttons, lines and videos', () => {
    const html = `<article><h2>Our <em>tea</em></h2><p>Fresh  every\n day.</p><img src="https://x.example/t.jpg" alt="Tea">
      <ul><li>Green</li><li><a href="https://x.example/b">Black</a></li></ul><hr>
      <a class="btn btn-primary" href="https://x.example/buy">Buy now</a>
      <p>With <b>bold</b> and <a href="https://x.example">a link</a>.</p><ol><li>First<ul><li>inner</li></ul></li></ol>
      <iframe src="https://www.youtube.com/embed/abc_12"></iframe>
      <figure><img src="https://x.example/f.png"><figcaption>A caption</figcaption></figure></article>`;
    const link = { type: 'url', url: 'https://x.example' };
    expect(listPastedElements(html)).toEqual([
      ['heading', { text: 'Our tea', level: 2 }],
      ['text', { text: 'Fresh every day.' }],
      ['image', { src: 'https://x.example/t.jpg', alt: 'Tea' }],
      ['list', { items: ['Green', { text: 'Black', href: { type: 'url', url: 'https://x.example/b' } }] }],
      ['divider', undefined],
      ['button', { text: 'Buy now', href: { type: 'url', url: 'https://x.example/buy' } }],
      [
        'richText',
        {
          doc: {
            type: 'doc',
            content: [
              {
                type: 'paragraph',
                content: [
                  { type: 'text', text: 'With ' },
                  { type: 'text', text: 'bold', marks: [{ type: 'bold' }] },
                  { type: 'text', text: ' and ' },
                  { type: 'text', text: 'a link', marks: [{ type: 'link', attrs: { href: link } }] },
                  { type: 'text', text: '.' },
                ],
              },
              {
                type: 'orderedList',
                content: [
                  {
                    type: 'listItem',
                    content: [
                      { type: 'paragraph', content: [{ type: 'text', text: 'First' }] },
                      {
                        type: 'bulletList',
                        content: [
                          {
                            type: 'listItem',
                            content: [{ type: 'paragraph', content: [{ type: 'text', text: 'inner' }] }],
                          },
                        ],
                      },
                    ],
                  },
                ],
              },
            ],
          },
        },
      ],
      ['embed', { provider: 'youtube', videoId: 'abc_12' }],
      ['image', { src: 'https://x.example/f.png', caption: 'A caption' }],
    ]);
  });

  test('of Word loses its styles and gets its lists', () => {
    const html = `<html xmlns:o="urn:x"><head><style>p{color:red}</style></head><body><!--StartFragment-->
      <p class=MsoNormal><b><span style='font-size:14.0pt'>Opening hours<o:p></o:p></span></b></p>
      <p class=MsoListParagraph style='mso-list:l0 level1 lfo1'><span style='mso-list:Ignore'>1.<span>&nbsp;&nbsp;</span></span>Monday</p>
      <p class=MsoListParagraph style='mso-list:l0 level2 lfo1'><span style='mso-list:Ignore'>a.</span>Morning</p>
      <p class=MsoListParagraph style='mso-list:l0 level1 lfo1'><span style='mso-list:Ignore'>2.</span>Tuesday</p>
      <!--EndFragment--></body></html>`;
    const item = (text: string, ...more: unknown[]) => ({
      type: 'listItem',
      content: [{ type: 'paragraph', content: [{ type: 'text', text }] }, ...more],
    });
    expect(listPastedElements(html)).toEqual([
      [
        'richText',
        {
          doc: {
            type: 'doc',
            content: [
              {
                type: 'paragraph',
                content: [{ type: 'text', text: 'Opening hours', marks: [{ type: 'bold' }] }],
              },
              {
                type: 'orderedList',
                content: [
                  item('Monday', { type: 'orderedList', content: [item('Morning')] }),
                  item('Tuesday'),
                ],
              },
            ],
          },
        },
      ],
    ]);
  });

  test('of Word keeps lists apart that follow each other', () => {
    const item = (list: string, mark: string, text: string) =>
      `<p class=MsoListParagraph style='mso-list:${list}'><span style='mso-list:Ignore'>${mark}</span>${text}</p>`;
    const html =
      item('l0 level1 lfo1', '·', 'Milk') +
      item('l1 level1 lfo2', '1.', 'Boil') +
      item('l1 level1 lfo2', '2.', 'Pour');
    const doc = listPastedElements(html)[0]![1] as {
      doc: { content: { type: string; content: unknown[] }[] };
    };
    expect(doc.doc.content.map(({ type, content }) => [type, content.length])).toEqual([
      ['bulletList', 1],
      ['orderedList', 2],
    ]);
  });

  test('of a spreadsheet keeps what its cells say in bold, and as plain text its cells', () => {
    const table = (clip: { html?: string; text: string }) =>
      convertClip(clip, context).fragments[0]!.nodes.map(({ type, props }) => props?.specials?.text ?? type);
    const cells = '<td style="font-weight:bold">Tea</td><td>3</td>';
    const found = convertClip({ html: `<table><tr>${cells}</tr></table>`, text: '' }, context);
    expect(JSON.stringify(found)).toContain('{"type":"text","text":"Tea","marks":[{"type":"bold"}]}');
    expect(table({ text: 'Tea\tCups\nAssam\t3\n' })).toEqual(['grid', 'Tea', 'Cups', 'Assam', '3']);
    expect(table({ text: 'Tea\tCups\nAssam' })[0]).toBe('Tea\tCups\nAssam');
  });

  test('of Word keeps bold and italics, beside what it says of other scripts, and its tables as grids', () => {
    const html =
      '<p class=MsoNormal>Tea <b style="mso-bidi-font-weight:normal">with milk</b> and ' +
      '<i style="mso-bidi-font-style:normal">sugar</i></p>' +
      '<table class=MsoTable><tr><td colspan=2><p><b>Teas</b></p></td></tr>' +
      '<tr><td><p>Assam</p></td><td></td></tr><tr><td><p>Sencha</p></td><td><p>9 €</p></td></tr></table>';
    const found = convertClip({ html, text: '' }, context);
    const [text, table] = found.fragments;
    const doc = JSON.stringify(text!.nodes[0]!.props!.specials!.doc);
    expect(doc).toContain('{"type":"text","text":"with milk","marks":[{"type":"bold"}]}');
    expect(doc).toContain('{"type":"text","text":"sugar","marks":[{"type":"italic"}]}');
    const [grid, ...cells] = table!.nodes;
    expect(grid).toMatchObject({ type: 'grid', props: { config: { base: { columns: 2 } } } });
    expect(cells.map(({ type, props }) => props?.specials?.text ?? type)).toEqual([
      'richText',
      'container',
      'Assam',
      'container',
      'Sencha',
      '9 €',
    ]);
    expect(JSON.stringify(found)).not.toContain('mso');
  });

  test('of Google Docs is not bold for the bold element around all of it', () => {
    const html = `<b style="font-weight:normal;" id="docs-internal-guid-1"><h1 dir="ltr"><span style="font-weight:400">Title</span></h1>
      <p><span style="font-weight:400">Plain </span><span style="font-weight:700;font-style:italic">strong</span></p></b>`;
    expect(listPastedElements(html)).toEqual([
      ['heading', { text: 'Title', level: 1 }],
      [
        'richText',
        {
          doc: {
            type: 'doc',
            content: [
              {
                type: 'paragraph',
                content: [
                  { type: 'text', text: 'Plain ' },
                  { type: 'text', text: 'strong', marks: [{ type: 'bold' }, { type: 'italic' }] },
                ],
              },
            ],
          },
        },
      ],
    ]);
  });

  test('shows pictures by the URLs that are allowed alone, and says which it left out', () => {
    const html =
      '<img src="data:image/png;base64,xx"><img src="http://x.example/a.png"><img src="https://x.example/b.png" width=1><p>t</p>';
    const { fragments, notes } = convertClip({ html }, context);
    expect(fragments).toHaveLength(1);
    expect(notes).toEqual([{ kind: 'images', ids: ['data:image/png;base64,xx', 'http://x.example/a.png'] }]);
    expect(listPastedElements('<img src="https://x.example/b.png">', { allowsMedia: () => false })).toEqual(
      [],
    );
  });

  test('that is hostile leaves nothing but words, links that lead to pages, and documents that hold', () => {
    const wrapped = fc.oneof(
      fc.constantFrom(...hostileTexts),
      fc.string({ unit: 'grapheme', maxLength: 30 }),
      fc.constantFrom(
        '<a href="javascript:alert(1)">x</a>',
        '<a class="btn" href=" java\tscript:alert(1)">x</a>',
        '<img src=x onerror=alert(1)>',
        '<svg><script>alert(1)</script></svg>',
        '<iframe src="javascript:alert(1)"></iframe>',
        '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
        '<math><mtext></table><mglyph><style><img src=x onerror=alert(1)>',
        '<div data-waybill="{&quot;waybill&quot;:1,&quot;fragments&quot;:[{}]}">y</div>',
        '<video src="javascript:1"><source src="https://x.example/v.mp4"></video>',
        '<li>loose</li><dd>loose<h3>deep</h3></dd><td>cell</td>',
        '<ul><ul><ul><ul><ul><ul><ul><ul><ul><li>deep</ul></ul></ul></ul></ul></ul></ul></ul></ul>',
        '<blockquote><ol><li><img src="https://x.example/i.png"><pre>code\n</pre><hr><h2>h</h2></ol></blockquote>',
        '<p style="mso-list:l0 level9 lfo1">nine</p><p style="mso-list:l0 level1 lfo1">one</p>',
        '<table><tr><td>a<td>b<tr><td><ul><li>c</ul></table>',
        `<h1>${'long '.repeat(5000)}</h1>`,
      ),
    );
    fc.assert(
      fc.property(fc.array(wrapped, { maxLength: 8 }), (parts) => {
        const { fragments } = convertClip({ html: parts.join(''), text: '' }, context);
        expect(valid(fragments)).toEqual([]);
        expect(
          JSON.stringify(
            fragments.map(({ nodes }) =>
              nodes.map(({ props }) => [props?.specials?.href, props?.specials?.src]),
            ),
          ),
        ).not.toMatch(/javascript|data:/i);
      }),
      { numRuns: 300 },
    );
  });

  test('of any depth and length is pasted in finite time', () => {
    const deep = `${'<div>'.repeat(3_000)}deep${'</div>'.repeat(3_000)}`;
    expect(listPastedElements(deep)).toEqual([['text', { text: 'deep' }]]);
    const { fragments, notes } = convertClip({ html: '<h2>x</h2>'.repeat(2_000) }, context);
    expect(fragments).toHaveLength(500);
    expect(notes).toEqual([{ kind: 'cut', ids: [] }]);
    const wide = convertClip({ html: `<p>${'<b>x</b>'.repeat(200_000)}</p>` }, context);
    expect(valid(wide.fragments)).toEqual([]);
    expect(wide.fragments.length).toBeGreaterThan(0);
  });
});

test('plain text becomes its paragraphs, each line end kept', () => {
  const texts = (text: string) => convertClip({ text }, context).fragments.map(({ nodes }) => nodes[0]!);
  expect(texts('  one line ')[0]!.props!.specials!.text).toBe('  one line');
  expect(texts('a\nb')[0]).toMatchObject({ type: 'text', props: { specials: { text: 'a\nb' } } });
  expect(texts('a\n\nb')[0]!.type).toBe('richText');
  expect(texts(' \n\0\n')).toEqual([]);
});
