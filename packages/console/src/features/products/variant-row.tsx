import { memo, type RefObject } from 'react';
import { useStore } from '../../api/me.ts';
import { useCommon } from '../../texts/common.ts';
import { Checkbox } from '../../ui/checkbox.tsx';
import { NumberField } from '../../ui/number-field.tsx';
import { ActionMenu } from '../../ui/overlays.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { useProductFormTexts } from './form-texts.ts';
import type { Variant } from './options.ts';
import style from './products.module.css';
import type { Product } from './queries.ts';
import { useProductTexts } from './texts.ts';

/** Handlers of the grid that its rows call with their position. */
export interface RowHandlers {
  set(position: number, changes: Partial<Variant>): void;
  open(position: number): void;
  adjust(variant: Product['variants'][number]): void;
  remove(position: number): void;
  choose(position: number, isChosen: boolean): void;
}

/** Returns the changes for a new price. A compare-at price that is no longer higher is removed. */
const priced = ({ compareAtCents }: Variant, priceCents: number): Partial<Variant> => ({
  priceCents,
  ...(compareAtCents != null && compareAtCents <= priceCents && { compareAtCents: null }),
});

interface VariantRowProps {
  position: number;
  variant: Variant;
  name: string;
  stock: number;
  stored: Product['variants'][number] | undefined;
  /** Whether the options give the variant its name. */
  isNamed: boolean;
  isAdded: boolean;
  /** Null: rows cannot be selected. */
  isChosen: boolean | null;
  canWrite: boolean;
  handlers: RefObject<RowHandlers>;
}

/** A variant's row, which renders independently of the others. */
export const VariantRow = memo(function VariantRow({
  position,
  variant,
  name,
  stock,
  stored,
  isNamed,
  isAdded,
  isChosen,
  canWrite,
  handlers,
}: VariantRowProps) {
  const words = useProductTexts();
  const form = useProductFormTexts();
  const store = useStore();
  const set = (changes: Partial<Variant>) => handlers.current.set(position, changes);
  return (
    <fieldset
      className={`${style.variant} ${isChosen === null ? '' : style.many}`}
      aria-label={name}
      data-position={position}
    >
      {isChosen !== null && (
        <span className={style.choice}>
          <Checkbox
            label={<span className={style.unseen}>{form.selectVariant({ name })}</span>}
            value={isChosen}
            onChange={(isNow) => handlers.current.choose(position, isNow)}
          />
        </span>
      )}
      {isNamed ? (
        <span className={style.title}>{name}</span>
      ) : (
        <TextField
          label={words.variantName}
          name={`/variants/${position}/name`}
          value={variant.name ?? ''}
          onChange={(next) => set({ name: next })}
          isReadOnly={!canWrite}
          maxLength={200}
          autoFocus={isAdded}
        />
      )}
      <TextField
        label={words.sku}
        name={`/variants/${position}/sku`}
        value={variant.sku ?? ''}
        onChange={(sku) => set({ sku: sku || null })}
        isReadOnly={!canWrite}
        maxLength={100}
      />
      <NumberField
        label={words.price}
        name={`/variants/${position}/priceCents`}
        money={{ currency: store.currency, exponent: store.currencyExponent }}
        minValue={0}
        value={variant.priceCents}
        onChange={(priceCents) => priceCents !== null && set(priced(variant, priceCents))}
        isRequired
        isDisabled={!canWrite}
      />
      <NumberField
        label={words.stock}
        name={`/variants/${position}/stock`}
        minValue={0}
        step={1}
        value={stock}
        onChange={(next) => next !== null && set({ stock: next })}
        isRequired
        isDisabled={!canWrite}
      />
      <VariantMenu position={position} name={name} stored={stored} canWrite={canWrite} handlers={handlers} />
    </fieldset>
  );
});

function VariantMenu({
  position,
  name,
  stored,
  canWrite,
  handlers,
}: Pick<VariantRowProps, 'position' | 'name' | 'stored' | 'canWrite' | 'handlers'>) {
  const words = useProductTexts();
  const common = useCommon();
  const form = useProductFormTexts();
  return (
    <ActionMenu
      label={common.actionsFor({ thing: name })}
      actions={[
        { id: 'details', text: form.details, onAction: () => handlers.current.open(position) },
        ...(canWrite && stored
          ? [
              {
                id: 'stock',
                text: words.adjustStock,
                onAction: () => handlers.current.adjust(stored),
              },
            ]
          : []),
        ...(canWrite
          ? [
              {
                id: 'remove',
                text: words.removeVariant({ name }),
                isDanger: true,
                onAction: () => handlers.current.remove(position),
              },
            ]
          : []),
      ]}
    />
  );
}
