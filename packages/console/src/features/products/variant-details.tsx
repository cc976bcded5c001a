import { isGtin, productLimits, unitMeasures } from '@waybill/contracts/product-limits';
import { lazy, Suspense, useState } from 'react';
import { useStore } from '../../api/me.ts';
import type { CustomField, FieldValues } from '../../shell/custom-fields/queries.ts';
import { ImageField } from '../../shell/image-field.tsx';
import { useCommon } from '../../texts/common.ts';
import { Button } from '../../ui/button.tsx';
import { Form } from '../../ui/form.tsx';
import { Grid } from '../../ui/layout.tsx';
import { NumberField } from '../../ui/number-field.tsx';
import { Actions, Dialog } from '../../ui/overlays.tsx';
import { Select } from '../../ui/select.tsx';
import { Switch } from '../../ui/switch.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { useProductFormTexts } from './form-texts.ts';
import type { Variant } from './options.ts';

/** Loads on demand, because most stores have no custom fields for variants. */
const Fields = lazy(async () => ({ default: (await import('../../shell/custom-fields/fields.tsx')).Fields }));

type Measure = (typeof unitMeasures)[number];

/** The further fields of a variant, saved with its product. */
export function VariantDetails({
  name,
  variant,
  definitions,
  onDone,
  onClose,
  isReadOnly,
}: {
  name: string;
  variant: Variant;
  definitions: readonly CustomField[];
  onDone(changes: Partial<Variant>): void;
  onClose(): void;
  isReadOnly: boolean;
}) {
  const words = useProductFormTexts();
  const common = useCommon();
  const store = useStore();
  const { unit } = variant;
  const [compareAtCents, setCompareAt] = useState(variant.compareAtCents ?? null);
  const [barcode, setBarcode] = useState(variant.barcode ?? '');
  const [weightGrams, setWeight] = useState(variant.weightGrams ?? null);
  const [requiresShipping, setShipping] = useState(variant.requiresShipping ?? true);
  const [amount, setAmount] = useState(unit?.amount ?? null);
  const [measure, setMeasure] = useState<Measure | ''>(unit?.measure ?? '');
  const [perAmount, setPerAmount] = useState(unit?.perAmount ?? null);
  const [mediaId, setMedia] = useState(variant.mediaId ?? null);
  const [customFields, setFields] = useState((variant.customFields ?? {}) as FieldValues);
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({});
  function finish() {
    const code = barcode.replaceAll(/[\s-]/g, '');
    const found: Record<string, string> = {};
    if (code !== '' && !isGtin(code)) found.barcode = words.badBarcode;
    if (compareAtCents !== null && compareAtCents <= variant.priceCents) found.compareAt = words.badCompareAt;
    setProblems(found);
    if (Object.keys(found).length > 0) return;
    onDone({
      compareAtCents,
      barcode: code || null,
      weightGrams,
      requiresShipping,
      unit: measure === '' ? null : { amount: amount!, measure, perAmount: perAmount! },
      mediaId,
      ...(definitions.length > 0 && { customFields }),
    });
    onClose();
  }
  return (
    <Dialog title={words.detailsOf(name)} isOpen onClose={onClose}>
      <Form mutation={{ isPending: false, problems }} isKept onSubmit={finish}>
        <Grid>
          <NumberField
            label={words.compareAt}
            hint={words.compareAtHint}
            name="compareAt"
            money={{ currency: store.currency, exponent: store.currencyExponent }}
            minValue={0}
            value={compareAtCents}
            onChange={setCompareAt}
            isDisabled={isReadOnly}
          />
          <TextField
            label={words.barcode}
            hint={words.barcodeHint}
            name="barcode"
            inputMode="numeric"
            value={barcode}
            onChange={setBarcode}
            maxLength={20}
            isReadOnly={isReadOnly}
          />
          <NumberField
            label={words.weight}
            step={1}
            minValue={0}
            maxValue={productLimits.weightGrams}
            value={weightGrams}
            onChange={setWeight}
            isDisabled={isReadOnly}
          />
          <Switch
            label={words.requiresShipping}
            value={requiresShipping}
            onChange={setShipping}
            isDisabled={isReadOnly}
          />
        </Grid>
        <Grid>
          <Select
            label={words.unit}
            hint={words.unitHint}
            choices={[
              { id: '' as const, text: words.noUnit },
              ...unitMeasures.map((id) => ({ id, text: words.measures[id] })),
            ]}
            value={measure}
            onChange={(next) => {
              setMeasure(next);
              if (perAmount === null) setPerAmount(next === 'g' || next === 'ml' ? 100 : 1);
            }}
            isDisabled={isReadOnly}
          />
          {measure !== '' && (
            <>
              <NumberField
                label={words.unitAmount}
                minValue={0.001}
                value={amount}
                onChange={setAmount}
                isRequired
                isDisabled={isReadOnly}
              />
              <NumberField
                label={words.unitPer}
                minValue={0.001}
                value={perAmount}
                onChange={setPerAmount}
                isRequired
                isDisabled={isReadOnly}
              />
            </>
          )}
        </Grid>
        <ImageField
          label={words.variantPicture}
          name="mediaId"
          value={mediaId}
          onChange={setMedia}
          isReadOnly={isReadOnly}
        />
        {definitions.length > 0 && (
          <Suspense>
            {' '}
            <Fields
              entity="variant"
              definitions={definitions}
              value={customFields}
              onChange={setFields}
              isReadOnly={isReadOnly}
            />
          </Suspense>
        )}
        <Actions>
          <Button onPress={onClose}>{common.cancel}</Button>
          {!isReadOnly && (
            <Button look="primary" type="submit">
              {words.done}
            </Button>
          )}
        </Actions>
      </Form>
    </Dialog>
  );
}
