import type { Readable } from 'node:stream';
import { readBody } from '@waybill/kernel';
import { oauthErrors } from './errors.ts';

const maxBytes = 64 * 1024;

/** The parameters of an OAuth request by name. Those without a value count as absent (RFC 6749, 3.2). */
export type Parameters = ReadonlyMap<string, string>;

/**
 * Reads the parameters of a request, as a form or as JSON.
 * @throws invalid_request, body_too_large
 */
export async function readParameters(stream: Readable, contentType: string | undefined): Promise<Parameters> {
  const type = /^[^;]*/
    .exec(contentType ?? '')?.[0]
    .trim()
    .toLowerCase();
  const read = type === 'application/json' ? fromJson : fromForm;
  if (read === fromForm && type !== 'application/x-www-form-urlencoded') {
    throw invalid('Send the parameters as application/x-www-form-urlencoded or as JSON.');
  }
  const parameters = new Map<string, string>();
  for (const [name, value] of read(await readText(stream))) {
    if (value === '') continue;
    if (parameters.has(name)) throw invalid('A parameter appears in the request more than once.');
    parameters.set(name, value);
  }
  return parameters;
}

/**
 * Returns a required parameter.
 * @throws invalid_request
 */
export function readRequiredParameter(parameters: Parameters, name: string): string {
  const value = parameters.get(name);
  if (value === undefined) throw invalid(`The parameter ${name} is missing.`);
  return value;
}

const fromForm = (text: string): Iterable<[string, string]> => new URLSearchParams(text);

function fromJson(text: string): [string, string][] {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw invalid('The body is not JSON.');
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw invalid('The body is not a JSON object.');
  }
  return Object.entries(body).map(([name, value]) => {
    if (value !== null && typeof value !== 'string') throw invalid('Every parameter is a string.');
    return [name, value ?? ''];
  });
}

async function readText(stream: Readable): Promise<string> {
  const bytes = await readBody(stream, maxBytes, {
    tooLarge: oauthErrors.body_too_large,
    broken: invalid,
  });
  return bytes.toString();
}

function invalid(message: string): Error {
  return oauthErrors.invalid_request({ message });
}
