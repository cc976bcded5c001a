import { productLimits } from '@waybill/contracts/product-limits';
import { lazy, type RefObject, Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { useDefinitions } from '../../shell/custom-fields/custom-fields.tsx';
import { useCommon } from '../../texts/common.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { useLatest } from '../../ui/latest.ts';
import { Card, Row } from '../../ui/layout.tsx';
import { Windowed, type WindowedHandle } from '../../ui/windowed.tsx';
import { AdjustStock } from './adjust-stock.tsx';
import { findChosen, toVariantKeys, type VariantKey } from './chosen-variants.ts';
import { useProductFormTexts } from './form-texts.ts';
import { blankVariant, getVariantTitle, type Variant, withBulk } from './options.ts';
import style from './products.module.css';
import type { Product, ProductInput } from './queries.ts';
import { isTyped, type Read } from './saving.ts';
import { useProductTexts } from './texts.ts';
import { Faults, PasteDialog, usePasting } from './variant-pasting.tsx';
import { type RowHandlers, VariantRow } from './variant-row.tsx';

// Dialogs and details load when they are opened.
const VariantDetails = lazy(async () => ({
  default: (await import('./variant-details.tsx')).VariantDetails,
}));
const BulkEdit = lazy(async () => ({ default: (await import('./bulk-edit.tsx')).BulkEdit }));
const OptionsEditor = lazy(async () => ({ default: (await import('./options-card.tsx')).OptionsEditor }));

/** Returns a variant's stored version and its stock, which is the stored one unless the user has typed another. */
function useStocks(base: Read | null, present: Product | null) {
  const storedById = useMemo(
    () => new Map(present?.variants.map((variant) => [variant.id, variant])),
    [present],
  );
  const findStored = ({ id }: Variant) => storedById.get(String(id));
  const getStock = (variant: Variant) =>
    base && !isTyped(variant, base)
      ? (findStored(variant)?.stock ?? variant.stock ?? 0)
      : (variant.stock ?? 0);
  return { findStored, getStock };
}

/** Scrolls to the first refused row, which may be far away. */
function useScrollToRefused(
  problems: Readonly<Record<string, string>>,
  rows: RefObject<WindowedHandle | null>,
): void {
  useEffect(() => {
    const refused = Object.keys(problems).flatMap(
      (pointer) => /^\/variants\/(\d+)\//.exec(pointer)?.[1] ?? [],
    );
    if (refused.length > 0) rows.current?.show(Math.min(...refused.map(Number)));
  }, [problems, rows]);
}

interface VariantsProps {
  value: ProductInput;
  /** Problems of a refused save, by JSON pointer. */
  problems: Readonly<Record<string, string>>;
  /** `base` is the version that the edits are based on, `present` the current one, whose stock may differ. */
  base: Read | null;
  present: Product | null;
  change(changes: Partial<ProductInput>): void;
  canWrite: boolean;
}

/** The grid of a product's variants. Spreadsheet rows can be pasted at the cursor. */
export function Variants({ value, base, present, problems, change, canWrite }: VariantsProps) {
  const words = useProductTexts();
  const form = useProductFormTexts();
  const definitions = useDefinitions('variant');
  /** Position of a row that was just added; its first field takes the focus. */
  const [added, setAdded] = useState<number | null>(null);
  const [adjusted, setAdjusted] = useState<Product['variants'][number] | null>(null);
  /** Position of the row whose details are open. */
  const [opened, setOpened] = useState<number | null>(null);
  const rows = useRef<WindowedHandle>(null);
  useScrollToRefused(problems, rows);
  const { findStored, getStock } = useStocks(base, present);
  const variants = value.variants ?? [];
  const options = value.options ?? [];
  const { chosen, setChosen, changeRows, changeInPlace } = useRowChanges(variants, change);
  const pasting = usePasting(variants, (pasted) => change({ variants: pasted }));
  const isMany = variants.length > 1 && canWrite;
  const getVariantName = (variant: Variant, position: number) =>
    getVariantTitle(options, variant) || `${words.variantName} ${position + 1}`;
  // Rows get stable handlers, so that typing in one row renders only that row.
  const handlers = useLatest<RowHandlers>({
    set: (position, changes) => changeInPlace(withChanged(variants, position, changes)),
    open: setOpened,
    adjust: setAdjusted,
    remove: (position) => changeRows({ variants: variants.filter((_, at) => at !== position) }),
    choose: (position, isChosen) => setChosen(withChosen(chosen, position, isChosen)),
  });
  return (
    <Card title={words.variants}>
      <p>{options.length > 0 ? form.optionsHint : words.variantsHint}</p>
      {pasting.fault.length > 0 && <Faults fault={pasting.fault} />}
      <Suspense>
        <OptionsEditor options={options} variants={variants} change={changeRows} canWrite={canWrite} />
      </Suspense>
      {isMany && (
        <SelectionBar
          value={value}
          chosen={chosen}
          getStock={getStock}
          onChoose={setChosen}
          onEdit={changeInPlace}
          onRemove={(left) => changeRows({ variants: left })}
        />
      )}
      <div role="presentation" {...(canWrite && { onPaste: pasting.onPaste })}>
        <Windowed count={variants.length} handle={rows}>
          {(position) => (
            <VariantRow
              key={position}
              position={position}
              variant={variants[position]!}
              name={getVariantName(variants[position]!, position)}
              stock={getStock(variants[position]!)}
              stored={findStored(variants[position]!)}
              isNamed={options.length > 0}
              isAdded={position === added}
              isChosen={isMany ? chosen.has(position) : null}
              canWrite={canWrite}
              handlers={handlers}
            />
          )}
        </Windowed>
      </div>
      {canWrite && (
        <NewRows
          hasOptions={options.length > 0}
          variants={variants}
          pasting={pasting}
          onAdd={() => {
            setAdded(variants.length);
            change({ variants: [...variants, { ...blankVariant }] });
          }}
        />
      )}
      {opened !== null && variants[opened] && (
        <Suspense>
          <VariantDetails
            name={getVariantName(variants[opened], opened)}
            variant={variants[opened]}
            definitions={definitions}
            onDone={(changes) => changeInPlace(withChanged(variants, opened, changes))}
            onClose={() => setOpened(null)}
            isReadOnly={!canWrite}
          />
        </Suspense>
      )}
      {adjusted && present && (
        <AdjustStock product={present} variant={adjusted} onClose={() => setAdjusted(null)} />
      )}
    </Card>
  );
}

/** Changes the rows of the grid, and keeps track of the selected ones. */
function useRowChanges(variants: readonly Variant[], change: VariantsProps['change']) {
  const { chosen, setChosen, keepChosen } = useChosen(variants);
  return {
    chosen,
    setChosen,
    /** Changes which variants there are, which ends the selection. */
    changeRows(changes: Partial<ProductInput>) {
      setChosen(new Set());
      change(changes);
    },
    /** Changes variants that keep their positions. */
    changeInPlace(changed: Variant[]) {
      keepChosen(changed);
      change({ variants: changed });
    },
  };
}

/** The positions of the selected variants. They follow their rows when the form is discarded or read again. */
function useChosen(variants: readonly Variant[]) {
  const [keys, setKeys] = useState<ReadonlySet<VariantKey>>(new Set());
  const chosen = useMemo(() => findChosen(variants, keys), [variants, keys]);
  return {
    chosen,
    setChosen: (positions: ReadonlySet<number>) => setKeys(toVariantKeys(variants, positions)),
    /** Selects the same positions of changed rows. */
    keepChosen(changed: readonly Variant[]) {
      if (chosen.size > 0) setKeys(toVariantKeys(changed, chosen));
    },
  };
}

const withChanged = (variants: readonly Variant[], position: number, changes: Partial<Variant>) =>
  variants.map((variant, at) => (at === position ? { ...variant, ...changes } : variant));

function withChosen(chosen: ReadonlySet<number>, position: number, isChosen: boolean): ReadonlySet<number> {
  const next = new Set(chosen);
  if (isChosen) next.add(position);
  else next.delete(position);
  return next;
}

/** Selects variants, and edits or removes those that are selected. */
function SelectionBar({
  value,
  chosen,
  getStock,
  onChoose,
  onEdit,
  onRemove,
}: {
  value: ProductInput;
  /** Positions of the selected variants. */
  chosen: ReadonlySet<number>;
  getStock(variant: Variant): number;
  onChoose(chosen: ReadonlySet<number>): void;
  onEdit(variants: Variant[]): void;
  /** Gets the variants that are left. */
  onRemove(variants: Variant[]): void;
}) {
  const common = useCommon();
  const form = useProductFormTexts();
  const [isEditing, setEditing] = useState(false);
  const variants = value.variants ?? [];
  return (
    <>
      <div className={style.bulk}>
        <Checkbox
          label={
            chosen.size > 0
              ? common.selected({ count: chosen.size })
              : form.selectAll({ count: variants.length })
          }
          value={chosen.size === variants.length}
          isIndeterminate={chosen.size > 0 && chosen.size < variants.length}
          onChange={(isAll) => onChoose(new Set(isAll ? variants.keys() : []))}
        />
        <Row>
          <Button size="small" isDisabled={chosen.size === 0} onPress={() => setEditing(true)}>
            {form.editMany}
          </Button>
          <Button
            size="small"
            isDisabled={chosen.size === 0 || chosen.size === variants.length}
            onPress={() => onRemove(variants.filter((_, at) => !chosen.has(at)))}
          >
            {form.removeMany}
          </Button>
        </Row>
      </div>
      {isEditing && (
        <Suspense>
          <BulkEdit
            count={chosen.size}
            options={value.options ?? []}
            samples={[...chosen]
              .toSorted((one, other) => one - other)
              .slice(0, 3)
              .flatMap((at) => (variants[at] ? [[at + 1, variants[at]] as const] : []))}
            product={value.name}
            onApply={(bulk) => {
              const current = variants.map((variant) => ({ ...variant, stock: getStock(variant) }));
              onEdit(withBulk(current, chosen, bulk, value.name));
            }}
            onClose={() => setEditing(false)}
          />
        </Suspense>
      )}
    </>
  );
}

/** Adds variants one by one or from a spreadsheet. The variants of options are generated instead. */
function NewRows({
  hasOptions,
  variants,
  pasting,
  onAdd,
}: {
  hasOptions: boolean;
  variants: readonly Variant[];
  pasting: ReturnType<typeof usePasting>;
  onAdd(): void;
}) {
  const words = useProductTexts();
  const [isPasting, setPasting] = useState(false);
  const isBlank = variants.length === 1 && JSON.stringify(variants[0]) === JSON.stringify(blankVariant);
  const showDialog = (isShown: boolean) => {
    pasting.clearFault();
    setPasting(isShown);
  };
  return (
    <>
      <Row>
        {!hasOptions && (
          <Button isDisabled={variants.length >= productLimits.variants} onPress={onAdd}>
            {words.addVariant}
          </Button>
        )}
        {!hasOptions && <Button onPress={() => showDialog(true)}>{words.pasteRows}</Button>}
      </Row>
      {isPasting && (
        <PasteDialog
          fault={pasting.fault}
          onPaste={(text) => pasting.paste(text, isBlank ? 0 : variants.length, 'name')}
          onClose={() => showDialog(false)}
        />
      )}
    </>
  );
}
