import fc from 'fast-check';
import nodemailer from 'nodemailer';
import { samples } from '../src/mail/preview.ts';
import { cleanName, locales, renderMail, templateNames } from '../src/mail/templates.ts';

const each = templateNames.flatMap((template) => locales.map((locale) => [template, locale] as const));
/** What people call things, and what they would rather have in a header or a page. */
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

  test('says what it is about, why it came, and where its link leads', () => {
    const { subject, text, html } = renderMail(template, locale, sample);
    expect(subject.length).toBeGreaterThan(5);
    expect(html).toContain(`<html lang="${locale}">`);
    expect(text.split('-- \n')[1]!.trim().length).toBeGreaterThan(20);
    if (sample.link) for (const part of [text, html]) expect(part).toContain(sample.link);
    expect(`${subject}${text}${html}`).not.toMatch(/undefined|null|\[object/);
    expect(html).not.toMatch(/<(img|script|link|style|iframe)|src=/i);
  });

  test('is one line of a subject and well-formed markup, whatever things are called', () => {
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
        // Nothing but the frame's own tags and entities is markup.
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
