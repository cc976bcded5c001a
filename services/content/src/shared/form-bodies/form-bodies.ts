import type { Readable } from 'node:stream';
import { readBody } from '@waybill/kernel';
import { errors } from '../../errors.ts';

const maxKiB = 64;

/**
 * Reads the raw body of any form on a page.
 * @throws invalid_body, body_too_large
 */
export function readFormBytes(stream: Readable): Promise<Buffer> {
  const message = `The request body is larger than ${maxKiB} KiB.`;
  return readBody(stream, maxKiB * 1024, {
    tooLarge: () => errors.body_too_large({ message }),
    broken: invalidForm,
  });
}

/** Builds the error for a form as a whole. */
export const invalidForm = (message: string) => errors.invalid_body({ details: [{ pointer: '', message }] });
