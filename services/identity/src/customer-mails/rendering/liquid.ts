import { carrierName, createMoneyFormat } from '@waybill/contracts';
import { Liquid, type LiquidError, type Template } from 'liquidjs';
import type { TemplateText } from '../defaults.ts';

/** Limits of a template's length, time and memory: `decisions.md 23.7`. */
const limits = {
  /** Characters. */
  parseLimit: 100_000,
  /** Milliseconds. */
  renderLimit: 1_000,
  /** Memory for strings and lists of a template, roughly in characters. */
  memoryLimit: 2_000_000,
};
const maxOutput = 200_000;

/** A mistake in a template, and its position. */
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

/** Formatting options of a mail's text. */
export interface LiquidOptions {
  /** Locale of money and dates. */
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
    // Templates cannot read files or other templates.
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
  const percents = new Intl.NumberFormat(locale, { maximumFractionDigits: 4 });
  engine.registerFilter('percent', (percent: unknown) =>
    Number.isFinite(Number(percent)) ? `${percents.format(Number(percent))}\u00a0%` : '',
  );
  engine.registerFilter('carrier', (carrier: unknown) =>
    typeof carrier === 'string' ? carrierName(carrier) : '',
  );
  // Output is escaped, and the library's `raw` filter would bypass that. Sanitising would still clean the body, but a
  // subject is no markup.
  engine.registerFilter('raw', (value: unknown) => value);
  for (const tag of ['include', 'render', 'layout', 'block']) delete engine.tags[tag];
  return engine;
}

/** Converts an error to the library's message, without the excerpt that the library appends. */
function describeProblem(error: unknown, pointer: TemplateProblem['pointer']): TemplateProblem {
  if (!(error instanceof Error)) return { pointer, message: 'cannot be rendered', line: 1, column: 1 };
  const { token, originalError } = error as LiquidError & { token?: { getPosition(): number[] } };
  const [line = 1, column = 1] = token?.getPosition?.() ?? [];
  const message = (originalError?.message ?? error.message).replace(/, line:\d+.*$/s, '').slice(0, 300);
  return { pointer, message, line, column };
}

/** Runs a step and turns its error into one that names the part of the template. */
function attempt<Result>(pointer: TemplateProblem['pointer'], work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw new TemplateError(describeProblem(error, pointer));
  }
}

/** Renders subject and body with the given data. @throws TemplateError */
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
