import { readPageSeo, writePageSeo } from '../src/shell/page-seo.ts';

const none = { title: '', description: '', noindex: false };

describe('a page’s entry in search engines', () => {
  test('17.6: is shown as visitors get it, from `seo` before the settings beside it', () => {
    expect(readPageSeo({})).toEqual(none);
    expect(readPageSeo({ title: 'Plain', noindex: true, seo: null })).toEqual({
      ...none,
      title: 'Plain',
      noindex: true,
    });
    expect(
      readPageSeo({
        title: 'Plain',
        description: 'Below',
        noindex: true,
        seo: { title: 'Own', description: ' ', noindex: false },
      }),
    ).toEqual({ title: 'Own', description: 'Below', noindex: false });
  });

  test('is written where it stands, and what is shown next is what was written', () => {
    const settings = {
      lang: 'de',
      title: 'Plain',
      seo: { title: 'Own', imageMediaId: 'mda_1', noindex: true },
    };
    const input = { title: 'New', description: 'More', noindex: false };
    expect(writePageSeo(settings, input)).toEqual({
      lang: 'de',
      title: 'Plain',
      description: 'More',
      seo: { title: 'New', imageMediaId: 'mda_1', noindex: false },
    });
    expect(writePageSeo({ title: 'Plain', noindex: true }, input)).toEqual({
      title: 'New',
      description: 'More',
    });
    for (const given of [{}, settings, { seo: [] }, { description: 'D', seo: { description: '' } }])
      for (const each of [none, input, { ...input, noindex: true }])
        expect(readPageSeo(writePageSeo(given, each))).toEqual(each);
  });
});
