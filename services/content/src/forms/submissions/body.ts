import type { Readable } from 'node:stream';
import { MIMEType } from 'node:util';
import { escapePointer } from '@waybill/kernel';
import { errors } from '../../errors.ts';
import { invalidForm, readFormBytes } from '../../shared/form-bodies/form-bodies.ts';
import type { SubmittedValues } from './fields.ts';

/** Maximum number of values; no form has more. */
const maxValues = 1_000;
/** Maximum number of reported problems; more help nobody. */
const maxProblems = 100;

/** The values of a request, and whether a script sent it: a browser by itself sends no JSON. */
export interface FormBody {
  submitted: SubmittedValues;
  isJson: boolean;
}

/**
 * Reads the values of a submitted form, form-encoded or as JSON.
 * @throws invalid_body, body_too_large
 */
export async function readForm(stream: Readable, contentType: string | undefined): Promise<FormBody> {
  const type = parseMimeType(contentType ?? '');
  const isJson = type === 'application/json';
  if (!isJson && type !== 'application/x-www-form-urlencoded')
    throw invalidForm('Send the values as application/x-www-form-urlencoded or as JSON.');
  const bytes = await readFormBytes(stream);
  const pairs = isJson ? fromJson(bytes.toString()) : [...new URLSearchParams(bytes.toString())];
  if (pairs.length > maxValues) throw invalidForm(`There are more than ${maxValues} values.`);
  const submitted = Map.groupBy(pairs, ([name]) => name);
  return {
    submitted: new Map([...submitted].map(([name, all]) => [name, all.map(([, value]) => value)])),
    isJson,
  };
}

function parseMimeType(contentType: string): string {
  try {
    return new MIMEType(contentType).essence;
  } catch {
    return '';
  }
}

function fromJson(text: string): [string, string][] {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw invalidForm('The body is not JSON.');
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw invalidForm('The body is not a JSON object.');
  const values = Object.entries(body).map(([name, value]): [string, unknown[]] => [
    name,
    [value ?? []].flat(),
  ]);
  const invalid = values.filter(([, all]) => !all.every(isTextOrNumber)).slice(0, maxProblems);
  if (invalid.length > 0) {
    const message = 'must be a text, a number or a list of texts';
    const details = invalid.map(([name]) => ({ pointer: `/${escapePointer(name)}`, message }));
    throw errors.invalid_body({ details });
  }
  return values.flatMap(([name, all]) => all.map((each): [string, string] => [name, String(each)]));
}

const isTextOrNumber = (value: unknown) => ['string', 'number'].includes(typeof value);
