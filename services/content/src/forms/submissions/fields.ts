import { parseEmail } from '@waybill/contracts';
import type { FormField, Words } from '@waybill/page';

/** The sent values by the names of fields. */
export type SubmittedValues = ReadonlyMap<string, readonly string[]>;

/** The accepted values of a form, and the problems of the rest, both by the names of fields. */
export interface CheckedForm {
  values: Record<string, string | string[]>;
  /** The e-mail addresses among the values, in lower case. */
  emails: string[];
  problems: Map<string, string>;
}

const maxLengths = { line: 1_000, text: 20_000 } as const;

/**
 * Checks sent values against the fields of a form. Values of unknown fields, and empty values, are dropped. Problems
 * are expressed in `words` (`decisions.md 17.5`).
 */
export function checkForm(
  fields: readonly FormField[],
  submitted: SubmittedValues,
  words: Words,
): CheckedForm {
  const values: Record<string, string | string[]> = Object.create(null);
  const emails = new Set<string>();
  const problems = new Map<string, string>();
  for (const [name, group] of Map.groupBy(fields, (field) => field.name)) {
    const filledValues = (submitted.get(name) ?? []).map(lines).filter((value) => value.trim() !== '');
    const isGroup = group.length > 1 && group.every(({ type }) => type === 'checkbox');
    const accepted = isGroup ? filledValues.slice(0, group.length) : filledValues.slice(0, 1);
    if (accepted.length === 0) {
      if (group.some(({ required }) => required)) problems.set(name, words.required);
    } else if (!accepted.every((value) => group.some((field) => matchesField(field, value)))) {
      problems.set(name, words.invalid);
    } else if (group.some((field) => field.required && isGroup && !accepted.includes(field.choices![0]!))) {
      problems.set(name, words.required);
    } else {
      values[name] = isGroup ? accepted : accepted[0]!;
      // Collects addresses from every field, because authors also ask for addresses with plain text fields.
      for (const value of accepted.map((each) => parseEmail(each.trim())))
        if (value !== null) emails.add(value.toLowerCase());
    }
  }
  return { values, emails: [...emails], problems };
}

/** Normalizes line breaks: a form sends CRLF, a script any kind. */
const lines = (value: string) => value.replace(/\r\n?/g, '\n');

function matchesField({ inputType, choices }: FormField, value: string): boolean {
  // Refuses characters that no database stores and nobody types.
  if (!value.isWellFormed() || /(?![\n\t])\p{Cc}/u.test(value)) return false;
  if (choices) return choices.includes(value);
  if (value.length > (inputType === 'textarea' ? maxLengths.text : maxLengths.line)) return false;
  const text = value.trim();
  switch (inputType) {
    case 'email':
      return parseEmail(text) !== null;
    case 'url':
      return /^https?:$/.test(URL.parse(text)?.protocol ?? '');
    case 'number':
      return /^[-+]?(\d+(\.\d*)?|\.\d+)(e[-+]?\d+)?$/i.test(text);
    case 'date':
      return /^\d{4}-\d\d-\d\d$/.test(text) && isDay(text);
    default:
      return true;
  }
}

/** Whether the date exists: a wrong day rolls over, or gives an invalid date. */
function isDay(text: string): boolean {
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}
