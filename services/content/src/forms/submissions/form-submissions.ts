import {
  type FormSubmission,
  FormSubmissionsErased,
  FormSubmitted,
  firstIdAt,
  newId,
} from '@waybill/contracts';
import { currentTrace, emissionOf, type TaskDefinition, takeOrRefuse } from '@waybill/kernel';
import type { Transaction } from 'kysely';
import type { Context, Write } from '../../config.ts';
import { errors } from '../../errors.ts';
import type { Tables } from '../../tables.ts';
import {
  countIn,
  deleteOldSubmissions,
  deleteSubmissionRow,
  eraseSubmissionsOf,
  insertSubmissions,
} from './queries.ts';

/** For how long a submission is kept. A number would turn visitors away, or let a flood push out what is there. */
const keptDays = 730;
/** What a store takes, whatever addresses it comes from: addresses are cheap. */
const perStore = { perMinute: 120, burst: 120 };

/** What a form takes of what was sent with it. */
export interface FilledForm extends Pick<FormSubmission, 'formId' | 'pageId' | 'values'> {
  /** The e-mail addresses in it, in lower case. */
  emails: string[];
}

/** A submission to be kept. */
interface Wanted {
  submission: FormSubmission;
  emails: string[];
  /** Of the request that sends it. */
  trace: string | undefined;
}

/**
 * Gives the function that keeps what a visitor has sent with a form, and tells of it, together with what comes to the
 * store meanwhile.
 * @throws rate_limited
 */
export function createSubmissionWriter({ groupCommit, cache }: Pick<Context, 'groupCommit' | 'cache'>) {
  const keepWithOthers = groupCommit({
    write: insertWanted,
    bytesOf: ({ submission }: Wanted) => JSON.stringify(submission).length,
  });
  return async (storeId: string, filled: FilledForm): Promise<FormSubmission> => {
    await takeOrRefuse(cache, `forms-of:${storeId}`, perStore);
    const submission = submissionOf(filled);
    await keepWithOthers(storeId, { submission, emails: filled.emails, trace: currentTrace() });
    return submission;
  };
}

async function insertWanted(
  trx: Transaction<Tables>,
  storeId: string,
  all: readonly Wanted[],
): Promise<void[]> {
  await countIn(trx, storeId, all.length);
  const events = all.map(({ trace, ...each }) => ({
    ...each,
    event: emissionOf(trx, FormSubmitted, trace),
  }));
  await insertSubmissions(trx, storeId, events);
  return all.map(() => undefined);
}

/** What is answered to who has sent something, whether it is kept or not. */
export function submissionOf({ formId, pageId, values }: FilledForm): FormSubmission {
  const [id, createdAt] = [newId('formSubmission'), new Date().toISOString()];
  return { id, formId, pageId, values, createdAt };
}

const hourMs = 3_600_000;
const storesAtOnce = 20;
const ofEach = 500;

export const tasks = ({ transaction }: Pick<Context, 'transaction'>): TaskDefinition[] => [
  { name: 'sweep-form-submissions', everyMs: hourMs, run: () => transaction(sweepSubmissions) },
];

/** Deletes submissions that have been kept for long enough; true: there may be more. `decisions.md 17.5`. */
export const sweepSubmissions = (trx: Transaction<Tables>): Promise<boolean> =>
  deleteOldSubmissions(
    trx,
    firstIdAt('formSubmission', Date.now() - keptDays * 24 * hourMs),
    storesAtOnce,
    ofEach,
  );

/** @throws not_found */
export async function deleteSubmission({ trx }: Write, storeId: string, id: string): Promise<void> {
  if (!(await deleteSubmissionRow(trx, storeId, id))) throw errors.not_found();
}

/** How many submissions a transaction erases at most. */
const stepSubmissions = 1_000;

/**
 * Takes what somebody with one of these addresses, in lower case, has sent out of the next submissions; they keep their
 * ids. True: there may be more. `decisions.md 15.7`.
 */
export async function eraseSubmissions(
  { trx, emit }: Write,
  storeId: string,
  emails: readonly string[],
): Promise<boolean> {
  const formSubmissionIds = await eraseSubmissionsOf(trx, storeId, emails, stepSubmissions);
  if (formSubmissionIds.length > 0) await emit(FormSubmissionsErased, storeId, { formSubmissionIds });
  return formSubmissionIds.length === stepSubmissions;
}
