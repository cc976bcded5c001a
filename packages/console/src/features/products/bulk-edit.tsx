import { productLimits } from '@waybill/contracts/product-limits';
import { useState } from 'react';
import { useStore } from '../../api/me.ts';
import { useCommon } from '../../texts/common.ts';
import { useFormats } from '../../texts/format.ts';
import { Button } from '../../ui/button.tsx';
import { Form } from '../../ui/form.tsx';
import { NumberField } from '../../ui/number-field.tsx';
import { Actions, Dialog } from '../../ui/overlays.tsx';
import { Select } from '../../ui/select.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { useProductFormTexts } from './form-texts.ts';
import { type BulkChange, type Option, skuByPattern, type Variant } from './options.ts';

type Field = 'price' | 'compareAt' | 'stock' | 'sku' | 'weight' | 'shipping';
type By = 'set' | 'add' | 'percent';

/** Returns the change of a field. Its value has been checked by the form. */
function createChange(
  field: Field,
  { by, value, pattern, shipping }: { by: By; value: number | null; pattern: string; shipping: string },
): BulkChange {
  switch (field) {
    case 'price':
      return { price: { by, value: value! } };
    case 'compareAt':
      return { compareAtCents: value };
    case 'stock':
      return { stock: { by: by === 'percent' ? 'set' : by, value: value! } };
    case 'sku':
      return { skuPattern: pattern };
    case 'weight':
      return { weightGrams: value };
    case 'shipping':
      return { requiresShipping: shipping === 'yes' };
  }
}

/** Changes a field of many variants at once. */
export function BulkEdit({
  count,
  options,
  samples,
  product,
  onApply,
  onClose,
}: {
  count: number;
  options: readonly Option[];
  /** The first of the selected variants with their positions, for a preview. */
  samples: readonly (readonly [place: number, variant: Variant])[];
  product: string;
  onApply(change: BulkChange): void;
  onClose(): void;
}) {
  const words = useProductFormTexts();
  const common = useCommon();
  const [field, setField] = useState<Field>('price');
  const [by, setBy] = useState<By>('set');
  const [value, setValue] = useState<number | null>(null);
  const [pattern, setPattern] = useState(['{product}', ...options.map(({ name }) => `{${name}}`)].join('-'));
  const [shipping, setShipping] = useState('yes');
  const ways: readonly By[] = field === 'price' ? ['set', 'add', 'percent'] : ['set', 'add'];
  return (
    <Dialog title={words.bulkTitle({ count })} isOpen onClose={onClose}>
      <Form
        onSubmit={() => {
          onApply(createChange(field, { by, value, pattern, shipping }));
          onClose();
        }}
      >
        <Select
          label={words.bulkField}
          choices={(['price', 'compareAt', 'stock', 'sku', 'weight', 'shipping'] as const).map((id) => ({
            id,
            text: words.bulkFields[id],
          }))}
          value={field}
          onChange={(next) => {
            setField(next);
            setBy('set');
            setValue(null);
          }}
        />
        {(field === 'price' || field === 'stock') && (
          <Select
            label={words.bulkHow}
            choices={ways.map((id) => ({ id, text: words.bulkWays[id] }))}
            value={by}
            onChange={(next) => {
              setBy(next);
              setValue(null);
            }}
          />
        )}
        {field !== 'sku' && field !== 'shipping' && (
          <AmountField
            // Money, percentages and quantities have input rules of their own.
            key={`${field} ${by}`}
            field={field}
            by={by}
            value={value}
            onChange={setValue}
          />
        )}
        {field === 'sku' && (
          <SkuPatternField
            pattern={pattern}
            onChange={setPattern}
            options={options}
            preview={samples
              .slice(0, 3)
              .map(([place, variant]) => skuByPattern(pattern, { product, variant, place }))}
            hasMore={count > 3}
          />
        )}
        {field === 'shipping' && (
          <Select
            label={words.requiresShipping}
            choices={[
              { id: 'yes', text: words.yesNo.yes },
              { id: 'no', text: words.yesNo.no },
            ]}
            value={shipping}
            onChange={setShipping}
          />
        )}
        <Actions>
          <Button onPress={onClose}>{common.cancel}</Button>
          <Button look="primary" type="submit">
            {words.bulkApply({ count })}
          </Button>
        </Actions>
      </Form>
    </Dialog>
  );
}

/** A price, a percentage or a quantity. */
function AmountField({
  field,
  by,
  value,
  onChange,
}: {
  field: Exclude<Field, 'sku' | 'shipping'>;
  by: By;
  value: number | null;
  onChange(value: number | null): void;
}) {
  const words = useProductFormTexts();
  const store = useStore();
  const money = { currency: store.currency, exponent: store.currencyExponent };
  const isMoney = (field === 'price' && by !== 'percent') || field === 'compareAt';
  const isOptional = field === 'compareAt' || field === 'weight';
  return (
    <NumberField
      label={field === 'price' && by === 'percent' ? words.percent : words.bulkFields[field]}
      {...(isOptional && { hint: words.bulkEmpty })}
      value={value}
      onChange={onChange}
      isRequired={!isOptional}
      {...(isMoney && { money })}
      {...((field === 'stock' || field === 'weight') && { step: 1 })}
      {...(by === 'set' && { minValue: 0 })}
      {...(field === 'weight' && { maxValue: productLimits.weightGrams })}
    />
  );
}

/** The pattern of SKUs, and the SKUs that the first variants get by it. */
function SkuPatternField({
  pattern,
  onChange,
  options,
  preview,
  hasMore,
}: {
  pattern: string;
  onChange(pattern: string): void;
  options: readonly Option[];
  preview: readonly string[];
  hasMore: boolean;
}) {
  const words = useProductFormTexts();
  const formats = useFormats();
  return (
    <>
      <TextField
        label={words.skuPattern}
        hint={words.skuPatternHint({
          names: ['product', ...options.map(({ name }) => name), 'n'].map((name) => `{${name}}`).join(' '),
        })}
        value={pattern}
        onChange={onChange}
        isRequired
        maxLength={300}
      />
      <p>
        {formats.list(preview)}
        {hasMore && ' …'}
      </p>
    </>
  );
}
