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
      description: 'What is added to the stock, or taken from it. 0 changes nothing.',
      examples: [-2],
    }),
    reason: Type.Optional(Type.String({ maxLength: 200, description: 'Why; the event tells it.' })),
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
      'Whatever is sold or changed meanwhile, nothing of it is overwritten. More than is left is not taken: ' +
      '`409 out_of_stock` names the variant in `variants`, with `available`: whether any is left. Emits ' +
      '`product.updated`, whose `data.stockChange` tells the variant, the difference and the reason.',
    ids: { id: 'product', variantId: 'variant' },
    body: StockAdjustment,
    answer: [200, Type.Object({ product: Product })],
    errors: [errors.out_of_stock],
  },
});
