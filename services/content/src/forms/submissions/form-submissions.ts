import {
  type FormSubmission,
  FormSubmissionsErased,
  FormSubmitted,
  firstIdAt,
  newId,
} from '@waybill/contracts';
import { createEmission, currentTrace, enforceRateLimit, type TaskDefinition } from '@waybill/kernel';
import type { Transaction } from 'kysely';
import type { Context, Write } from '../../config.ts';
import { errors } from '../../errors.ts';
import type { Tables } from '../../tables.ts';
import {
  countIn,
  deleteOldSubmissions,
  deleteSubmissionRow,
  eraseCustomerSubmissions,
  insertSubmissions,
} from './queries.ts';

/**
 * How many days a submission is kept. A maximum number instead would turn visitors away, or let a flood displace older
 * ones.
 */
const retentionDays = 730;
/** Limits submissions to a store from all addresses together, because addresses are cheap. */
const perStore = { perMinute: 120, burst: 120 };

/** The values that a form accepted. */
export interface FilledForm extends Pick<FormSubmission, 'formId' | 'pageId' | 'values'> {
  /** The e-mail addresses among the values, in lower case. */
  emails: string[];
}

/** A submission to be stored. */
interface PendingSubmission {
  submission: FormSubmission;
  emails: string[];
  /** The trace of the request that sent it. */
  trace: string | undefined;
}

/**
 * Creates the function that stores a visitor's submission and emits its event, in one commit with concurrent
 * submissions to the store.
 * @throws rate_limited
 */
export function createSubmissionWriter({ groupCommit, cache }: Pick<Context, 'groupCommit' | 'cache'>) {
  const storeInGroup = groupCommit({
    write: insertPending,
    measureBytes: ({ submission }: PendingSubmission) => JSON.stringify(submission).length,
  });
  return async (storeId: string, filled: FilledForm): Promise<FormSubmission> => {
    await enforceRateLimit(cache, `forms-of:${storeId}`, perStore);
    const submission = toSubmission(filled);
    await storeInGroup(storeId, { submission, emails: filled.emails, trace: currentTrace() });
    return submission;
  };
}

async function insertPending(
  trx: Transaction<Tables>,
  storeId: string,
  all: readonly PendingSubmission[],
): Promise<void[]> {
  await countIn(trx, storeId, all.length);
  const events = all.map(({ trace, ...each }) => ({
    ...each,
    event: createEmission(trx, FormSubmitted, trace),
  }));
  await insertSubmissions(trx, storeId, events);
  return all.map(() => undefined);
}

/** Builds the answer for a sender, whether the submission is stored or not. */
export function toSubmission({ formId, pageId, values }: FilledForm): FormSubmission {
  const [id, createdAt] = [newId('formSubmission'), new Date().toISOString()];
  return { id, formId, pageId, values, createdAt };
}

const hourMs = 3_600_000;
const storesPerRun = 20;
const batchPerStore = 500;

export const tasks = ({ transaction }: Pick<Context, 'transaction'>): TaskDefinition[] => [
  { name: 'sweep-form-submissions', everyMs: hourMs, run: () => transaction(sweepSubmissions) },
];

/** Deletes submissions that have been kept long enough. Returns true when there may be more (`decisions.md 17.5`). */
export const sweepSubmissions = (trx: Transaction<Tables>): Promise<boolean> =>
  deleteOldSubmissions(
    trx,
    firstIdAt('formSubmission', Date.now() - retentionDays * 24 * hourMs),
    storesPerRun,
    batchPerStore,
  );

/**
 * Deletes a submission.
 * @throws not_found
 */
export async function deleteSubmission({ trx }: Write, storeId: string, id: string): Promise<void> {
  if (!(await deleteSubmissionRow(trx, storeId, id))) throw errors.not_found();
}

/** Maximum number of submissions that a transaction erases. */
const stepSubmissions = 1_000;

/**
 * Erases the values of the next submissions with one of these addresses, given in lower case; the submissions keep
 * their ids. Returns true when there may be more (`decisions.md 15.7`).
 */
export async function eraseSubmissions(
  { trx, emit }: Write,
  storeId: string,
  emails: readonly string[],
): Promise<boolean> {
  const formSubmissionIds = await eraseCustomerSubmissions(trx, storeId, emails, stepSubmissions);
  if (formSubmissionIds.length > 0) await emit(FormSubmissionsErased, storeId, { formSubmissionIds });
  return formSubmissionIds.length === stepSubmissions;
}
