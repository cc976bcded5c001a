import { carrierName, createMoneyFormat } from '@waybill/contracts';
import { Liquid, type LiquidError, type Template } from 'liquidjs';
import type { TemplateText } from '../defaults.ts';

/** How much a template may read, hold and take: `decisions.md 23.7`. */
const limits = {
  /** Characters. */
  parseLimit: 100_000,
  /** Milliseconds. */
  renderLimit: 1_000,
  /** What strings and lists of a template hold, roughly in characters. */
  memoryLimit: 2_000_000,
};
const maxOutput = 200_000;

/** A mistake in a template, and where it is. */
export interface TemplateProblem {
  pointer: '/subject' | '/body';
  message: string;
  line: number;
  column: number;
}

/** A template cannot be rendered. */
export class TemplateError extends Error {
  readonly problem: TemplateProblem;

  constructor(problem: TemplateProblem) {
    super(problem.message);
    this.problem = problem;
  }
}

/** What the text of a mail is written with. */
export interface LiquidOptions {
  /** Of money and dates. */
  locale: string;
  currency: string;
}

function createEngine({ locale, currency }: LiquidOptions): Liquid {
  const engine = new Liquid({
    ...limits,
    outputEscape: 'escape',
    ownPropertyOnly: true,
    strictFilters: true,
    dynamicPartials: false,
    // No template reads a file, or another template.
    templates: {},
    timezoneOffset: 0,
    locale,
  });
  const money = createMoneyFormat(locale, currency);
  const dates = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' });
  engine.registerFilter('money', (cents: unknown) =>
    Number.isFinite(Number(cents)) ? money(Number(cents)) : '',
  );
  engine.registerFilter('day', (instant: unknown) => {
    const date = new Date(String(instant));
    return Number.isNaN(date.getTime()) ? '' : dates.format(date);
  });
  engine.registerFilter('carrier', (carrier: unknown) =>
    typeof carrier === 'string' ? carrierName(carrier) : '',
  );
  // Output is escaped; this would undo that. What it let through would be sanitised, and a subject is no markup.
  engine.registerFilter('raw', (value: unknown) => value);
  for (const tag of ['include', 'render', 'layout', 'block']) delete engine.tags[tag];
  return engine;
}

/** What went wrong, in the words of the library, without the excerpt that it adds. */
function problemOf(error: unknown, pointer: TemplateProblem['pointer']): TemplateProblem {
  if (!(error instanceof Error)) return { pointer, message: 'cannot be rendered', line: 1, column: 1 };
  const { token, originalError } = error as LiquidError & { token?: { getPosition(): number[] } };
  const [line = 1, column = 1] = token?.getPosition?.() ?? [];
  const message = (originalError?.message ?? error.message).replace(/, line:\d+.*$/s, '').slice(0, 300);
  return { pointer, message, line, column };
}

/** What of a template has a mistake, as its author is told. */
function attempt<Result>(pointer: TemplateProblem['pointer'], work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw new TemplateError(problemOf(error, pointer));
  }
}

/** Renders subject and body with what they speak of. @throws TemplateError */
export function renderLiquid(text: TemplateText, data: object, options: LiquidOptions): TemplateText {
  const engine = createEngine(options);
  const renderPart = (part: 'subject' | 'body'): string =>
    attempt(`/${part}`, () => {
      const parsed: Template[] = engine.parse(text[part]);
      const output: string = engine.renderSync(parsed, data);
      if (output.length > maxOutput) throw new Error('comes to more than 200,000 characters');
      return output;
    });
  return { subject: renderPart('subject'), body: renderPart('body') };
}
