import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { Model } from '@waybill/sdk';
import { api } from '../../api/client.ts';
import type { ListSearch } from '../../api/list.ts';
import { readTagged } from '../../api/tagged.ts';
import { formatLocalTime, parseLocalTime } from '../../local-time.ts';

export type Discount = Model<'Discount'>;
export type DiscountInput = Model<'DiscountInput'>;
export type AppliesTo = NonNullable<Discount['appliesTo']>;

export const discountsKey = (storeId: string) => ['stores', storeId, 'discounts'];

/** Reads a page of the store's discounts, newest first. */
export function readDiscounts(storeId: string, { q, after }: ListSearch, signal: AbortSignal) {
  const query = { limit: 50, ...(q && { q }), ...(after && { after }) };
  return api.get('/api/stores/{storeId}/discounts', { params: { path: { storeId }, query }, signal });
}

export interface Read {
  discount: Discount;
  etag: string | null;
}

/** Reads a discount with its ETag. */
export const discountQuery = (storeId: string, id: string) =>
  queryOptions({
    queryKey: [...discountsKey(storeId), id],
    queryFn: ({ signal }): Promise<Read> =>
      readTagged<{ discount: Discount }>(`/api/stores/${storeId}/discounts/${id}`, signal),
  });

/** Reads a discount's single-use codes, newest first. */
export const codesQuery = (storeId: string, id: string) =>
  infiniteQueryOptions({
    queryKey: [...discountsKey(storeId), id, 'codes'],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ signal, pageParam: after }) =>
      api.get('/api/stores/{storeId}/discounts/{id}/codes', {
        params: { path: { storeId, id }, query: { limit: 50, ...(after && { after }) } },
        signal,
      }),
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });

/** All fields of the discount form, including those that its kind does not use. */
export interface DiscountDraft {
  title: string;
  code: string;
  isActive: boolean;
  startsAt: string;
  endsAt: string;
  kind: Discount['kind'];
  percent: string;
  amountCents: number | null;
  appliesTo: AppliesTo;
  minimumCents: number | null;
  minimumQuantity: number | null;
  buyQuantity: number | null;
  buyFrom: AppliesTo;
  getQuantity: number | null;
  getFrom: AppliesTo;
  getPercent: string;
  total: number | null;
  perCustomer: number | null;
  isCombinable: boolean;
}

const everything: AppliesTo = { kind: 'order' };

export const blank: DiscountDraft = {
  title: '',
  code: '',
  isActive: true,
  startsAt: '',
  endsAt: '',
  kind: 'percentage',
  percent: '10',
  amountCents: null,
  appliesTo: everything,
  minimumCents: null,
  minimumQuantity: null,
  buyQuantity: 1,
  buyFrom: everything,
  getQuantity: 1,
  getFrom: everything,
  getPercent: '100',
  total: null,
  perCustomer: null,
  isCombinable: false,
};

const localTime = (instant: string | null): string => (instant === null ? '' : formatLocalTime(instant));

/**
 * Returns the typed instant. An unchanged field keeps the stored one with its seconds, which the field does not show.
 */
const changedInstant = (local: string, was: string | null = null): string | null =>
  local === localTime(was) ? was : parseLocalTime(local);

export const toDraft = (discount: Discount): DiscountDraft => ({
  ...blank,
  title: discount.title,
  code: discount.code ?? '',
  isActive: discount.status === 'active',
  startsAt: localTime(discount.startsAt),
  endsAt: localTime(discount.endsAt),
  kind: discount.kind,
  percent: discount.percent ?? blank.percent,
  amountCents: discount.amountCents,
  appliesTo: discount.appliesTo ?? everything,
  minimumCents: discount.minimum.subtotalCents,
  minimumQuantity: discount.minimum.quantity,
  buyQuantity: discount.buy?.quantity ?? 1,
  buyFrom: discount.buy?.appliesTo ?? everything,
  getQuantity: discount.get?.quantity ?? 1,
  getFrom: discount.get?.appliesTo ?? everything,
  getPercent: discount.get?.percent ?? '100',
  total: discount.limits.total,
  perCustomer: discount.limits.perCustomer,
  isCombinable: discount.isCombinable,
});

/** Builds the request body. `discount` is the stored discount, or null for a new one. */
export function buildBody(draft: DiscountDraft, discount: Discount | null = null): DiscountInput {
  const { kind } = draft;
  return {
    title: draft.title.trim(),
    code: draft.code.trim() || null,
    status: draft.isActive ? 'active' : 'disabled',
    startsAt: changedInstant(draft.startsAt, discount?.startsAt),
    endsAt: changedInstant(draft.endsAt, discount?.endsAt),
    kind,
    percent: kind === 'percentage' ? draft.percent : null,
    amountCents: kind === 'amount' ? draft.amountCents : null,
    appliesTo: kind === 'buyXGetY' ? null : draft.appliesTo,
    minimum: { subtotalCents: draft.minimumCents, quantity: draft.minimumQuantity },
    buy: kind === 'buyXGetY' ? { quantity: draft.buyQuantity ?? 1, appliesTo: draft.buyFrom } : null,
    get:
      kind === 'buyXGetY'
        ? {
            quantity: draft.getQuantity ?? 1,
            appliesTo: draft.getFrom,
            percent: draft.getPercent,
          }
        : null,
    limits: { total: draft.total, perCustomer: draft.perCustomer },
    isCombinable: draft.isCombinable,
  };
}
