import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { Model } from '@waybill/sdk';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useDraft } from '../../api/draft.ts';
import { useStore } from '../../api/me.ts';
import { isPreconditionFailed, useMutation } from '../../api/mutation.ts';
import { paths } from '../../paths.ts';
import { newId, useForgetDeleted, useFormOf, useStored } from '../../shell/made.ts';
import { NoPermission } from '../../shell/problems.tsx';
import { Conflict, Unsaved, useLeaving } from '../../shell/unsaved.tsx';
import { useCommon } from '../../texts/common.ts';
import { useFormats } from '../../texts/format.ts';
import { Button, IconButton, TextLink } from '../../ui/button.tsx';
import { Form } from '../../ui/form.tsx';
import { CrossIcon } from '../../ui/icons.tsx';
import { Card, Facts, Grid, Row, Screen, Stack, TwoColumns } from '../../ui/layout.tsx';
import { NumberField } from '../../ui/number-field.tsx';
import { ConfirmDialog } from '../../ui/overlays.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { Select } from '../../ui/select.tsx';
import { Switch } from '../../ui/switch.tsx';
import { TagsField } from '../../ui/tags-field.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { ChosenThings } from './chosen-things.tsx';
import {
  type AppliesTo,
  blank,
  bodyOf,
  codesQuery,
  type Discount,
  type DiscountDraft,
  type DiscountInput,
  discountQuery,
  discountsKey,
  draftOf,
  type Read,
} from './queries.ts';
import { useDiscountTexts } from './texts.ts';

/** A discount, or the one that is to be. */
export function DiscountScreen() {
  const { discountId } = useParams({ strict: false }) as { discountId: string };
  const store = useStore();
  const words = useDiscountTexts();
  const { key, continueAs } = useFormOf(discountId);
  const needed = discountId === newId ? 'discounts.write' : 'discounts.read';
  if (!store.can(needed))
    return <NoPermission title={words.title} role={store.role} needed={store.roleFor(needed)} />;
  return <Editor key={key} id={discountId} continueAs={continueAs} />;
}

function Editor({ id, continueAs }: { id: string; continueAs(id: string, path: string): void }) {
  const words = useDiscountTexts();
  const common = useCommon();
  const formats = useFormats();
  const store = useStore();
  const queries = useQueryClient();
  const [made, setMade] = useState<Read | null>(null);
  const read = useStored(id, discountQuery(store.id, id)) ?? made;
  const discount: Discount | null = read?.discount ?? null;
  const draft = useDraft(discount ? draftOf(discount) : blank, read?.etag ?? null);
  const [isConflict, setConflict] = useState(false);
  const [isDeleting, setDeleting] = useState(false);
  const canWrite = store.can('discounts.write');
  const key = discountsKey(store.id);
  const path = { storeId: store.id, id: discount?.id ?? '' };
  const { leave } = useLeaving(draft.isDirty);

  const save = useMutation(
    async (condition: string | null) => {
      const body = bodyOf(draft.value, discount);
      const headers = condition ? { 'if-match': condition } : {};
      if (discount)
        return api.patch('/api/stores/{storeId}/discounts/{id}', { params: { path }, headers, body });
      const { discount: saved } = await api.post('/api/stores/{storeId}/discounts', {
        params: { path },
        body,
      });
      return queries.fetchQuery(discountQuery(store.id, saved.id)).catch(() => ({ discount: saved }));
    },
    {
      done: discount ? words.saved : words.created,
      invalidates: [key],
      handles: isPreconditionFailed,
      fields: { duplicate_code: '/code' },
      onDone(saved) {
        draft.markSaved();
        if (discount) return;
        setMade({ etag: null, ...saved });
        continueAs(saved.discount.id, paths.inStore(store.id, 'discounts', saved.discount.id));
      },
    },
  );
  const submit = (condition: string | null) =>
    save.attempt(condition).catch((error) => {
      if (isPreconditionFailed(error)) setConflict(true);
    });
  const forget = useForgetDeleted([...key, path.id]);
  const remove = useMutation(() => api.delete('/api/stores/{storeId}/discounts/{id}', { params: { path } }), {
    done: words.deleted,
    onDone() {
      draft.reset();
      leave(paths.inStore(store.id, 'discounts'));
      forget();
      queries.removeQueries({ queryKey: key, type: 'inactive' });
    },
  });

  const fields = { value: draft.value, change: draft.change, isDisabled: !canWrite };
  return (
    <Screen
      title={discount?.title ?? words.new}
      back={<TextLink href={paths.inStore(store.id, 'discounts')}>{common.backTo(words.title)}</TextLink>}
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
          <Form mutation={save} isKept onSubmit={() => void submit(draft.baseEtag)}>
            <Effect {...fields} />
            <Audience {...fields} />
            <Bounds {...fields} />
            <Estimate draft={draft.value} />
            {canWrite && (
              <Row>
                <Button look="primary" type="submit" isPending={save.isPending} isDisabled={!draft.isDirty}>
                  {discount ? common.save : common.create}
                </Button>
              </Row>
            )}
          </Form>
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
      <Unsaved isDirty={draft.isDirty} />
      <Conflict
        isOpen={isConflict}
        onClose={() => setConflict(false)}
        onKeepMine={() => void submit(null)}
        onTakeTheirs={() => {
          draft.reset();
          void queries.invalidateQueries({ queryKey: key });
        }}
      />
      <ConfirmDialog
        title={words.deleteTitle}
        confirm={words.delete}
        isOpen={isDeleting}
        onClose={() => setDeleting(false)}
        onConfirm={() => remove.attempt(undefined)}
      >
        {words.deleteHint}
      </ConfirmDialog>
    </Screen>
  );
}

interface Fields {
  value: DiscountDraft;
  change(changes: Partial<DiscountDraft>): void;
  isDisabled: boolean;
}

const kinds = ['percentage', 'amount', 'freeShipping', 'buyXGetY'] as const;

/** What the discount takes, of what. */
function Effect({ value, change, isDisabled }: Fields) {
  const words = useDiscountTexts();
  const store = useStore();
  return (
    <Card title={words.what}>
      <TextField
        label={words.name}
        name="/title"
        value={value.title}
        onChange={(title) => change({ title })}
        maxLength={200}
        isRequired
        isDisabled={isDisabled}
      />
      <Select
        label={words.kind}
        name="/kind"
        choices={kinds.map((kind) => ({ id: kind, text: words.kinds[kind] }))}
        value={value.kind}
        onChange={(kind) => change({ kind })}
        isDisabled={isDisabled}
      />
      {value.kind === 'percentage' && (
        <TextField
          label={words.percent}
          name="/percent"
          value={value.percent}
          onChange={(percent) => change({ percent })}
          inputMode="decimal"
          maxLength={8}
          isRequired
          isDisabled={isDisabled}
        />
      )}
      {value.kind === 'amount' && (
        <NumberField
          label={words.amount}
          hint={words.amountHint}
          name="/amountCents"
          money={{ currency: store.currency, exponent: store.currencyExponent }}
          minValue={1}
          value={value.amountCents}
          onChange={(amountCents) => change({ amountCents })}
          isRequired
          isDisabled={isDisabled}
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
            isDisabled={isDisabled}
          />
          <FormSection
            title={words.get}
            pointer="/get"
            quantity={value.getQuantity}
            from={value.getFrom}
            onChange={(getQuantity, getFrom) => change({ getQuantity, getFrom })}
            isDisabled={isDisabled}
          />
          <TextField
            label={words.percent}
            name="/get/percent"
            value={value.getPercent}
            onChange={(getPercent) => change({ getPercent })}
            inputMode="decimal"
            maxLength={8}
            isRequired
            isDisabled={isDisabled}
          />
        </>
      ) : (
        <Scope
          label={words.appliesTo}
          pointer="/appliesTo"
          value={value.appliesTo}
          onChange={(appliesTo) => change({ appliesTo })}
          isDisabled={isDisabled}
        />
      )}
    </Card>
  );
}

/** How many pieces of what. */
function FormSection({
  title,
  pointer,
  quantity,
  from,
  onChange,
  isDisabled,
}: {
  title: string;
  pointer: string;
  quantity: number | null;
  from: AppliesTo;
  onChange(quantity: number | null, from: AppliesTo): void;
  isDisabled: boolean;
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
        isDisabled={isDisabled}
      />
      <Scope
        label={`${title}: ${words.appliesTo}`}
        pointer={`${pointer}/appliesTo`}
        value={from}
        onChange={(next) => onChange(quantity, next)}
        isDisabled={isDisabled}
      />
    </Grid>
  );
}

/** What the discount as it stands here would have taken off the orders of the last days. */
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
  // Nothing of another discount is said of this one.
  const of = JSON.stringify(bodyOf(draft));
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
              .attempt({ ...bodyOf(draft), title: draft.title.trim() || words.new })
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
              {words.estimated(
                sums.ordersWithDiscount,
                formats.number(sums.orders),
                formats.money(sums.discountCents, store.currency),
                formats.percent(sums.totalCents > 0 ? sums.discountCents / sums.totalCents : 0),
              )}{' '}
              {!sums.isComplete && words.estimatePartly(formats.number(sums.orders))}
            </p>
          ))}
      </div>
    </Card>
  );
}

const scopes = ['order', 'products', 'categories', 'tags'] as const;

/** The products that are meant. */
function Scope({
  label,
  pointer,
  value,
  onChange,
  isDisabled,
}: {
  label: string;
  pointer: string;
  value: AppliesTo;
  onChange(value: AppliesTo): void;
  isDisabled: boolean;
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
        isDisabled={isDisabled}
      />
      {value.kind === 'tags' && (
        <TagsField
          label={words.tags}
          hint={words.tagsHint}
          name={`${pointer}/tags`}
          value={value.tags ?? []}
          onChange={(tags) => onChange({ kind: 'tags', tags })}
          isReadOnly={isDisabled}
        />
      )}
      {(value.kind === 'products' || value.kind === 'categories') && (
        <ChosenThings
          key={value.kind}
          kind={value.kind}
          label={words.scopes[value.kind]}
          pointer={`${pointer}/ids`}
          ids={value.ids ?? []}
          onChange={(ids) => onChange({ kind: value.kind, ids })}
          isDisabled={isDisabled}
        />
      )}
    </>
  );
}

/** Who gets it, and from how much on. */
function Audience({ value, change, isDisabled }: Fields) {
  const words = useDiscountTexts();
  const store = useStore();
  return (
    <Card title={words.who}>
      <TextField
        label={words.code}
        hint={words.codeHint}
        name="/code"
        value={value.code}
        onChange={(code) => change({ code })}
        maxLength={60}
        autoComplete="off"
        isDisabled={isDisabled}
        isCode
      />
      <Grid>
        <NumberField
          label={words.minimum}
          name="/minimum/subtotalCents"
          money={{ currency: store.currency, exponent: store.currencyExponent }}
          minValue={0}
          value={value.minimumCents}
          onChange={(minimumCents) => change({ minimumCents })}
          isDisabled={isDisabled}
        />
        <NumberField
          label={words.minimumQuantity}
          name="/minimum/quantity"
          minValue={1}
          step={1}
          value={value.minimumQuantity}
          onChange={(minimumQuantity) => change({ minimumQuantity })}
          isDisabled={isDisabled}
        />
      </Grid>
    </Card>
  );
}

/** How often and how long, and beside which others. */
function Bounds({ value, change, isDisabled }: Fields) {
  const words = useDiscountTexts();
  return (
    <Card title={words.limits}>
      <Grid>
        <NumberField
          label={words.total}
          hint={words.unlimited}
          name="/limits/total"
          minValue={1}
          step={1}
          value={value.total}
          onChange={(total) => change({ total })}
          isDisabled={isDisabled}
        />
        <NumberField
          label={words.perCustomer}
          hint={words.unlimited}
          name="/limits/perCustomer"
          minValue={1}
          step={1}
          value={value.perCustomer}
          onChange={(perCustomer) => change({ perCustomer })}
          isDisabled={isDisabled}
        />
        <TextField
          label={words.startsAt}
          name="/startsAt"
          type="datetime-local"
          value={value.startsAt}
          onChange={(startsAt) => change({ startsAt })}
          isDisabled={isDisabled}
        />
        <TextField
          label={words.endsAt}
          name="/endsAt"
          type="datetime-local"
          value={value.endsAt}
          onChange={(endsAt) => change({ endsAt })}
          isDisabled={isDisabled}
        />
      </Grid>
      <Switch
        label={words.isActive}
        value={value.isActive}
        onChange={(isActive) => change({ isActive })}
        isDisabled={isDisabled}
      />
      <Switch
        label={words.isCombinable}
        value={value.isCombinable}
        onChange={(isCombinable) => change({ isCombinable })}
        isDisabled={isDisabled}
      />
      <p>{words.combinableHint}</p>
    </Card>
  );
}

/** Codes that work once each: new ones come as a file. */
function Codes({ discount, canWrite }: { discount: Discount; canWrite: boolean }) {
  const words = useDiscountTexts();
  const formats = useFormats();
  const store = useStore();
  const [count, setCount] = useState<number | null>(100);
  const [prefix, setPrefix] = useState('');
  const path = { storeId: store.id, id: discount.id };
  const invalidates = [discountsKey(store.id)];
  const { data, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    codesQuery(store.id, discount.id),
  );
  const codes = data?.pages.flatMap((page) => page.codes) ?? [];
  const [withdrawn, setWithdrawn] = useState<string | null>(null);
  const createCodes = useMutation(
    () =>
      api.post('/api/stores/{storeId}/discounts/{id}/codes', {
        params: { path },
        body: { count: count ?? 1, prefix: prefix.trim() || null },
      }),
    {
      done: ({ codes }) => words.codesMade(codes.length),
      invalidates,
      onDone: ({ codes }) =>
        saveFile(`${discount.title}.txt`, new Blob([`${codes.join('\n')}\n`], { type: 'text/plain' })),
    },
  );
  const withdraw = useMutation(
    (code: string) =>
      api.delete('/api/stores/{storeId}/discounts/{id}/codes/{code}', {
        params: { path: { ...path, code } },
      }),
    { done: words.withdrawn, invalidates },
  );
  return (
    <Card title={words.codes}>
      <Stack>
        <p>{words.codesHint}</p>
        {canWrite && (
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
        )}
        {data && codes.length > 0 && (
          <>
            <strong>{words.codesCount(data.pages[0]!.total)}</strong>
            <ul>
              {codes.map(({ code, usedAt }) => (
                <li key={code}>
                  <Row isSpread>
                    <span>
                      <code>{code}</code>{' '}
                      <small>{usedAt ? words.usedAt(formats.dateTime(usedAt)) : words.unused}</small>
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
        title={words.withdrawTitle(withdrawn ?? '')}
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
