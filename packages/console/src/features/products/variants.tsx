import { currencyExponent } from '@waybill/contracts/currencies';
import { productLimits } from '@waybill/contracts/product-limits';
import {
  type ClipboardEvent,
  lazy,
  memo,
  type RefObject,
  Suspense,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { api } from '../../api/client.ts';
import { useStore } from '../../api/me.ts';
import { useMutation } from '../../api/mutation.ts';
import { useDefinitions } from '../../shell/custom-fields/custom-fields.tsx';
import { useCommon } from '../../texts/common.ts';
import { useFormats } from '../../texts/format.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Form } from '../../ui/form.tsx';
import { Card, Facts, Notice, Row } from '../../ui/layout.tsx';
import { NumberField } from '../../ui/number-field.tsx';
import { ActionMenu, Actions, Dialog } from '../../ui/overlays.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { Windowed, type WindowedHandle } from '../../ui/windowed.tsx';
import { useProductFormTexts } from './form-texts.ts';
import { titleOf, type Variant, withBulk } from './options.ts';
import type { PasteColumn, PasteProblem } from './paste.ts';
import style from './products.module.css';
import { type Product, type ProductInput, productsKey } from './queries.ts';
import { isTyped, type Read } from './saving.ts';
import { useProductTexts } from './texts.ts';

// Dialogs and details load when they are opened.
const VariantDetails = lazy(async () => ({
  default: (await import('./variant-details.tsx')).VariantDetails,
}));
const BulkEdit = lazy(async () => ({ default: (await import('./bulk-edit.tsx')).BulkEdit }));
const OptionsEditor = lazy(async () => ({ default: (await import('./options-card.tsx')).OptionsEditor }));

const blank: Variant = { name: '', sku: null, priceCents: 0, stock: 0 };
const maxVariants = productLimits.variants;
const pasteColumns: readonly PasteColumn[] = ['name', 'sku', 'priceCents', 'stock'];

/** Returns the changes for a new price. A compare-at price that is no longer higher is removed. */
const priced = ({ compareAtCents }: Variant, priceCents: number): Partial<Variant> => ({
  priceCents,
  ...(compareAtCents != null && compareAtCents <= priceCents && { compareAtCents: null }),
});

/** Whether a pasted text comes from a spreadsheet, that is, has more than one cell. */
const isTable = (text: string) => /[\t\n]/.test(text.trim());

/** The grid of a product's variants. Spreadsheet rows can be pasted at the cursor. */
export function Variants({
  value,
  base,
  present,
  problems,
  change,
  canWrite,
}: {
  value: ProductInput;
  /** Problems of a refused save, by JSON pointer. */
  problems: Readonly<Record<string, string>>;
  /** `base` is the version that the edits are based on, `present` the current one, whose stock may differ. */
  base: Read | null;
  present: Product | null;
  change(changes: Partial<ProductInput>): void;
  canWrite: boolean;
}) {
  const words = useProductTexts();
  const common = useCommon();
  const store = useStore();
  const [fault, setFault] = useState<readonly string[]>([]);
  const [isPasting, setPasting] = useState(false);
  /** Position of a row that was just added; its first field takes the focus. */
  const [added, setAdded] = useState<number | null>(null);
  const [adjusted, setAdjusted] = useState<Product['variants'][number] | null>(null);
  const fields = useDefinitions('variant');
  /** Position of the row whose details are open. */
  const [opened, setOpened] = useState<number | null>(null);
  const form = useProductFormTexts();
  const formats = useFormats();
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set());
  const [isEditingMany, setEditingMany] = useState(false);
  const rows = useRef<WindowedHandle>(null);
  const variants = value.variants ?? [];
  const options = value.options ?? [];
  // Scrolls to the first refused row, which may be far away.
  useEffect(() => {
    const refused = Object.keys(problems).flatMap(
      (pointer) => /^\/variants\/(\d+)\//.exec(pointer)?.[1] ?? [],
    );
    if (refused.length > 0) rows.current?.show(Math.min(...refused.map(Number)));
  }, [problems]);
  const set = (position: number, changes: Partial<Variant>) =>
    change({
      variants: variants.map((variant, at) => (at === position ? { ...variant, ...changes } : variant)),
    });
  const storedById = useMemo(
    () => new Map(present?.variants.map((variant) => [variant.id, variant])),
    [present],
  );
  const stored = ({ id }: Variant) => storedById.get(String(id));
  const stockOf = (variant: Variant) =>
    base && !isTyped(variant, base) ? (stored(variant)?.stock ?? variant.stock ?? 0) : (variant.stock ?? 0);

  /** Pastes rows; returns false if nothing was pasted, after showing the reason. */
  async function paste(text: string, position: number, column: PasteColumn): Promise<boolean> {
    const { readPasted } = await import('./paste.ts');
    const { variants: pasted, problems } = readPasted(text, column, currencyExponent(store.currency));
    const count = Math.max(variants.length, position + pasted.length);
    if (problems.length > 0 || count > maxVariants) {
      setFault(count > maxVariants ? [words.tooManyVariants] : problems.slice(0, 10).map(describe));
      return false;
    }
    setFault([]);
    const all = Array.from({ length: count }, (_, at) => ({
      ...(variants[at] ?? blank),
      ...pasted[at - position],
    }));
    change({ variants: all });
    return true;
  }
  const describe = ({ row, column, value: cell }: PasteProblem) =>
    words.pasteProblem(row, words.pasteColumns[column], cell);

  function onPaste(event: ClipboardEvent<HTMLElement>) {
    const text = event.clipboardData.getData('text/plain');
    const row = (event.target as HTMLElement).closest('fieldset');
    if (!canWrite || !row || !isTable(text)) return;
    event.preventDefault();
    const fields = [...row.querySelectorAll('input:not([type=hidden])')];
    const column = pasteColumns[fields.indexOf(event.target as Element)] ?? 'name';
    void paste(text, Number(row.dataset.position), column);
  }

  const isBlank = variants.length === 1 && JSON.stringify(variants[0]) === JSON.stringify(blank);
  const hasOptions = options.length > 0;
  const many = variants.length > 1 && canWrite;
  const remove = (position: number) => {
    setChosen(new Set());
    change({ variants: variants.filter((_, at) => at !== position) });
  };
  const nameOf = (variant: Variant, position: number) =>
    titleOf(options, variant) || `${words.variantName} ${position + 1}`;
  // Rows get stable handlers, so that typing in one row renders only that row.
  const handlers: RowHandlers = {
    set,
    open: setOpened,
    adjust: setAdjusted,
    remove,
    choose(position, isChosen) {
      const next = new Set(chosen);
      if (isChosen) next.add(position);
      else next.delete(position);
      setChosen(next);
    },
  };
  const latest = useRef(handlers);
  useLayoutEffect(() => {
    latest.current = handlers;
  });
  const rowOf = (position: number) => {
    const variant = variants[position]!;
    return (
      <VariantRow
        key={position}
        position={position}
        variant={variant}
        name={nameOf(variant, position)}
        stock={stockOf(variant)}
        stored={stored(variant)}
        isNamed={hasOptions}
        isAdded={position === added}
        isChosen={many ? chosen.has(position) : null}
        canWrite={canWrite}
        handlers={latest}
      />
    );
  };
  return (
    <Card title={words.variants}>
      <p>{hasOptions ? form.optionsHint : words.variantsHint}</p>
      {fault.length > 0 && <Faults fault={fault} />}
      <Suspense>
        <OptionsEditor
          options={options}
          variants={variants}
          change={(changes) => {
            setChosen(new Set());
            change(changes);
          }}
          canWrite={canWrite}
        />
      </Suspense>
      {many && (
        <div className={style.bulk}>
          <Checkbox
            label={
              chosen.size > 0
                ? common.selected(formats.number(chosen.size))
                : form.selectAll(formats.number(variants.length))
            }
            value={chosen.size === variants.length}
            isIndeterminate={chosen.size > 0 && chosen.size < variants.length}
            onChange={(isAll) => setChosen(new Set(isAll ? variants.keys() : []))}
          />
          <Row>
            <Button size="small" isDisabled={chosen.size === 0} onPress={() => setEditingMany(true)}>
              {form.editMany}
            </Button>
            <Button
              size="small"
              isDisabled={chosen.size === 0 || chosen.size === variants.length}
              onPress={() => {
                setChosen(new Set());
                change({ variants: variants.filter((_, at) => !chosen.has(at)) });
              }}
            >
              {form.removeMany}
            </Button>
          </Row>
        </div>
      )}
      <div role="presentation" onPaste={onPaste}>
        <Windowed count={variants.length} handle={rows}>
          {rowOf}
        </Windowed>
      </div>
      {canWrite && (
        <Row>
          {!hasOptions && (
            <Button
              isDisabled={variants.length >= maxVariants}
              onPress={() => {
                setAdded(variants.length);
                change({ variants: [...variants, { ...blank }] });
              }}
            >
              {words.addVariant}
            </Button>
          )}
          {!hasOptions && (
            <Button
              onPress={() => {
                setFault([]);
                setPasting(true);
              }}
            >
              {words.pasteRows}
            </Button>
          )}
        </Row>
      )}
      {isPasting && (
        <PasteDialog
          fault={fault}
          onPaste={(text) => paste(text, isBlank ? 0 : variants.length, 'name')}
          onClose={() => {
            setFault([]);
            setPasting(false);
          }}
        />
      )}
      {opened !== null && variants[opened] && (
        <Suspense>
          <VariantDetails
            name={nameOf(variants[opened], opened)}
            variant={variants[opened]}
            definitions={fields}
            onDone={(changes) => set(opened, changes)}
            onClose={() => setOpened(null)}
            isReadOnly={!canWrite}
          />
        </Suspense>
      )}
      {isEditingMany && (
        <Suspense>
          <BulkEdit
            count={chosen.size}
            options={options}
            samples={[...chosen]
              .toSorted((one, other) => one - other)
              .slice(0, 3)
              .flatMap((at) => (variants[at] ? [[at + 1, variants[at]] as const] : []))}
            product={value.name}
            onApply={(bulk) =>
              change({
                variants: withBulk(
                  variants.map((variant) => ({ ...variant, stock: stockOf(variant) })),
                  chosen,
                  bulk,
                  value.name,
                ),
              })
            }
            onClose={() => setEditingMany(false)}
          />
        </Suspense>
      )}
      {adjusted && present && (
        <AdjustStock product={present} variant={adjusted} onClose={() => setAdjusted(null)} />
      )}
    </Card>
  );
}

interface RowHandlers {
  set(position: number, changes: Partial<Variant>): void;
  open(position: number): void;
  adjust(variant: Product['variants'][number]): void;
  remove(position: number): void;
  choose(position: number, isChosen: boolean): void;
}

/** A variant's row, which renders independently of the others. */
const VariantRow = memo(function VariantRow({
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
}: {
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
}) {
  const words = useProductTexts();
  const common = useCommon();
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
            label={<span className={style.unseen}>{form.selectVariant(name)}</span>}
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
      <ActionMenu
        label={common.actionsFor(name)}
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
                  text: words.removeVariant(name),
                  isDanger: true,
                  onAction: () => handlers.current.remove(position),
                },
              ]
            : []),
        ]}
      />
    </fieldset>
  );
});

function Faults({ fault }: { fault: readonly string[] }) {
  const words = useProductTexts();
  return (
    <Notice tone="bad" title={words.notPasted}>
      <ul>
        {fault.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </Notice>
  );
}

/** Pastes rows through a text field, for users who want to check them first and for screens without the grid. */
function PasteDialog({
  fault,
  onPaste,
  onClose,
}: {
  fault: readonly string[];
  onPaste(text: string): Promise<boolean>;
  onClose(): void;
}) {
  const words = useProductTexts();
  const common = useCommon();
  const [text, setText] = useState('');
  return (
    <Dialog title={words.pasteRows} isOpen onClose={onClose}>
      <Form onSubmit={() => void onPaste(text).then((isDone) => isDone && onClose())}>
        {fault.length > 0 && <Faults fault={fault} />}
        <TextField
          label={words.rows}
          hint={words.rowsHint}
          rows={8}
          value={text}
          onChange={setText}
          isRequired
          autoFocus
          isCode
        />
        <Actions>
          <Button onPress={onClose}>{common.cancel}</Button>
          <Button look="primary" type="submit">
            {words.addRows}
          </Button>
        </Actions>
      </Form>
    </Dialog>
  );
}

/** Changes a stock by a difference, at once, so that concurrent sales are kept. */
function AdjustStock({
  product,
  variant,
  onClose,
}: {
  product: Product;
  variant: Product['variants'][number];
  onClose(): void;
}) {
  const words = useProductTexts();
  const common = useCommon();
  const formats = useFormats();
  const store = useStore();
  const [delta, setDelta] = useState<number | null>(null);
  const [reason, setReason] = useState('');
  const save = useMutation(
    () =>
      api.post('/api/stores/{storeId}/products/{id}/variants/{variantId}/stock', {
        params: { path: { storeId: store.id, id: product.id, variantId: variant.id } },
        body: { delta: delta ?? 0, ...(reason.trim() && { reason: reason.trim() }) },
      }),
    { done: words.stockChanged, invalidates: [productsKey(store.id)], onDone: onClose },
  );
  const title = words.adjustTitle([product.name, variant.name].filter(Boolean).join(', '));
  return (
    <Dialog title={title} isOpen onClose={onClose} size="small">
      <Form mutation={save} onSubmit={() => void save.run(undefined)}>
        <p>{words.adjustHint}</p>
        <NumberField
          label={words.delta}
          hint={words.deltaHint}
          name="/delta"
          value={delta}
          onChange={setDelta}
          step={1}
          minValue={-variant.stock}
          isRequired
        />
        <TextField label={words.reason} name="/reason" value={reason} onChange={setReason} maxLength={200} />
        <Facts
          facts={[
            [
              words.stock,
              words.fromTo(formats.number(variant.stock), formats.number(variant.stock + (delta ?? 0))),
            ],
          ]}
        />
        <Actions>
          <Button onPress={onClose}>{common.cancel}</Button>
          <Button look="primary" type="submit" isPending={save.isPending} isDisabled={!delta}>
            {words.adjustDeed}
          </Button>
        </Actions>
      </Form>
    </Dialog>
  );
}
