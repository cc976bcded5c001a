import { randomBytes } from 'node:crypto';
import {
  type AppliesTo,
  type AppliesToInput,
  type Discount,
  type DiscountInput,
  type DiscountPatch,
  maxDiscountCodes,
  newId,
  type Problem,
  storeLimits,
} from '@waybill/contracts';
import { invalidInstantMessage, parseInstant, violatedConstraint } from '@waybill/kernel';
import type { Write } from '../config.ts';
import { errors } from '../errors.ts';
import { createCodeKey, isCode } from './codes.ts';
import {
  countCodes,
  countDiscounts,
  type DiscountState,
  deleteDiscountRows,
  deleteSharedCode,
  deleteSingleCode,
  findDiscountEnvelope,
  insertCode,
  insertDiscount,
  insertSingleCodes,
  type LockedDiscount,
  lockDiscount,
  markHasCodes,
  type Trx,
  updateDiscount,
} from './queries.ts';
import type { NewCodes } from './routes.ts';

/**
 * Creates a discount. Returns the `{ discount }` envelope as JSON. @throws invalid_body, duplicate_code,
 * too_many_discounts
 */
export function createDiscount(
  { trx, audit }: Write,
  storeId: string,
  input: DiscountInput,
): Promise<string> {
  const create = async () => {
    const id = newId('discount');
    const state = readNewDiscount(input);
    await insertDiscount(trx, storeId, id, state, new Date());
    if (state.code !== null) await insertCode(trx, storeId, id, createCode(state.code));
    await checkCount(trx, storeId);
    await audit(storeId, 'discount.created', { id, name: state.title });
    return (await findDiscountEnvelope(trx, storeId, id))!;
  };
  return translateCodeConflict(create());
}

/**
 * Changes the fields of a discount that the patch contains. Returns the `{ discount }` envelope as JSON.
 * @throws not_found, invalid_body, duplicate_code
 */
export function changeDiscount(
  { trx, audit }: Write,
  storeId: string,
  id: string,
  patch: DiscountPatch,
): Promise<string> {
  const change = async () => {
    const before = await lockDiscount(trx, storeId, id);
    if (!before) throw errors.not_found();
    const next = readDiscount(patch, before);
    const changed = changedFields(before, next);
    if (changed.length > 0) {
      await updateDiscount(trx, storeId, id, next);
      if (next.code !== before.code) {
        await deleteSharedCode(trx, storeId, id);
        if (next.code !== null) await insertCode(trx, storeId, id, createCode(next.code));
      }
      await audit(storeId, 'discount.updated', { id, name: next.title }, { changed });
    }
    return (await findDiscountEnvelope(trx, storeId, id))!;
  };
  return translateCodeConflict(change());
}

/** Deletes a discount. @throws not_found */
export async function deleteDiscount({ trx, audit }: Write, storeId: string, id: string): Promise<void> {
  const discount = await lockDiscount(trx, storeId, id);
  if (!discount) throw errors.not_found();
  await deleteDiscountRows(trx, storeId, id);
  await audit(storeId, 'discount.deleted', { id, name: discount.title });
}

/** Number of random digits of a code. Guessing one of 100,000 codes among 32^10 is hopeless. */
const codeDigits = 10;
const alphabet = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';

/** Creates codes that work once each. @throws not_found, invalid_body, too_many_codes */
export async function createCodes(
  { trx, audit }: Write,
  storeId: string,
  id: string,
  { count, prefix }: NewCodes,
): Promise<string[]> {
  const start = (prefix ?? '').trim();
  if (start !== '' && !isCode(start))
    throw invalid([{ pointer: '/prefix', message: 'must contain only visible characters' }]);
  const discount = await lockDiscount(trx, storeId, id);
  if (!discount) throw errors.not_found();
  if ((await countCodes(trx, storeId, id)) + count > maxDiscountCodes) throw errors.too_many_codes();
  const codes: string[] = [];
  // A code that the store already has is replaced by another random one.
  while (codes.length < count) {
    const fresh = Array.from({ length: count - codes.length }, () => createCode(start + randomDigits()));
    codes.push(...(await insertSingleCodes(trx, storeId, id, fresh)));
  }
  await markHasCodes(trx, storeId, id);
  await audit(storeId, 'discount.codesCreated', { id, name: discount.title });
  return codes;
}

const randomDigits = (): string =>
  Array.from(randomBytes(codeDigits), (byte) => alphabet[byte % alphabet.length]).join('');

/** Withdraws a single-use code. @throws not_found */
export async function withdrawCode(
  { trx, audit }: Write,
  storeId: string,
  id: string,
  code: string,
): Promise<void> {
  const discount = await lockDiscount(trx, storeId, id);
  const isDone = discount && (await deleteSingleCode(trx, storeId, id, createCodeKey(code)));
  if (!isDone) throw errors.not_found();
  await audit(storeId, 'discount.codeWithdrawn', { id, name: discount.title });
}

const createCode = (code: string) => ({ code, key: createCodeKey(code) });

async function checkCount(trx: Trx, storeId: string): Promise<void> {
  if ((await countDiscounts(trx, storeId)) > storeLimits.discounts) throw errors.too_many_discounts();
}

/** Reads a new discount that was sent at `pointer`. @throws invalid_body if its kind lacks a required field */
export const readNewDiscount = (input: DiscountInput, pointer = ''): DiscountState =>
  readDiscount(input, blank, pointer);

const everything: AppliesTo = { kind: 'order' };

/** The defaults of a discount. */
const blank: Omit<DiscountState, 'title' | 'kind'> & Partial<LockedDiscount> = {
  code: null,
  status: 'active',
  startsAt: null,
  endsAt: null,
  terms: {
    percent: null,
    amountCents: null,
    appliesTo: null,
    minimum: { subtotalCents: null, quantity: null },
    buy: null,
    get: null,
  },
  limits: { total: null, perCustomer: null },
  isCombinable: false,
};

/** Merges the sent fields with the previous ones. @throws invalid_body if its kind lacks a required field */
function readDiscount(sent: DiscountPatch, before: typeof blank, at = ''): DiscountState {
  const details: Problem[] = [];
  const report = (pointer: string, message: string) => details.push({ pointer: at + pointer, message });
  const kind = sent.kind ?? before.kind!;
  const code = sent.code === undefined ? before.code : sent.code === null ? null : sent.code.trim();
  if (typeof sent.code === 'string' && !isCode(sent.code.trim()))
    report('/code', 'must have 1 to 60 visible characters');

  const instant = (name: 'startsAt' | 'endsAt'): Date | null => {
    const text = sent[name];
    if (text === undefined) return before[name];
    const read = text === null ? null : parseInstant(text);
    if (text !== null && !read) report(`/${name}`, invalidInstantMessage);
    return read;
  };
  const [startsAt, endsAt] = [instant('startsAt'), instant('endsAt')];
  if (startsAt && endsAt && endsAt <= startsAt) report('/endsAt', 'must be later than startsAt');

  const terms = before.terms;
  const percent = sent.percent === undefined ? terms.percent : sent.percent;
  const amountCents = sent.amountCents === undefined ? terms.amountCents : sent.amountCents;
  const appliesTo =
    kind === 'buyXGetY' ? null : readAppliesTo(sent.appliesTo, terms.appliesTo, '/appliesTo', report);
  if (kind === 'percentage' && percent === null) report('/percent', 'is required');
  if (kind === 'amount' && amountCents === null) report('/amountCents', 'is required');
  const buy = kind === 'buyXGetY' ? readPart(sent.buy, terms.buy, '/buy', report) : null;
  const get = kind === 'buyXGetY' ? readPart(sent.get, terms.get, '/get', report) : null;

  if (details.length > 0) throw invalid(details);
  return {
    title: sent.title ?? before.title!,
    code,
    status: sent.status ?? before.status,
    startsAt,
    endsAt,
    kind,
    terms: {
      percent: kind === 'percentage' ? percent : null,
      amountCents: kind === 'amount' ? amountCents : null,
      appliesTo,
      minimum: sent.minimum === null ? blank.terms.minimum : { ...terms.minimum, ...sent.minimum },
      buy,
      get: get && { ...get, percent: sent.get?.percent ?? terms.get?.percent ?? '100' },
    },
    limits: sent.limits === null ? blank.limits : { ...before.limits, ...sent.limits },
    isCombinable: sent.isCombinable ?? before.isCombinable,
  };
}

type Report = (pointer: string, message: string) => void;

/** Reads `buy` or `get`. Its quantity has no default. */
function readPart(
  sent: DiscountPatch['buy'] | DiscountPatch['get'],
  before: Discount['buy'] | Discount['get'],
  pointer: string,
  report: Report,
) {
  const part = sent === undefined ? before : sent && { ...before, ...sent };
  if (!part?.quantity) report(part ? `${pointer}/quantity` : pointer, 'is required');
  const formerTo = sent === null ? null : (before?.appliesTo ?? null);
  return {
    quantity: part?.quantity ?? 1,
    appliesTo: readAppliesTo(sent?.appliesTo, formerTo, `${pointer}/appliesTo`, report),
  };
}

/**
 * Merges the sent `appliesTo` with the previous one, without the fields that its kind does not use. Another kind starts
 * anew, because ids of products are none of categories.
 */
function readAppliesTo(
  sent: AppliesToInput | null | undefined,
  before: AppliesTo | null,
  pointer: string,
  report: Report,
): AppliesTo {
  const isMerged = before !== null && sent !== null && (!sent?.kind || sent.kind === before.kind);
  const { kind, ids, tags }: AppliesToInput = isMerged ? { ...before, ...sent } : (sent ?? everything);
  if (kind === undefined) {
    report(`${pointer}/kind`, 'is required');
    return everything;
  }
  if (kind === 'order') {
    if (sent && !sent.kind && (sent.ids?.length || sent.tags?.length))
      report(`${pointer}/kind`, 'is required, because nothing is chosen yet');
    return everything;
  }
  if (kind === 'tags') {
    if (!tags?.length) report(`${pointer}/tags`, 'must name at least one');
    return { kind, tags: tags ?? [] };
  }
  if (!ids?.length) report(`${pointer}/ids`, 'must name at least one');
  return { kind, ids: ids ?? [] };
}

function changedFields(before: DiscountState, after: DiscountState): string[] {
  const flat = ({ terms, ...rest }: DiscountState): Record<string, unknown> => ({ ...rest, ...terms });
  const [a, b] = [flat(before), flat(after)];
  return Object.keys(b).filter((name) => JSON.stringify(a[name]) !== JSON.stringify(b[name]));
}

const invalid = (details: Problem[]) => errors.invalid_body({ details });

async function translateCodeConflict<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (violatedConstraint(error) === 'discount_code_pkey') throw errors.duplicate_code();
    throw error;
  }
}
