import fc from 'fast-check';
import nodemailer from 'nodemailer';
import { breakLinks } from '../src/mail/plain-names.ts';
import { samples } from '../src/mail/preview.ts';
import { cleanName, locales, renderMail, templateNames } from '../src/mail/templates.ts';

const each = templateNames.flatMap((template) => locales.map((locale) => [template, locale] as const));
/** Realistic names, and texts that attack headers or HTML. */
const name = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc
    .array(
      fc.constantFrom(
        '\r\n',
        '\n',
        '\u2028',
        '\u202e',
        'Bcc: eve@example.com',
        '<b>',
        '"',
        "'",
        '&',
        '👩‍👩‍👧',
        ' ä',
      ),
      {
        maxLength: 60,
      },
    )
    .map((parts) => parts.join('')),
);

describe.each(each)('%s in %s', (template, locale) => {
  const sample: Record<string, string> = { ...samples[template] };

  test('states its subject, its reason, and the target of its link', () => {
    const { subject, text, html } = renderMail(template, locale, sample);
    expect(subject.length).toBeGreaterThan(5);
    expect(html).toContain(`<html lang="${locale}">`);
    expect(text.split('-- \n')[1]!.trim().length).toBeGreaterThan(20);
    if (sample.link) for (const part of [text, html]) expect(part).toContain(sample.link);
    expect(`${subject}${text}${html}`).not.toMatch(/undefined|null|\[object/);
    expect(html).not.toMatch(/<(img|script|link|style|iframe)|src=/i);
  });

  test('has a one-line subject and well-formed markup for any names', () => {
    const names = fc.record(
      Object.fromEntries(
        Object.keys(sample).map((key) => [key, key === 'link' ? fc.constant(sample.link!) : name]),
      ),
    );
    fc.assert(
      fc.property(names, (data) => {
        const { subject, html } = renderMail(template, locale, data);
        expect(subject).not.toMatch(/[\p{Cc}\p{Cf}\u2028\u2029]/u);
        expect(subject.length).toBeLessThan(400);
        // Only the frame's own tags and entities may be markup.
        const words = html.replaceAll(
          /<(?:!doctype html|\/?(?:html|head|meta|title|body|div|h1|p|a)(?: [\w-]+="[^"<>]*")*)>/g,
          '',
        );
        expect(words).not.toMatch(/[<>"']|&(?!(?:amp|lt|gt|quot|#39);)/);
      }),
      { numRuns: 200 },
    );
  });
});

test('the languages have texts of their own', () => {
  for (const template of templateNames) {
    const [en, de] = locales.map((locale) => renderMail(template, locale, { ...samples[template] }));
    expect(en!.subject).not.toBe(de!.subject);
    expect(en!.text).not.toBe(de!.text);
  }
});

test('what a reviewer writes stands whole, line by line, as text', () => {
  const reason = `First ${'long '.repeat(200)}end.\r\n\n<b>Second</b>\u202e\0 & last.`;
  const { text, html } = renderMail('appVersionRejected', 'en', { ...samples.appVersionRejected, reason });
  expect(text).toContain(`First ${'long '.repeat(200)}end.\n\n<b>Second</b> & last.`);
  expect(html).toContain('&lt;b&gt;Second&lt;/b&gt; &amp; last.</p>');
});

test('a name is cut at sixty characters, between characters', () => {
  expect(cleanName('  Tea \r\n House ')).toBe('Tea House');
  expect([...cleanName('🫖'.repeat(100))]).toHaveLength(60);
  expect(cleanName('🫖'.repeat(100))).toMatch(/^🫖{59}…$/u);
});

test('a subject adds no header, whatever a store is called', async () => {
  const composer = nodemailer.createTransport({ streamTransport: true, buffer: true });
  await fc.assert(
    fc.asyncProperty(name, async (storeName) => {
      const { subject } = renderMail('deliveryDead', 'en', { ...samples.deliveryDead, storeName });
      const { message } = await composer.sendMail({
        from: 'a@example.com',
        to: 'b@example.com',
        subject,
        text: '',
      });
      const [head] = String(message).split(/\r?\n\r?\n/);
      const names = head!
        .replaceAll(/\r?\n[ \t]/g, ' ')
        .split(/\r?\n/)
        .map((line) => line.split(':', 1)[0]);
      expect(new Set(names).size).toBe(names.length);
      expect(names).not.toContain('Bcc');
    }),
    { numRuns: 100 },
  );
});

/** Texts that mail programs turn into links, with or without a scheme. */
const link =
  /[\w-]\s?[@＠]\s?[\w-]+[.．。｡․]\w|\w:\/\/|\bwww\.\S|[\p{L}\p{N}-][.．。｡․﹒][\p{L}]|mailto:\S|\d\.\d+\.\d/u;
const links = [
  'https://evil.example/win?x=1',
  'HTTP://EVIL.EXAMPLE',
  'www.evil.example',
  'Win at evil.example now',
  'evil.example',
  'evil．example',
  'evil。com',
  'evil․com',
  'пример.рф',
  'a@evil.example',
  'a＠evil.example',
  'mailto:a@evil.example',
  'tel:+4930123456',
  'ftp：//evil.example',
  '//evil.example',
  'http://1.2.3.4/x',
  'e\u200bvil.\u2060example',
  'evil.\u00adexample',
  '1.evil.example',
];

test.each(links)('no mail program finds a link in the name %j, wherever a mail prints it', (name) => {
  expect(cleanName(name)).not.toMatch(link);
  expect(cleanName(`Tea ${name}.`)).not.toMatch(link);
  for (const [template, locale] of each) {
    const sample: Record<string, string> = { ...samples[template] };
    const own = ['link', 'total', 'reason', 'lines'];
    const data = Object.fromEntries(
      Object.keys(sample).map((key) => [key, own.includes(key) ? sample[key]! : name]),
    );
    const { subject, text, html } = renderMail(template, locale, data);
    const words = html.replaceAll(/<[^>]*>/g, ' ').replaceAll(sample.link ?? '\0', '');
    for (const part of [subject, text.replaceAll(sample.link ?? '\0', ''), words])
      expect(part.replaceAll(/[A-Za-zäöüß]+\.\s/g, '')).not.toMatch(link);
  }
});

test.each([
  ['Tea & Sympathy', 'Tea & Sympathy'],
  ['Dr. Tea, est. 1998', 'Dr. Tea, est. 1998'],
  ['Open 10:30 to 18:00', 'Open 10:30 to 18:00'],
  ['Milk 1.5 % and 2.50', 'Milk 1.5 % and 2.50'],
  ['Tea...', 'Tea...'],
  ['.tea', '.tea'],
  ['24/7', '24/7'],
  ['evil.example', 'evil. example'],
])('the name %j is printed as %j', (name, printed) => {
  expect(breakLinks(name)).toBe(printed);
});
