import { Product } from '@waybill/contracts';
import { defineRoutes } from '@waybill/kernel';
import Type, { type Static } from 'typebox';
import { errors } from '../errors.ts';
import { maxStock } from '../products/routes.ts';

const StockAdjustment = Type.Object(
  {
    delta: Type.Integer({
      minimum: -maxStock,
      maximum: maxStock,
      description: 'The amount to add to the stock; negative to remove. 0 changes nothing.',
      examples: [-2],
    }),
    reason: Type.Optional(Type.String({ maxLength: 200, description: 'The reason; included in the event.' })),
  },
  { $id: 'StockAdjustment' },
);
export type StockAdjustment = Static<typeof StockAdjustment>;

export const routes = defineRoutes({
  adjustStock: {
    method: 'POST',
    path: '/api/v1/products/{id}/variants/{variantId}/stock',
    access: { scope: 'products.write' },
    summary: 'Change the stock of a variant by a difference',
    description:
      'Does not overwrite concurrent sales or changes. Stock cannot fall below zero: `409 out_of_stock` lists ' +
      'the variant in `variants`, with `available`, which tells whether any is left. Emits `product.updated`, ' +
      'whose `data.stockChange` contains the variant, the difference and the reason.',
    ids: { id: 'product', variantId: 'variant' },
    body: StockAdjustment,
    answer: [200, Type.Object({ product: Product })],
    errors: [errors.out_of_stock],
  },
});
