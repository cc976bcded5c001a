import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { buffer } from 'node:stream/consumers';
import { type Address, createMoneyFormat } from '@waybill/contracts';
import { create, type Font as OpenFont } from 'fontkit';
import PDFDocument from 'pdfkit';
import { transliterate } from 'transliteration';
import type { ContentLine, DocumentContent } from '../content.ts';
import { type DocumentTexts, documentTexts } from './texts.ts';
import { facturXMetadata } from './xmp.ts';

type Pdf = PDFKit.PDFDocument;
type Font = 'regular' | 'bold';

const { resolve } = createRequire(import.meta.url);
const openFont = (file: string): OpenFont => {
  const font = create(readFileSync(resolve(`@expo-google-fonts/inter/${file}`)));
  if (!('layout' in font)) throw new Error(`${file} holds several fonts`);
  return font;
};

/**
 * Fonts with Latin, Greek and Cyrillic letters. They are opened once per process, because parsing their tables takes
 * several times as long as drawing a document.
 */
const fonts: Record<Font, OpenFont> = {
  regular: openFont('400Regular/Inter_400Regular.ttf'),
  bold: openFont('600SemiBold/Inter_600SemiBold.ttf'),
};

/** Margins in points. The left margin and the address fit the window of an envelope by DIN 5008. */
const margin = { left: 57, right: 48, top: 48, bottom: 92 };
const addressTop = 138;
const bodyTop = 262;
/** Uses digits of equal width, so that amounts line up in columns. */
const tabular: PDFKit.Mixins.OpenTypeFeatures[] = ['tnum', 'kern'];
const small = 7.5;
const normal = 9.5;
const grey = '#5a5a5a';
const rule = '#c8c8c8';

const canDraw = (character: string): boolean => fonts.regular.hasGlyphForCodePoint(character.codePointAt(0)!);

function toDrawable(character: string): string {
  if (character === '\n' || canDraw(character)) return character;
  if (/[\p{Z}\s]/u.test(character)) return ' ';
  if (/[\p{C}\p{M}]/u.test(character)) return '';
  const latin = [...transliterate(character)].filter(canDraw).join('');
  return latin === '' ? '?' : latin;
}

/** Replaces characters without a glyph, because PDF/A allows no missing glyph. It transliterates letters. */
const printable = (text: string): string =>
  [...text.toWellFormed().normalize('NFC').replace(/\r\n?/g, '\n')].map(toDrawable).join('');

interface Column {
  title: string;
  width: number;
  align: 'left' | 'right';
}

/** Draws one document. */
class Sheet {
  readonly #pdf: Pdf;
  readonly #content: DocumentContent;
  readonly #texts: DocumentTexts;
  readonly #money: (cents: number) => string;
  readonly #day: (instant: string) => string;
  readonly #logo: Buffer | null;

  constructor(pdf: Pdf, content: DocumentContent, logo: Buffer | null) {
    this.#pdf = pdf;
    this.#content = content;
    this.#logo = logo;
    this.#texts = documentTexts[content.language];
    this.#money = createMoneyFormat(content.language, content.currency);
    const dates = new Intl.DateTimeFormat(content.language, { dateStyle: 'long', timeZone: 'UTC' });
    this.#day = (instant) => dates.format(new Date(instant));
  }

  get #width(): number {
    return this.#pdf.page.width - margin.left - margin.right;
  }

  get #bottom(): number {
    return this.#pdf.page.height - margin.bottom;
  }

  draw(): void {
    this.#drawHead();
    const { kind } = this.#content;
    if (kind === 'packingSlip') this.#drawPackedLines();
    else {
      this.#drawPricedLines();
      this.#drawSums();
      this.#drawNotes();
    }
    this.#drawFeet();
  }

  #text(
    text: string,
    x: number,
    y: number,
    {
      font = 'regular',
      size = normal,
      color = '#111111',
      ...options
    }: PDFKit.Mixins.TextOptions & { font?: Font; size?: number; color?: string } = {},
  ): number {
    const pdf = this.#pdf.font(font).fontSize(size).fillColor(color);
    const drawn = printable(text);
    if (drawn.trim() === '') return y;
    pdf.text(drawn, x, y, { lineGap: 1.5, ...options });
    return pdf.y;
  }

  #measureHeight(text: string, width: number, font: Font = 'regular', size = normal): number {
    if (text === '') return 0;
    return this.#pdf.font(font).fontSize(size).heightOfString(printable(text), { width, lineGap: 1.5 });
  }

  #line(y: number, color = rule): void {
    this.#pdf
      .moveTo(margin.left, y)
      .lineTo(margin.left + this.#width, y)
      .lineWidth(0.6)
      .strokeColor(color)
      .stroke();
  }

  #drawHead(): void {
    const { seller, buyer, kind, number, issuedAt, order, invoice } = this.#content;
    const texts = this.#texts;
    if (this.#logo) this.#pdf.image(this.#logo, margin.left, margin.top, { fit: [200, 60] });
    else this.#text(seller.name, margin.left, margin.top, { font: 'bold', size: 15, width: this.#width });

    const cityLine = [seller.postalCode, seller.city].filter(Boolean).join(' ');
    const sender = [seller.name, seller.line1, cityLine].filter(Boolean).join(' · ');
    const half = this.#width / 2 - 10;
    if (seller.name)
      this.#text(sender, margin.left, addressTop - 13, {
        size: 6.5,
        color: grey,
        width: half,
        height: 10,
        ellipsis: true,
      });
    this.#text(addressLines(buyer.name, buyer.address, seller.country), margin.left, addressTop, {
      size: 10,
      width: half,
      height: bodyTop - addressTop - 14,
      ellipsis: true,
    });

    const facts: [string, string | null][] = [
      [texts.number, number],
      [texts.date, this.#day(issuedAt)],
      [texts.order, `#${order.number}`],
      [texts.orderDate, this.#day(order.createdAt)],
      [texts.customerVatId, buyer.vatId],
    ];
    const left = margin.left + this.#width / 2 + 10;
    let y = addressTop;
    for (const [label, value] of facts) {
      if (!value) continue;
      this.#text(label, left, y, { color: grey, width: 100 });
      y = this.#text(value, left + 104, y, { width: this.#width / 2 - 114 });
    }
    y = this.#text([texts[kind], number].filter(Boolean).join(' '), margin.left, bodyTop, {
      font: 'bold',
      size: 16,
      width: this.#width,
    });
    if (invoice)
      y = this.#text(texts.ofInvoice(invoice.number, this.#day(invoice.issuedAt)), margin.left, y + 2, {
        color: grey,
        width: this.#width,
      });
    this.#pdf.y = y + 12;
  }

  #drawColumns(
    columns: readonly Column[],
    cells: readonly string[],
    y: number,
    font: Font,
    color?: string,
  ): number {
    let x = margin.left;
    let end = y;
    for (const [i, { width, align }] of columns.entries()) {
      const figures = align === 'right' && { features: tabular };
      const options = { width: width - 8, align, font, size: 8.5, ...figures, ...(color && { color }) };
      end = Math.max(end, this.#text(cells[i]!, align === 'right' ? x + 8 : x, y, options));
      x += width;
    }
    return end;
  }

  #drawTableHead(columns: readonly Column[]): void {
    const titles = columns.map(({ title }) => title);
    const end = this.#drawColumns(columns, titles, this.#pdf.y, 'bold', grey);
    this.#line(end + 3, '#808080');
    this.#pdf.y = end + 9;
  }

  /** Draws one row per line on as many pages as necessary, and repeats the head of the table on each page. */
  #drawTable(columns: readonly Column[], rows: readonly { cells: string[]; detail: string }[]): void {
    this.#drawTableHead(columns);
    const main = columns[0]!.width - 8;
    for (const { cells, detail } of rows) {
      const nameHeight = this.#measureHeight(cells[0]!, main, 'regular', 8.5);
      const detailHeight = this.#measureHeight(detail, main, 'regular', small);
      if (this.#pdf.y + nameHeight + detailHeight > this.#bottom) {
        this.#addPage();
        this.#drawTableHead(columns);
      }
      const top = this.#pdf.y;
      let end = this.#drawColumns(columns, cells, top, 'regular');
      if (detail)
        end = Math.max(
          end,
          this.#text(detail, margin.left, top + nameHeight, { size: small, color: grey, width: main }),
        );
      this.#line(end + 3);
      this.#pdf.y = end + 8;
    }
  }

  #addPage(): void {
    this.#pdf.addPage();
    const { kind, number } = this.#content;
    const title = [this.#texts[kind], number].filter(Boolean).join(' ');
    this.#text(title, margin.left, margin.top, { color: grey, width: this.#width });
    this.#pdf.y = margin.top + 24;
  }

  #drawPackedLines(): void {
    const texts = this.#texts;
    const columns: Column[] = [
      { title: texts.item, width: this.#width - 90, align: 'left' },
      { title: texts.quantity, width: 90, align: 'right' },
    ];
    const rows = this.#content.lines.map(({ name, detail, quantity }) => ({
      cells: [name, String(quantity)],
      detail,
    }));
    this.#drawTable(columns, rows);
  }

  #drawPricedLines(): void {
    const texts = this.#texts;
    const columns: Column[] = [
      { title: texts.item, width: this.#width - 270, align: 'left' },
      { title: texts.quantity, width: 50, align: 'right' },
      { title: texts.unitPrice, width: 85, align: 'right' },
      { title: texts.tax, width: 45, align: 'right' },
      { title: texts.amount, width: 90, align: 'right' },
    ];
    const rows = this.#content.lines.map((line) => ({
      cells: [
        line.name,
        String(line.quantity),
        line.unitPriceCents > 0 || line.totalCents === 0 ? this.#money(line.unitPriceCents) : '',
        line.percent === null ? '–' : this.#percent(line.percent),
        this.#money(line.totalCents),
      ],
      detail: this.#formatDetail(line),
    }));
    this.#drawTable(columns, rows);
  }

  #formatDetail({ detail, discountCents }: ContentLine): string {
    const discount =
      discountCents > 0 ? `${this.#texts.discount}${this.#texts.colon}−${this.#money(discountCents)}` : '';
    return [detail, discount].filter(Boolean).join('\n');
  }

  #percent(percent: string): string {
    const format = new Intl.NumberFormat(this.#content.language, { maximumFractionDigits: 4 });
    return `${format.format(Number(percent))} %`;
  }

  #sums(): { label: string; amount: string; isStrong?: boolean }[] {
    const content = this.#content;
    const texts = this.#texts;
    const money = this.#money;
    const isCredit = content.kind === 'creditNote';
    const formatTaxTitle = content.taxIncluded ? texts.includedTaxOn : texts.taxOn;
    const named = ({ name, percent }: { name: string; percent: string }) =>
      `${name} ${this.#percent(percent)}`;
    const hasParts = content.shipping !== null || content.discounts.length > 0 || !content.taxIncluded;
    const lineCents = content.lines.reduce((sum, { totalCents }) => sum + totalCents, 0);
    return [
      ...(hasParts ? [{ label: texts.subtotal, amount: money(lineCents) }] : []),
      ...(content.shipping
        ? [
            {
              label: [texts.shipping, content.shipping.text].filter(Boolean).join(texts.colon),
              amount: money(content.shipping.amountCents),
            },
          ]
        : []),
      ...(content.taxIncluded
        ? []
        : content.taxLines.map((line) => ({
            label: formatTaxTitle(named(line), money(line.baseCents)),
            amount: money(line.taxCents),
          }))),
      {
        label: isCredit ? texts.creditTotal : texts.total,
        amount: money(content.totalCents),
        isStrong: true,
      },
      ...(content.taxIncluded
        ? content.taxLines.map((line) => ({
            label: formatTaxTitle(named(line), money(line.baseCents)),
            amount: money(line.taxCents),
          }))
        : []),
      ...(content.exemption && content.taxLines.length > 0
        ? [{ label: texts.untaxed, amount: money(content.untaxedCents) }]
        : []),
      ...(isCredit || content.paidCents === 0
        ? []
        : [
            { label: texts.paid, amount: money(content.paidCents) },
            { label: texts.due, amount: money(content.dueCents), isStrong: true },
          ]),
    ];
  }

  #drawSums(): void {
    const left = margin.left + this.#width * 0.4;
    const width = this.#width * 0.6;
    this.#pdf.y += 4;
    for (const { label, amount, isStrong = false } of this.#sums()) {
      const font = isStrong ? 'bold' : 'regular';
      const size = isStrong ? 10.5 : 8.5;
      const height = this.#measureHeight(label, width - 110, font, size);
      if (this.#pdf.y + height > this.#bottom) this.#addPage();
      const top = this.#pdf.y;
      const end = this.#text(label, left, top, { font, size, width: width - 110 });
      this.#text(amount, left + width - 106, top, {
        font,
        size,
        width: 106,
        align: 'right',
        features: tabular,
      });
      this.#pdf.y = Math.max(end, top + size) + (isStrong ? 5 : 3);
    }
  }

  #notes(): string[] {
    const { kind, discounts, exemption, bank, dueCents, reason } = this.#content;
    const texts = this.#texts;
    const used = discounts.map(
      ({ text, amountCents }) => `${texts.discount} ${text}${texts.colon}−${this.#money(amountCents)}`,
    );
    const isToBePaid = kind === 'invoice' && dueCents > 0;
    return [
      used.join('\n'),
      reason && `${texts.reason}${texts.colon}${reason}`,
      exemption && texts.exemptions[exemption],
      texts.delivery,
      isToBePaid ? texts.terms : '',
      isToBePaid && bank ? `${texts.transfer}${texts.colon.trimEnd()}\n${bank}` : '',
    ].filter((note): note is string => Boolean(note));
  }

  #drawNotes(): void {
    this.#pdf.y += 14;
    for (const note of this.#notes()) {
      if (this.#pdf.y + this.#measureHeight(note, this.#width, 'regular', 8.5) > this.#bottom)
        this.#addPage();
      this.#pdf.y = this.#text(note, margin.left, this.#pdf.y, { size: 8.5, width: this.#width }) + 6;
    }
  }

  /** Draws the footers of all pages after the number of pages is known. */
  #drawFeet(): void {
    const { seller, footer } = this.#content;
    const texts = this.#texts;
    const cityLine = [seller.postalCode, seller.city, seller.region].filter(Boolean).join(' ');
    const who = [
      [seller.name, seller.line1, seller.line2, cityLine, seller.country],
      [
        seller.vatId && `${texts.vatId}${texts.colon}${seller.vatId}`,
        seller.taxNumber && `${texts.taxNumber}${texts.colon}${seller.taxNumber}`,
        seller.email,
      ],
    ].map((parts) => parts.filter(Boolean).join(' · '));
    const text = [...who, footer.trim()].filter(Boolean).join('\n');
    const { start, count } = this.#pdf.bufferedPageRange();
    for (let page = 0; page < count; page++) {
      this.#pdf.switchToPage(start + page);
      // Without this, text below the bottom margin would start a new page.
      this.#pdf.page.margins.bottom = 0;
      const top = this.#bottom + 18;
      this.#line(top - 5);
      const options = { size: 6.5, color: grey, width: this.#width - 90 };
      this.#text(text, margin.left, top, { ...options, height: margin.bottom - 28, ellipsis: true });
      this.#text(texts.page(page + 1, count), margin.left + this.#width - 90, top, {
        ...options,
        width: 90,
        align: 'right',
      });
    }
  }
}

/** Returns the lines of an address, with the country if it differs from the sender's. */
function addressLines(name: string, address: Address | null, from: string): string {
  if (!address) return name;
  const { line1, line2, city, region, postalCode, country } = address;
  const isBefore = !['US', 'CA', 'GB', 'AU', 'IE', 'NZ', 'IN'].includes(country);
  const cityLine = isBefore ? [postalCode, city, region] : [city, region, postalCode];
  const lines = [address.name || name, line1, line2, cityLine.filter(Boolean).join(' ')];
  if (country !== from) lines.push(country);
  return lines.filter(Boolean).join('\n');
}

/** Renders a document as PDF/A-3 and embeds `xml` as Factur-X requires. */
export async function renderPdf(
  content: DocumentContent,
  { xml, logo }: { xml: string | null; logo: Uint8Array | null },
): Promise<Buffer> {
  const texts = documentTexts[content.language];
  const issuedAt = new Date(content.issuedAt);
  const pdf = new PDFDocument({
    size: content.paper,
    margins: margin,
    bufferPages: true,
    pdfVersion: '1.7',
    subset: 'PDF/A-3b',
    lang: content.language,
    displayTitle: true,
    // Without this option the library starts with a font that is not embedded.
    font: fonts.regular as unknown as string,
    info: {
      Title: [texts[content.kind], content.number ?? `#${content.order.number}`].join(' '),
      Author: content.seller.name,
      Creator: 'Waybill',
      Producer: 'Waybill',
      CreationDate: issuedAt,
      ModDate: issuedAt,
    },
  } as PDFKit.PDFDocumentOptions);
  if (xml !== null) {
    pdf.file(Buffer.from(xml), {
      name: 'factur-x.xml',
      type: 'text/xml',
      description: 'Factur-X invoice',
      creationDate: issuedAt,
      modifiedDate: issuedAt,
      relationship: 'Alternative',
    } as PDFKit.Mixins.PDFAttachmentOptions);
    (pdf as unknown as { appendXML(xml: string): void }).appendXML(facturXMetadata);
  }
  for (const [name, font] of Object.entries(fonts)) pdf.registerFont(name, font as unknown as Uint8Array);
  new Sheet(pdf, content, logo && Buffer.from(logo)).draw();
  const bytes = buffer(pdf);
  pdf.end();
  return bytes;
}
