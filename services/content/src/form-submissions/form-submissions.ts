import { type FormSubmission, FormSubmissionsErased, FormSubmitted, newId } from '@waybill/contracts';
import { emit, takeOrRefuse } from '@waybill/kernel';
import type { Context } from '../config.ts';
import { errors } from '../errors.ts';
import {
  countIn,
  deleteSubmissionRow,
  eraseSubmissionsOf,
  insertSubmission,
  type WrittenSubmission,
} from './queries.ts';

/** As many as a store keeps. */
const maxSubmissions = 100_000;
/** What a store takes, whatever addresses it comes from: addresses are cheap. */
const perStore = { perMinute: 120, burst: 120 };

/**
 * Keeps what a visitor has sent with a form, and tells of it.
 * @throws rate_limited, resource_unavailable where the store keeps the most already
 */
export async function keepSubmission(
  { transaction, cache }: Pick<Context, 'transaction' | 'cache'>,
  storeId: string,
  submission: Omit<WrittenSubmission, 'id'>,
): Promise<FormSubmission> {
  await takeOrRefuse(cache, `forms-of:${storeId}`, perStore);
  const made = submissionOf(submission);
  return transaction(async (trx) => {
    if (!(await countIn(trx, storeId, maxSubmissions))) throw full();
    await insertSubmission(trx, storeId, { ...submission, id: made.id }, new Date(made.createdAt));
    await emit(trx, FormSubmitted, storeId, { formSubmission: made });
    return made;
  });
}

/** What is answered to who has sent something, whether it is kept or not. */
export function submissionOf({ formId, pageId, values }: Omit<WrittenSubmission, 'id'>): FormSubmission {
  const [id, createdAt] = [newId('formSubmission'), new Date().toISOString()];
  return { id, formId, pageId, values, createdAt };
}

const full = () =>
  errors.resource_unavailable({
    message: 'The store has no room for more; please write to it in another way.',
    headers: { 'retry-after': '3600' },
  });

/** @throws not_found */
export async function deleteSubmission(
  { transaction }: Pick<Context, 'transaction'>,
  storeId: string,
  id: string,
): Promise<void> {
  if (!(await transaction((trx) => deleteSubmissionRow(trx, storeId, id)))) throw errors.not_found();
}

/** How many submissions a transaction erases at most. */
const stepSubmissions = 1_000;

/**
 * Takes what somebody with one of these addresses, in lower case, has sent out of the next submissions; they keep their
 * ids. True: there may be more. `decisions.md 15.7`.
 */
export function eraseSubmissions(
  { transaction }: Pick<Context, 'transaction'>,
  storeId: string,
  emails: readonly string[],
): Promise<boolean> {
  return transaction(async (trx) => {
    const formSubmissionIds = await eraseSubmissionsOf(trx, storeId, emails, stepSubmissions);
    if (formSubmissionIds.length > 0) await emit(trx, FormSubmissionsErased, storeId, { formSubmissionIds });
    return formSubmissionIds.length === stepSubmissions;
  });
}
