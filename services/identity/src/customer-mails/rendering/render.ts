import { sanitise, toWarnings } from '@waybill/html';
import type { TemplateText } from '../defaults.ts';
import { type Frame, frameHtml, renderText } from './frame.ts';
import { type LiquidOptions, renderLiquid, TemplateError, type TemplateProblem } from './liquid.ts';

/** A mail to render from its template. */
export interface MailTask {
  template: TemplateText;
  /** The variables of the template. */
  data: object;
  liquid: LiquidOptions;
  frame: Omit<Frame, 'subject'>;
}

export interface RenderedCustomerMail {
  subject: string;
  html: string;
  text: string;
  /** Warnings about markup that was removed from the body. */
  warnings: ReturnType<typeof toWarnings>;
}

const maxSubject = 250;

/** Returns a subject as one line without invisible characters, because it becomes a header. */
const unescapeSubject = (text: string): string =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&#34;', '"')
    .replaceAll('&#39;', "'")
    // Comes last: otherwise a literal `&lt;` in a name would turn into `<`.
    .replaceAll('&amp;', '&')
    .replace(/[\p{C}\p{Z}\s]+/gu, ' ')
    .trim()
    .slice(0, maxSubject)
    .toWellFormed();

/** Renders a mail on a thread of the renderer. A mistake in the template is returned as a problem, not thrown. */
export default function render({
  template,
  data,
  liquid,
  frame,
}: MailTask): RenderedCustomerMail | { problem: TemplateProblem } {
  try {
    const rendered = renderLiquid(template, data, liquid);
    const subject = unescapeSubject(rendered.subject) || frame.storeName;
    const { html: body, removals } = sanitise(rendered.body);
    return {
      subject,
      html: frameHtml(body, { ...frame, subject }),
      text: renderText(body, frame),
      warnings: toWarnings(removals),
    };
  } catch (error) {
    if (error instanceof TemplateError) return { problem: error.problem };
    throw error;
  }
}
