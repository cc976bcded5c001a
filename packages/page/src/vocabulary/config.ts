import type { ValueType } from './types.ts';

/** Values by width that are not CSS themselves, although the renderer derives CSS from them. */
export const configKeys: Readonly<Record<string, ValueType>> = {
  hidden: { kind: 'boolean', type: 'boolean' },
  columns: { kind: 'number', type: 'integer', minimum: 1, maximum: 12 },
  perRow: { kind: 'number', type: 'integer', minimum: 1, maximum: 12 },
  ratio: {
    kind: 'choice',
    type: 'string',
    enum: ['auto', '1/1', '4/3', '3/2', '16/9', '21/9', '3/4', '2/3', '9/16'],
  },
  direction: {
    kind: 'choice',
    type: 'string',
    enum: ['row', 'column', 'row-reverse', 'column-reverse'],
  },
  collapse: { kind: 'boolean', type: 'boolean' },
};
