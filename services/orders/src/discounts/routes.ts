import {
  Discount,
  DiscountCode,
  DiscountInput,
  DiscountPatch,
  discountStatuses,
  linePattern,
  maxNewCodes,
} from '@waybill/contracts';
import { defineRoutes, nullable, pageSchema, paging } from '@waybill/kernel';
import Type, { type Static } from 'typebox';
import { errors } from '../errors.ts';

const ListQuery = Type.Object({
  ...paging,
  q: Type.Optional(Type.String({ description: 'Every word must occur in the title or the code.' })),
  status: Type.Optional(Type.Enum([...discountStatuses])),
});
export type ListQuery = Static<typeof ListQuery>;

const CodesQuery = Type.Object({
  ...paging,
  used: Type.Optional(Type.Enum(['true', 'false'], { description: 'Only used codes, or only unused ones.' })),
});
export type CodesQuery = Static<typeof CodesQuery>;

const NewCodes = Type.Object(
  {
    count: Type.Integer({ minimum: 1, maximum: maxNewCodes, examples: [100] }),
    prefix: Type.Optional(
      nullable(
        Type.String({
          maxLength: 40,
          pattern: linePattern,
          description: 'The prefix of each code.',
          examples: ['SPRING-'],
        }),
      ),
    ),
  },
  { $id: 'NewDiscountCodes' },
);
export type NewCodes = Static<typeof NewCodes>;

const Item = Type.Object({ discount: Discount });
const ids = { id: 'discount' } as const;
const computed = ['discount.usedCount'];

/** Routes of discounts: `decisions.md 21.3`. */
export const routes = defineRoutes({
  listDiscounts: {
    method: 'GET',
    path: '/api/v1/discounts',
    access: { scope: 'discounts.read' },
    summary: 'List discounts, the newest first',
    description: 'By status; `q` searches the title and the code.',
    query: ListQuery,
    answer: [200, pageSchema('discounts', Discount)],
  },
  createDiscount: {
    method: 'POST',
    path: '/api/v1/discounts',
    access: { scope: 'discounts.write' },
    summary: 'Create a discount',
    description:
      'With a `code`, or with single-use codes created later; without either, it applies automatically. ' +
      '`percentage` requires `percent`, `amount` requires `amountCents`, and `buyXGetY` requires `buy` and ' +
      '`get`.',
    body: DiscountInput,
    answer: [201, Item],
    errors: [errors.invalid_status, errors.duplicate_code, errors.too_many_discounts],
  },
  getDiscount: {
    method: 'GET',
    path: '/api/v1/discounts/{id}',
    access: { scope: 'discounts.read' },
    summary: 'Read a discount',
    description: '`usedCount` counts orders that are not cancelled.',
    ids,
    answer: [200, Item],
    computed,
    isRevalidated: true,
  },
  changeDiscount: {
    method: 'PATCH',
    path: '/api/v1/discounts/{id}',
    access: { scope: 'discounts.write' },
    summary: 'Change a discount',
    description: 'Omitted fields keep their values, also within objects. Placed orders do not change.',
    ids,
    body: DiscountPatch,
    answer: [200, Item],
    errors: [errors.invalid_status, errors.duplicate_code],
  },
  deleteDiscount: {
    method: 'DELETE',
    path: '/api/v1/discounts/{id}',
    access: { scope: 'discounts.write' },
    summary: 'Delete a discount with its codes',
    description: 'Orders that used it keep their discount.',
    ids,
    answer: [204, null],
  },
  createDiscountCodes: {
    method: 'POST',
    path: '/api/v1/discounts/{id}/codes',
    access: { scope: 'discounts.write' },
    summary: 'Create single-use codes',
    description:
      'A cancelled order releases its code. From now on the discount does not apply automatically.',
    ids,
    body: NewCodes,
    answer: [201, Type.Object({ codes: Type.Array(Type.String(), { examples: [['SPRING-7K2M9QX4']] }) })],
    errors: [errors.too_many_codes],
  },
  listDiscountCodes: {
    method: 'GET',
    path: '/api/v1/discounts/{id}/codes',
    access: { scope: 'discounts.read' },
    summary: 'List the single-use codes of a discount, oldest first',
    description: 'Each with the order that used it, and the time.',
    ids,
    query: CodesQuery,
    answer: [200, pageSchema('codes', DiscountCode)],
  },
  withdrawDiscountCode: {
    method: 'DELETE',
    path: '/api/v1/discounts/{id}/codes/{code}',
    access: { scope: 'discounts.write' },
    summary: 'Withdraw a single-use code',
    description: 'Also withdraws a used code. It does not come back when its order is cancelled.',
    ids,
    answer: [204, null],
  },
});
