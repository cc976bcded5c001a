import type { ShopLanguage } from '@waybill/contracts';
import { DomUtils, parseDocument } from 'htmlparser2';

type Document = ReturnType<typeof parseDocument>;
type Node = Document['children'][number];
type Element = Extract<Node, { attribs: object }>;

/** The colours of a store's theme that mails use. */
export interface MailColors {
  primary: string;
  onPrimary: string;
  text: string;
  muted: string;
  border: string;
}

export const standardColors: MailColors = {
  primary: '#1a56c4',
  onPrimary: '#ffffff',
  text: '#1c1f23',
  muted: '#5a6068',
  border: '#d9dce1',
};

/** The frame around the body of a mail. */
export interface Frame {
  language: ShopLanguage;
  subject: string;
  storeName: string;
  storeUrl: string;
  colors: MailColors;
  /** URL of the logo; null shows the store's name instead. */
  logoUrl: string | null;
  reason: string;
}

const fonts = "-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character]!);

/** Returns the inline style of each element, because most mail programs ignore style sheets. */
function createStyles({ text, muted, border, primary }: MailColors): Readonly<Record<string, string>> {
  return {
    p: 'margin:0 0 16px;',
    h1: `margin:24px 0 12px;font-size:22px;line-height:1.3;color:${text};`,
    h2: `margin:24px 0 12px;font-size:18px;line-height:1.3;color:${text};`,
    h3: `margin:20px 0 10px;font-size:16px;line-height:1.3;color:${text};`,
    ul: 'margin:0 0 16px;padding:0 0 0 24px;',
    ol: 'margin:0 0 16px;padding:0 0 0 24px;',
    li: 'margin:0 0 6px;',
    blockquote: `margin:0 0 16px;padding:0 0 0 12px;border-left:3px solid ${border};color:${muted};`,
    hr: `border:0;border-top:1px solid ${border};margin:24px 0;`,
    img: 'max-width:100%;height:auto;border:0;',
    table: 'width:100%;border-collapse:collapse;margin:0 0 16px;',
    a: `color:${primary};`,
  };
}

const isElement = (node: Node): node is Element => node.type === 'tag';
const listChildren = (node: Node | Document): Node[] => ('children' in node ? (node.children as Node[]) : []);
const isBlank = (node: Node): boolean => node.type === 'text' && node.data.trim() === '';

/** Returns the link if it is the only content of a paragraph. The mail shows it as a button. */
function onlyLink(node: Element): Element | null {
  const content = listChildren(node).filter((child) => !isBlank(child));
  const [link] = content;
  return node.name === 'p' && content.length === 1 && link && isElement(link) && link.name === 'a'
    ? link
    : null;
}

function styleTree(
  node: Node | Document,
  colors: MailColors,
  styles: Readonly<Record<string, string>>,
): void {
  for (const child of listChildren(node)) {
    if (!isElement(child)) continue;
    if (child.name === 'iframe') {
      DomUtils.removeElement(child);
      continue;
    }
    styleTree(child, colors, styles);
    const style = styles[child.name];
    if (style) child.attribs.style = style;
    if (child.name === 'tr') styleCells(child, colors);
    const link = onlyLink(child);
    if (link)
      link.attribs.style = `display:inline-block;padding:12px 22px;border-radius:6px;background:${colors.primary};color:${colors.onPrimary};font-weight:600;text-decoration:none;`;
  }
}

/** Aligns the first cell of a row to the left and the others to the right, as amounts are. */
function styleCells(row: Element, { border }: MailColors): void {
  const cells = listChildren(row).filter(isElement);
  for (const [i, cell] of cells.entries()) {
    const weight = cell.name === 'th' ? 'font-weight:700;' : '';
    const side = i === 0 ? 'text-align:left;' : 'text-align:right;white-space:nowrap;';
    cell.attribs.style = `padding:8px 0 8px ${i === 0 ? 0 : 12}px;border-bottom:1px solid ${border};vertical-align:top;${weight}${side}`;
  }
}

/** Returns the sanitised body of a mail with inline styles on each element. */
function styleBody(html: string, colors: MailColors): string {
  const document = parseDocument(html);
  styleTree(document, colors, createStyles(colors));
  return DomUtils.getInnerHTML(document, { encodeEntities: 'utf8' });
}

/**
 * Builds a mail as HTML: at most 600 pixels wide, with inline styles and tables for Gmail and Outlook, and dark if the
 * reader's device is.
 */
export function frameHtml(body: string, frame: Frame): string {
  const { language, subject, storeName, storeUrl, colors, logoUrl, reason } = frame;
  const name = escapeHtml(storeName);
  const head = logoUrl
    ? `<img src="${escapeHtml(logoUrl)}" alt="${name}" height="40" style="height:40px;max-width:240px;width:auto;border:0;display:block;background:#ffffff;border-radius:4px;">`
    : `<span style="font-size:20px;font-weight:700;">${name}</span>`;
  return `<!doctype html>
<html lang="${language}" xmlns="http://www.w3.org/1999/xhtml" xmlns:o="urn:schemas-microsoft-com:office:office">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="x-apple-disable-message-reformatting">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no">
<title>${escapeHtml(subject)}</title>
<!--[if mso]><xml><o:OfficeDocumentSettings><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml><![endif]-->
<style>
:root{color-scheme:light dark}
@media (prefers-color-scheme:dark){
.wb-page{background:#15171a!important}
.wb-card{background:#1f2226!important;border-color:#3a3f45!important}
.wb-text,.wb-text p,.wb-text h1,.wb-text h2,.wb-text h3,.wb-text li,.wb-text td,.wb-text th,.wb-text a{color:#f1f3f5!important;border-color:#3a3f45!important}
.wb-text p>a:only-child{color:${colors.onPrimary}!important}
.wb-foot{color:#a9b0b8!important}
}
[data-ogsc] .wb-text,[data-ogsc] .wb-text *{color:#f1f3f5!important}
@media (max-width:620px){.wb-pad{padding:24px 20px!important}}
</style>
</head>
<body class="wb-page" style="margin:0;padding:0;background:#f4f5f7;-webkit-text-size-adjust:100%;">
<table role="presentation" class="wb-page" width="100%" cellpadding="0" cellspacing="0" style="background:#f4f5f7;border-collapse:collapse;">
<tr><td align="center" style="padding:24px 12px;">
<!--[if mso]><table role="presentation" width="600" cellpadding="0" cellspacing="0"><tr><td><![endif]-->
<table role="presentation" class="wb-card" width="100%" cellpadding="0" cellspacing="0" style="max-width:600px;background:#ffffff;border:1px solid ${colors.border};border-top:4px solid ${colors.primary};border-collapse:separate;border-radius:8px;">
<tr><td class="wb-pad wb-text" style="padding:28px 32px 0;font-family:${fonts};color:${colors.text};"><a href="${escapeHtml(storeUrl)}" style="color:${colors.text};text-decoration:none;">${head}</a></td></tr>
<tr><td class="wb-pad wb-text" style="padding:24px 32px;font-family:${fonts};font-size:16px;line-height:1.55;color:${colors.text};">
${styleBody(body, colors)}
</td></tr>
</table>
<!--[if mso]></td></tr></table><![endif]-->
<p class="wb-foot" style="max-width:600px;margin:16px auto 0;font-family:${fonts};font-size:12px;line-height:1.5;color:${colors.muted};">${escapeHtml(reason)}</p>
</td></tr>
</table>
</body>
</html>
`;
}

const blocks = new Set([
  'p',
  'div',
  'h1',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
  'ul',
  'ol',
  'table',
  'blockquote',
  'pre',
  'hr',
]);

/** Builds the same mail as plain text. Link targets follow their text, and the cells of a row share a line. */
export function renderText(body: string, { language, reason }: Pick<Frame, 'language' | 'reason'>): string {
  const colon = language === 'fr' ? '\u00a0: ' : ': ';
  const out: string[] = [];
  const write = (text: string) => out.push(text);
  const inline = (node: Node): string => {
    if (node.type === 'text') return node.data.replace(/\s+/g, ' ');
    if (!isElement(node)) return '';
    if (node.name === 'br') return '\n';
    if (node.name === 'img') return node.attribs.alt ?? '';
    const text = listChildren(node).map(inline).join('');
    const href = node.name === 'a' ? node.attribs.href : undefined;
    return href && href !== text.trim() ? `${text}${colon}${href}` : text;
  };
  const trimLines = (text: string) =>
    text
      .split('\n')
      .map((each) => each.trim())
      .join('\n')
      .trim();
  const walk = (node: Node | Document): void => {
    let line = '';
    const flush = () => {
      if (line.trim() !== '') write(`${trimLines(line)}\n\n`);
      line = '';
    };
    for (const child of listChildren(node)) {
      if (!isElement(child) || !blocks.has(child.name)) {
        line += inline(child);
        continue;
      }
      flush();
      if (child.name === 'table') {
        const rows = DomUtils.getElementsByTagName('tr', child as never) as unknown as Element[];
        for (const row of rows) {
          const cells = listChildren(row)
            .filter(isElement)
            .map((cell) => trimLines(inline(cell)));
          write(`${cells.filter(Boolean).join(colon)}\n`);
        }
        write('\n');
      } else if (child.name === 'ul' || child.name === 'ol') {
        for (const item of listChildren(child).filter(isElement)) write(`- ${trimLines(inline(item))}\n`);
        write('\n');
      } else if (child.name === 'hr') write('--\n\n');
      else walk(child);
    }
    flush();
  };
  walk(parseDocument(body));
  return `${out
    .join('')
    .replace(/\n{3,}/g, '\n\n')
    .trim()}\n\n-- \n${reason}\n`;
}
