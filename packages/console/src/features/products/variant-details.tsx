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

/** The values of the dialog. A unit whose measure is empty is none. */
interface Draft {
  compareAtCents: number | null;
  barcode: string;
  weightGrams: number | null;
  requiresShipping: boolean;
  amount: number | null;
  measure: Measure | '';
  perAmount: number | null;
  mediaId: string | null;
  customFields: FieldValues;
}

const toDraft = ({ unit, ...variant }: Variant): Draft => ({
  compareAtCents: variant.compareAtCents ?? null,
  barcode: variant.barcode ?? '',
  weightGrams: variant.weightGrams ?? null,
  requiresShipping: variant.requiresShipping ?? true,
  amount: unit?.amount ?? null,
  measure: unit?.measure ?? '',
  perAmount: unit?.perAmount ?? null,
  mediaId: variant.mediaId ?? null,
  customFields: (variant.customFields ?? {}) as FieldValues,
});

const normalizeBarcode = ({ barcode }: Draft) => barcode.replaceAll(/[\s-]/g, '');

const toChanges = (draft: Draft) => ({
  compareAtCents: draft.compareAtCents,
  barcode: normalizeBarcode(draft) || null,
  weightGrams: draft.weightGrams,
  requiresShipping: draft.requiresShipping,
  unit:
    draft.measure === ''
      ? null
      : { amount: draft.amount!, measure: draft.measure, perAmount: draft.perAmount! },
  mediaId: draft.mediaId,
  customFields: draft.customFields,
});

/** Returns the problems of the dialog by the name of their field. */
function findProblems(draft: Draft, { priceCents }: Variant, words: ReturnType<typeof useProductFormTexts>) {
  const found: Record<string, string> = {};
  const code = normalizeBarcode(draft);
  if (code !== '' && !isGtin(code)) found.barcode = words.badBarcode;
  if (draft.compareAtCents !== null && draft.compareAtCents <= priceCents)
    found.compareAt = words.badCompareAt;
  return found;
}

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
  const [draft, setDraft] = useState(() => toDraft(variant));
  const change = (changes: Partial<Draft>) => setDraft((before) => ({ ...before, ...changes }));
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({});
  function finish() {
    const found = findProblems(draft, variant, words);
    setProblems(found);
    if (Object.keys(found).length > 0) return;
    const { customFields, ...changes } = toChanges(draft);
    onDone({ ...changes, ...(definitions.length > 0 && { customFields }) });
    onClose();
  }
  return (
    <Dialog title={words.detailsOf({ name })} isOpen onClose={onClose}>
      <Form mutation={{ isPending: false, problems }} isKept onSubmit={finish}>
        <DetailFields draft={draft} onChange={change} isReadOnly={isReadOnly} />
        <UnitFields draft={draft} onChange={change} isReadOnly={isReadOnly} />
        <ImageField
          label={words.variantPicture}
          name="mediaId"
          value={draft.mediaId}
          onChange={(mediaId) => change({ mediaId })}
          isReadOnly={isReadOnly}
        />
        {definitions.length > 0 && (
          <Suspense>
            {' '}
            <Fields
              entity="variant"
              definitions={definitions}
              value={draft.customFields}
              onChange={(customFields) => change({ customFields })}
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

interface FieldsProps {
  draft: Draft;
  onChange(changes: Partial<Draft>): void;
  isReadOnly: boolean;
}

/** The compare-at price, the barcode, the weight and whether the variant is shipped. */
function DetailFields({ draft, onChange, isReadOnly }: FieldsProps) {
  const words = useProductFormTexts();
  const store = useStore();
  return (
    <Grid>
      <NumberField
        label={words.compareAt}
        hint={words.compareAtHint}
        name="compareAt"
        money={{ currency: store.currency, exponent: store.currencyExponent }}
        minValue={0}
        value={draft.compareAtCents}
        onChange={(compareAtCents) => onChange({ compareAtCents })}
        isDisabled={isReadOnly}
      />
      <TextField
        label={words.barcode}
        hint={words.barcodeHint}
        name="barcode"
        inputMode="numeric"
        value={draft.barcode}
        onChange={(barcode) => onChange({ barcode })}
        maxLength={20}
        isReadOnly={isReadOnly}
      />
      <NumberField
        label={words.weight}
        step={1}
        minValue={0}
        maxValue={productLimits.weightGrams}
        value={draft.weightGrams}
        onChange={(weightGrams) => onChange({ weightGrams })}
        isDisabled={isReadOnly}
      />
      <Switch
        label={words.requiresShipping}
        value={draft.requiresShipping}
        onChange={(requiresShipping) => onChange({ requiresShipping })}
        isDisabled={isReadOnly}
      />
    </Grid>
  );
}

/** The amount in one item, and the amount that the unit price is stated for. */
function UnitFields({ draft, onChange, isReadOnly }: FieldsProps) {
  const words = useProductFormTexts();
  return (
    <Grid>
      <Select
        label={words.unit}
        hint={words.unitHint}
        choices={[
          { id: '' as const, text: words.noUnit },
          ...unitMeasures.map((id) => ({ id, text: words.measures[id] })),
        ]}
        value={draft.measure}
        onChange={(measure) => {
          const usual = measure === 'g' || measure === 'ml' ? 100 : 1;
          onChange({ measure, perAmount: draft.perAmount ?? usual });
        }}
        isDisabled={isReadOnly}
      />
      {draft.measure !== '' && (
        <>
          <NumberField
            label={words.unitAmount}
            minValue={0.001}
            value={draft.amount}
            onChange={(amount) => onChange({ amount })}
            isRequired
            isDisabled={isReadOnly}
          />
          <NumberField
            label={words.unitPer}
            minValue={0.001}
            value={draft.perAmount}
            onChange={(perAmount) => onChange({ perAmount })}
            isRequired
            isDisabled={isReadOnly}
          />
        </>
      )}
    </Grid>
  );
}
