import { currencyExponent } from '@waybill/contracts/currencies';
import { type ClipboardEvent, lazy, Suspense, useState } from 'react';
import { useAct } from '../../api/act.ts';
import { api } from '../../api/client.ts';
import { useStore } from '../../api/me.ts';
import { useDefinitions } from '../../shell/custom-fields/custom-fields.tsx';
import type { FieldValues } from '../../shell/custom-fields/queries.ts';
import { useCustomFieldTexts } from '../../shell/custom-fields/texts.ts';
import { useCommon } from '../../texts/common.ts';
import { useFormats } from '../../texts/format.ts';
import { Button } from '../../ui/button.tsx';
import { Form } from '../../ui/form.tsx';
import { Card, Facts, Notice, Row } from '../../ui/layout.tsx';
import { NumberField } from '../../ui/number-field.tsx';
import { ActionMenu, Actions, Dialog } from '../../ui/overlays.tsx';
import { TextField } from '../../ui/text-field.tsx';
import type { PasteColumn, PasteProblem } from './paste.ts';
import style from './products.module.css';
import { type Product, type ProductInput, productsKey } from './queries.ts';
import { isTyped, type Read } from './saving.ts';
import { useProductTexts } from './texts.ts';

const VariantFields = lazy(async () => ({
  default: (await import('../../shell/custom-fields/variant-fields.tsx')).VariantFields,
}));

type Variant = NonNullable<ProductInput['variants']>[number];

const blank: Variant = { name: '', sku: null, priceCents: 0, stock: 0 };
const maxVariants = 2_048;
const pasteColumns: readonly PasteColumn[] = ['name', 'sku', 'priceCents', 'stock'];

/** Whether a text of the clipboard comes from a spreadsheet: more than one cell. */
const isTable = (text: string) => /[\t\n]/.test(text.trim());

/** The grid of a product's variants; rows of a spreadsheet are pasted where the cursor stands. */
export function Variants({
  value,
  basis,
  present,
  change,
  canWrite,
}: {
  value: ProductInput;
  /** What the typing stands on, and what there is by now: stock is sold meanwhile. */
  basis: Read | null;
  present: Product | null;
  change(changes: Partial<ProductInput>): void;
  canWrite: boolean;
}) {
  const words = useProductTexts();
  const common = useCommon();
  const store = useStore();
  const [fault, setFault] = useState<readonly string[]>([]);
  const [isPasting, setPasting] = useState(false);
  /** The row that has just been added: its first field takes the focus. */
  const [added, setAdded] = useState<number | null>(null);
  const [adjusted, adjust] = useState<Product['variants'][number] | null>(null);
  const fields = useDefinitions('variant');
  const fieldWords = useCustomFieldTexts();
  /** The row whose custom fields are open. */
  const [opened, open] = useState<number | null>(null);
  const variants = value.variants ?? [];
  const set = (position: number, changes: Partial<Variant>) =>
    change({
      variants: variants.map((variant, at) => (at === position ? { ...variant, ...changes } : variant)),
    });
  const stored = ({ id }: Variant) => present?.variants.find((variant) => variant.id === id);
  const stockOf = (variant: Variant) =>
    basis && !isTyped(variant, basis) ? (stored(variant)?.stock ?? variant.stock ?? 0) : (variant.stock ?? 0);

  /** False: nothing was taken over, and it has been said why. */
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
  return (
    <Card title={words.variants}>
      <p>{words.variantsHint}</p>
      {fault.length > 0 && <Faults fault={fault} />}
      <div className={style.variants} onPaste={onPaste}>
        {variants.map((variant, position) => {
          const named = variant.name || `${words.variantName} ${position + 1}`;
          const there = stored(variant);
          return (
            <fieldset key={position} className={style.variant} aria-label={named} data-position={position}>
              <TextField
                label={words.variantName}
                name={`/variants/${position}/name`}
                value={variant.name ?? ''}
                onChange={(name) => set(position, { name })}
                isReadOnly={!canWrite}
                maxLength={200}
                autoFocus={position === added}
              />
              <TextField
                label={words.sku}
                name={`/variants/${position}/sku`}
                value={variant.sku ?? ''}
                onChange={(sku) => set(position, { sku: sku || null })}
                isReadOnly={!canWrite}
                maxLength={100}
              />
              <NumberField
                label={words.price}
                name={`/variants/${position}/priceCents`}
                money={{ currency: store.currency, exponent: store.currencyExponent }}
                minValue={0}
                value={variant.priceCents}
                onChange={(priceCents) => priceCents !== null && set(position, { priceCents })}
                isRequired
                isDisabled={!canWrite}
              />
              <NumberField
                label={words.stock}
                name={`/variants/${position}/stock`}
                minValue={0}
                step={1}
                value={stockOf(variant)}
                onChange={(stock) => stock !== null && set(position, { stock })}
                isRequired
                isDisabled={!canWrite}
              />
              {canWrite && (
                <ActionMenu
                  label={common.actionsFor(named)}
                  actions={[
                    ...(fields.length > 0
                      ? [{ id: 'fields', text: fieldWords.title, onAction: () => open(position) }]
                      : []),
                    ...(there
                      ? [{ id: 'stock', text: words.adjustStock, onAction: () => adjust(there) }]
                      : []),
                    {
                      id: 'remove',
                      text: words.removeVariant(named),
                      isDanger: true,
                      onAction: () => change({ variants: variants.filter((_, at) => at !== position) }),
                    },
                  ]}
                />
              )}
            </fieldset>
          );
        })}
      </div>
      {canWrite && (
        <Row>
          <Button
            isDisabled={variants.length >= maxVariants}
            onPress={() => {
              setAdded(variants.length);
              change({ variants: [...variants, { ...blank }] });
            }}
          >
            {words.addVariant}
          </Button>
          <Button
            onPress={() => {
              setFault([]);
              setPasting(true);
            }}
          >
            {words.pasteRows}
          </Button>
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
          <VariantFields
            name={variants[opened].name || `${words.variantName} ${opened + 1}`}
            definitions={fields}
            value={(variants[opened].customFields ?? {}) as FieldValues}
            onChange={(customFields) => set(opened, { customFields })}
            onClose={() => open(null)}
            isReadOnly={!canWrite}
          />
        </Suspense>
      )}
      {adjusted && present && (
        <AdjustStock product={present} variant={adjusted} onClose={() => adjust(null)} />
      )}
    </Card>
  );
}

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

/** For those who would rather see what they paste, and where there is no grid to paste into. */
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
  const [text, type] = useState('');
  return (
    <Dialog title={words.pasteRows} isOpen onClose={onClose}>
      <Form onSubmit={() => void onPaste(text).then((isDone) => isDone && onClose())}>
        {fault.length > 0 && <Faults fault={fault} />}
        <TextField
          label={words.rows}
          hint={words.rowsHint}
          rows={8}
          value={text}
          onChange={type}
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

/** Changes a stock by a difference, at once: what is sold in this moment stays sold. */
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
  const save = useAct(
    () =>
      api.post('/api/stores/{storeId}/products/{id}/variants/{variantId}/stock', {
        params: { path: { storeId: store.id, id: product.id, variantId: variant.id } },
        body: { delta: delta ?? 0, ...(reason.trim() && { reason: reason.trim() }) },
      }),
    { done: words.stockChanged, touches: [productsKey(store.id)], onDone: onClose },
  );
  const title = words.adjustTitle([product.name, variant.name].filter(Boolean).join(', '));
  return (
    <Dialog title={title} isOpen onClose={onClose} size="small">
      <Form act={save} onSubmit={() => void save.run(undefined)}>
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
