import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import type { Model } from '@waybill/sdk';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useStore } from '../../api/me.ts';
import { useMutation } from '../../api/mutation.ts';
import { paths } from '../../paths.ts';
import {
  type Fields,
  FormSaveBar,
  ResourceForm,
  type ResourceProps,
  ResourceRoute,
  useRemoval,
  useResource,
  useResourceForm,
} from '../../shell/resource-form.tsx';
import { useCommon } from '../../texts/common.ts';
import { useFormats } from '../../texts/format.ts';
import { Button, IconButton, TextLink } from '../../ui/button.tsx';
import { Form } from '../../ui/form.tsx';
import { CrossIcon } from '../../ui/icons.tsx';
import { Card, Facts, Grid, Row, Screen, Stack, TwoColumns } from '../../ui/layout.tsx';
import { NumberField } from '../../ui/number-field.tsx';
import { ConfirmDialog } from '../../ui/overlays.tsx';
import { PercentField } from '../../ui/percent-field.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { Select } from '../../ui/select.tsx';
import { Switch } from '../../ui/switch.tsx';
import { TagsField } from '../../ui/tags-field.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { ChosenItems } from './chosen-items.tsx';
import {
  type AppliesTo,
  blank,
  buildBody,
  codesQuery,
  type Discount,
  type DiscountDraft,
  type DiscountInput,
  discountQuery,
  discountsKey,
  toDraft,
} from './queries.ts';
import { useDiscountTexts } from './texts.ts';

/** The screen of an existing or new discount. */
export const DiscountScreen = () => (
  <ResourceRoute
    param="discountId"
    title={useDiscountTexts().title}
    toRead="discounts.read"
    toCreate="discounts.write"
    form={Editor}
  />
);

function Editor(props: ResourceProps) {
  const words = useDiscountTexts();
  const common = useCommon();
  const formats = useFormats();
  const store = useStore();
  const queries = useQueryClient();
  const { read, adopt } = useResource(props, discountQuery(store.id, props.id));
  const discount: Discount | null = read?.discount ?? null;
  const [isDeleting, setDeleting] = useState(false);
  const key = discountsKey(store.id);
  const path = { storeId: store.id, id: discount?.id ?? '' };
  const list = paths.inStore(store.id, 'discounts');
  const form = useResourceForm({
    stored: discount ? toDraft(discount) : blank,
    etag: read?.etag ?? null,
    canWrite: store.can('discounts.write'),
    async save({ value, headers }) {
      const body = buildBody(value, discount);
      if (discount)
        return api.patch('/api/stores/{storeId}/discounts/{id}', { params: { path }, headers, body });
      const { discount: saved } = await api.post('/api/stores/{storeId}/discounts', {
        params: { path },
        body,
      });
      return queries.fetchQuery(discountQuery(store.id, saved.id)).catch(() => ({ discount: saved }));
    },
    done: discount ? words.saved : words.created,
    invalidates: [key],
    fields: { duplicate_code: '/code' },
    onSaved: (saved) => adopt(saved, saved.discount.id, `${list}/${saved.discount.id}`),
  });
  const { canWrite } = form;
  const remove = useRemoval(form, {
    remove: () => api.delete('/api/stores/{storeId}/discounts/{id}', { params: { path } }),
    done: words.deleted,
    leaveTo: list,
    queryKey: [...key, path.id],
    onRemoved: () => queries.removeQueries({ queryKey: key, type: 'inactive' }),
  });

  return (
    <Screen
      title={discount?.title ?? words.new}
      back={<TextLink href={list}>{common.backTo({ place: words.title })}</TextLink>}
      width={discount ? 'wide' : 'text'}
      actions={
        discount &&
        canWrite && (
          <Button look="danger" onPress={() => setDeleting(true)}>
            {words.delete}
          </Button>
        )
      }
    >
      <TwoColumns
        main={
          <ResourceForm form={form} bar={<FormSaveBar form={form} isNew={!discount} />}>
            <Effect form={form} />
            <Audience form={form} />
            <Bounds form={form} />
            <Estimate draft={form.value} />
          </ResourceForm>
        }
        side={
          discount && (
            <>
              <Codes discount={discount} canWrite={canWrite} />
              <Card title={words.facts}>
                <Facts
                  facts={[
                    [words.used, formats.number(discount.usedCount)],
                    [common.updated, formats.dateTime(discount.updatedAt)],
                    ['ID', <code key="id">{discount.id}</code>],
                  ]}
                />
              </Card>
            </>
          )
        }
      />
      <ConfirmDialog
        title={words.deleteTitle}
        confirm={words.delete}
        isOpen={isDeleting}
        onClose={() => setDeleting(false)}
        onConfirm={() => remove.attempt()}
      >
        {words.deleteHint}
      </ConfirmDialog>
    </Screen>
  );
}

type FormProps = { form: Fields<DiscountDraft> };

const kinds = ['percentage', 'amount', 'freeShipping', 'buyXGetY'] as const;

/** Title, kind and value of the discount, and the items it applies to. */
function Effect({ form }: FormProps) {
  const { value, change, isReadOnly } = form;
  const words = useDiscountTexts();
  const store = useStore();
  return (
    <Card title={words.what}>
      <TextField label={words.name} {...form.field('title')} maxLength={200} isRequired />
      <Select
        label={words.kind}
        choices={kinds.map((kind) => ({ id: kind, text: words.kinds[kind] }))}
        {...form.field('kind')}
      />
      {value.kind === 'percentage' && (
        <PercentField label={words.percent} {...form.field('percent')} isRequired />
      )}
      {value.kind === 'amount' && (
        <NumberField
          label={words.amount}
          hint={words.amountHint}
          money={{ currency: store.currency, exponent: store.currencyExponent }}
          minValue={1}
          {...form.field('amountCents')}
          isRequired
        />
      )}
      {value.kind === 'buyXGetY' ? (
        <>
          <FormSection
            title={words.buy}
            pointer="/buy"
            quantity={value.buyQuantity}
            from={value.buyFrom}
            onChange={(buyQuantity, buyFrom) => change({ buyQuantity, buyFrom })}
            isReadOnly={isReadOnly}
          />
          <FormSection
            title={words.get}
            pointer="/get"
            quantity={value.getQuantity}
            from={value.getFrom}
            onChange={(getQuantity, getFrom) => change({ getQuantity, getFrom })}
            isReadOnly={isReadOnly}
          />
          <PercentField label={words.percent} {...form.field('getPercent')} name="/get/percent" isRequired />
        </>
      ) : (
        <Scope label={words.appliesTo} pointer="/appliesTo" {...form.field('appliesTo')} />
      )}
    </Card>
  );
}

/** A quantity and the items it counts. */
function FormSection({
  title,
  pointer,
  quantity,
  from,
  onChange,
  isReadOnly,
}: {
  title: string;
  pointer: string;
  quantity: number | null;
  from: AppliesTo;
  onChange(quantity: number | null, from: AppliesTo): void;
  isReadOnly: boolean;
}) {
  const words = useDiscountTexts();
  return (
    <Grid>
      <NumberField
        label={`${title}: ${words.quantity}`}
        name={`${pointer}/quantity`}
        minValue={1}
        step={1}
        value={quantity}
        onChange={(next) => onChange(next, from)}
        isRequired
        isReadOnly={isReadOnly}
      />
      <Scope
        label={`${title}: ${words.appliesTo}`}
        pointer={`${pointer}/appliesTo`}
        value={from}
        onChange={(next) => onChange(quantity, next)}
        isReadOnly={isReadOnly}
      />
    </Grid>
  );
}

/** Estimates how much the edited discount would have taken off recent orders. */
function Estimate({ draft }: { draft: DiscountDraft }) {
  const words = useDiscountTexts();
  const formats = useFormats();
  const store = useStore();
  const { can, id: storeId } = store;
  const estimate = useMutation((discount: DiscountInput) =>
    api.post('/api/stores/{storeId}/reports/discounts', {
      params: { path: { storeId } },
      body: { discount },
    }),
  );
  const [found, setFound] = useState<{ of: string; sums: Model<'DiscountEstimate'>['estimate'] } | null>(
    null,
  );
  // The estimate is hidden as soon as the draft changes.
  const of = JSON.stringify(buildBody(draft));
  const sums = found?.of === of ? found.sums : null;
  if (!can('discounts.read')) return null;
  return (
    <Card title={words.estimate}>
      <p>{words.estimateHint}</p>
      <Row>
        <Button
          isPending={estimate.isPending}
          onPress={() =>
            void estimate
              .attempt({ ...buildBody(draft), title: draft.title.trim() || words.new })
              .then((answer) => setFound({ of, sums: answer.estimate }))
              .catch(() => {})
          }
        >
          {words.estimateNow}
        </Button>
      </Row>
      <div role="status">
        {sums &&
          (sums.orders === 0 ? (
            <p>{words.noOrders}</p>
          ) : (
            <p>
              {words.estimated({
                count: sums.ordersWithDiscount,
                all: sums.orders,
                amount: formats.money(sums.discountCents, store.currency),
                share: formats.percent(sums.totalCents > 0 ? sums.discountCents / sums.totalCents : 0),
              })}{' '}
              {!sums.isComplete && words.estimatePartly({ all: sums.orders })}
            </p>
          ))}
      </div>
    </Card>
  );
}

const scopes = ['order', 'products', 'categories', 'tags'] as const;

/** The items that count: the whole order, products, categories or tags. */
function Scope({
  label,
  pointer,
  value,
  onChange,
  isReadOnly,
}: {
  label: string;
  pointer: string;
  value: AppliesTo;
  onChange(value: AppliesTo): void;
  isReadOnly: boolean;
}) {
  const words = useDiscountTexts();
  return (
    <>
      <Select
        label={label}
        name={`${pointer}/kind`}
        choices={scopes.map((kind) => ({ id: kind, text: words.scopes[kind] }))}
        value={value.kind}
        onChange={(kind) => onChange({ kind })}
        isReadOnly={isReadOnly}
      />
      {value.kind === 'tags' && (
        <TagsField
          label={words.tags}
          hint={words.tagsHint}
          name={`${pointer}/tags`}
          value={value.tags ?? []}
          onChange={(tags) => onChange({ kind: 'tags', tags })}
          isReadOnly={isReadOnly}
        />
      )}
      {(value.kind === 'products' || value.kind === 'categories') && (
        <ChosenItems
          key={value.kind}
          kind={value.kind}
          label={words.scopes[value.kind]}
          pointer={`${pointer}/ids`}
          ids={value.ids ?? []}
          onChange={(ids) => onChange({ kind: value.kind, ids })}
          isDisabled={isReadOnly}
        />
      )}
    </>
  );
}

/** The code and the minimum order that the discount requires. */
function Audience({ form }: FormProps) {
  const words = useDiscountTexts();
  const store = useStore();
  return (
    <Card title={words.who}>
      <TextField
        label={words.code}
        hint={words.codeHint}
        {...form.field('code')}
        maxLength={60}
        autoComplete="off"
        isCode
      />
      <Grid>
        <NumberField
          label={words.minimum}
          money={{ currency: store.currency, exponent: store.currencyExponent }}
          minValue={0}
          {...form.field('minimumCents')}
          name="/minimum/subtotalCents"
        />
        <NumberField
          label={words.minimumQuantity}
          minValue={1}
          step={1}
          {...form.field('minimumQuantity')}
          name="/minimum/quantity"
        />
      </Grid>
    </Card>
  );
}

/** Usage limits, dates and whether the discount can be combined. */
function Bounds({ form }: FormProps) {
  const words = useDiscountTexts();
  return (
    <Card title={words.limits}>
      <Grid>
        <NumberField
          label={words.total}
          hint={words.unlimited}
          minValue={1}
          step={1}
          {...form.field('total')}
          name="/limits/total"
        />
        <NumberField
          label={words.perCustomer}
          hint={words.unlimited}
          minValue={1}
          step={1}
          {...form.field('perCustomer')}
          name="/limits/perCustomer"
        />
        <TextField label={words.startsAt} type="datetime-local" {...form.field('startsAt')} />
        <TextField label={words.endsAt} type="datetime-local" {...form.field('endsAt')} />
      </Grid>
      <Switch label={words.isActive} {...form.field('isActive')} />
      <Switch label={words.isCombinable} {...form.field('isCombinable')} />
      <p>{words.combinableHint}</p>
    </Card>
  );
}

/** Single-use codes; new ones are downloaded as a file. */
function Codes({ discount, canWrite }: { discount: Discount; canWrite: boolean }) {
  const words = useDiscountTexts();
  const formats = useFormats();
  const store = useStore();
  const { data, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    codesQuery(store.id, discount.id),
  );
  const codes = data?.pages.flatMap((page) => page.codes) ?? [];
  const [withdrawn, setWithdrawn] = useState<string | null>(null);
  const withdraw = useMutation(
    (code: string) =>
      api.delete('/api/stores/{storeId}/discounts/{id}/codes/{code}', {
        params: { path: { storeId: store.id, id: discount.id, code } },
      }),
    { done: words.withdrawn, invalidates: [discountsKey(store.id)] },
  );
  return (
    <Card title={words.codes}>
      <Stack>
        <p>{words.codesHint}</p>
        {canWrite && <CreateCodesForm discount={discount} />}
        {data && codes.length > 0 && (
          <>
            <strong>{words.codesCount({ count: data.pages[0]!.total })}</strong>
            <ul>
              {codes.map(({ code, usedAt }) => (
                <li key={code}>
                  <Row isSpread>
                    <span>
                      <code>{code}</code>{' '}
                      <small>{usedAt ? words.usedAt({ at: formats.dateTime(usedAt) }) : words.unused}</small>
                    </span>
                    {canWrite && (
                      <IconButton label={`${words.withdraw} ${code}`} onPress={() => setWithdrawn(code)}>
                        <CrossIcon />
                      </IconButton>
                    )}
                  </Row>
                </li>
              ))}
            </ul>
            {hasNextPage && (
              <Row>
                <Button size="small" isPending={isFetchingNextPage} onPress={() => void fetchNextPage()}>
                  {words.moreCodes}
                </Button>
              </Row>
            )}
          </>
        )}
      </Stack>
      <ConfirmDialog
        title={words.withdrawTitle({ code: withdrawn ?? '' })}
        confirm={words.withdraw}
        isOpen={withdrawn !== null}
        onClose={() => setWithdrawn(null)}
        onConfirm={() => withdraw.attempt(withdrawn!)}
      >
        {words.withdrawHint}
      </ConfirmDialog>
    </Card>
  );
}

/** Creates codes and downloads them. */
function CreateCodesForm({ discount }: { discount: Discount }) {
  const words = useDiscountTexts();
  const store = useStore();
  const [count, setCount] = useState<number | null>(100);
  const [prefix, setPrefix] = useState('');
  const createCodes = useMutation(
    () =>
      api.post('/api/stores/{storeId}/discounts/{id}/codes', {
        params: { path: { storeId: store.id, id: discount.id } },
        body: { count: count ?? 1, prefix: prefix.trim() || null },
      }),
    {
      done: ({ codes }) => words.codesMade({ count: codes.length }),
      invalidates: [discountsKey(store.id)],
      onDone: ({ codes }) =>
        saveFile(`${discount.title}.txt`, new Blob([`${codes.join('\n')}\n`], { type: 'text/plain' })),
    },
  );
  return (
    <Form mutation={createCodes} onSubmit={() => void createCodes.run(undefined)}>
      <NumberField
        label={words.howMany}
        name="/count"
        minValue={1}
        maxValue={10_000}
        step={1}
        value={count}
        onChange={setCount}
        isRequired
      />
      <TextField
        label={words.prefix}
        name="/prefix"
        value={prefix}
        onChange={setPrefix}
        maxLength={40}
        autoComplete="off"
        isCode
      />
      <Row>
        <Button type="submit" isPending={createCodes.isPending}>
          {words.makeCodes}
        </Button>
      </Row>
    </Form>
  );
}
