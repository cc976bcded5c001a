import { sanitise, warningsOf } from '@waybill/html';
import type { TemplateText } from '../defaults.ts';
import { type Frame, frameHtml, textOf } from './frame.ts';
import { type LiquidOptions, renderLiquid, TemplateError, type TemplateProblem } from './liquid.ts';

/** A mail to be made of its template. */
export interface MailTask {
  template: TemplateText;
  /** What the template speaks of. */
  data: object;
  liquid: LiquidOptions;
  frame: Omit<Frame, 'subject'>;
}

export interface RenderedCustomerMail {
  subject: string;
  html: string;
  text: string;
  /** What was removed of the body. */
  warnings: ReturnType<typeof warningsOf>;
}

const maxSubject = 250;

/** One line without characters that nobody sees: it is a header. */
const subjectOf = (text: string): string =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&#34;', '"')
    .replaceAll('&#39;', "'")
    // Last, or a name that holds `&lt;` would become another.
    .replaceAll('&amp;', '&')
    .replace(/[\p{C}\p{Z}\s]+/gu, ' ')
    .trim()
    .slice(0, maxSubject)
    .toWellFormed();

/** Makes a mail: what a thread of the renderer runs. A mistake in the template is an answer, not an error. */
export default function render({
  template,
  data,
  liquid,
  frame,
}: MailTask): RenderedCustomerMail | { problem: TemplateProblem } {
  try {
    const rendered = renderLiquid(template, data, liquid);
    const subject = subjectOf(rendered.subject) || frame.storeName;
    const { html: body, removals } = sanitise(rendered.body);
    return {
      subject,
      html: frameHtml(body, { ...frame, subject }),
      text: textOf(body, frame),
      warnings: warningsOf(removals),
    };
  } catch (error) {
    if (error instanceof TemplateError) return { problem: error.problem };
    throw error;
  }
}
