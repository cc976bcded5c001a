import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { api } from '../../api/client.ts';
import { useDraft } from '../../api/draft.ts';
import { useStore } from '../../api/me.ts';
import { isPreconditionFailed, useMutation } from '../../api/mutation.ts';
import { paths } from '../../paths.ts';
import { AddressFields, blankAddress } from '../../shell/address.tsx';
import { CustomFields } from '../../shell/custom-fields/custom-fields.tsx';
import { newId, useForgetDeleted, useFormOf, useStored } from '../../shell/made.ts';
import { Failure, NoPermission } from '../../shell/problems.tsx';
import { Conflict, Unsaved, useLeaving } from '../../shell/unsaved.tsx';
import { useCommon } from '../../texts/common.ts';
import { useFormats } from '../../texts/format.ts';
import { Button, IconButton, LinkButton, TextLink } from '../../ui/button.tsx';
import { Form } from '../../ui/form.tsx';
import { CrossIcon } from '../../ui/icons.tsx';
import { Badge, Card, Facts, Grid, Row, Screen, Skeleton, Stack, TwoColumns } from '../../ui/layout.tsx';
import { ActionMenu, Actions, ConfirmDialog, Dialog } from '../../ui/overlays.tsx';
import { SaveBar } from '../../ui/save-bar.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { TextField } from '../../ui/text-field.tsx';
import style from './customers.module.css';
import {
  bodyOf,
  type Customer,
  type CustomerDraft,
  customerQuery,
  customersKey,
  draftOf,
  noteQuery,
  ordersQuery,
  type Read,
} from './queries.ts';
import { useCustomerTexts } from './texts.ts';

const blank: CustomerDraft = { email: '', name: '', phone: '', tags: [], addresses: [], customFields: {} };

/** A customer, or the one who is to be. */
export function CustomerScreen() {
  const { customerId } = useParams({ strict: false }) as { customerId: string };
  const store = useStore();
  const words = useCustomerTexts();
  const { key, continueAs } = useFormOf(customerId);
  const needed = customerId === newId ? 'customers.write' : 'customers.read';
  if (!store.can(needed))
    return <NoPermission title={words.title} role={store.role} needed={store.roleFor(needed)} />;
  return <Editor key={key} id={customerId} continueAs={continueAs} />;
}

function Editor({ id, continueAs }: { id: string; continueAs(id: string, path: string): void }) {
  const words = useCustomerTexts();
  const common = useCommon();
  const formats = useFormats();
  const store = useStore();
  const queries = useQueryClient();
  const [made, setMade] = useState<Read | null>(null);
  const read = useStored(id, customerQuery(store.id, id)) ?? made;
  const customer: Customer | null = read?.customer ?? null;
  const draft = useDraft(customer ? draftOf(customer) : blank, read?.etag ?? null);
  const [isNoteDirty, setNoteDirty] = useState(false);
  const [isConflict, setConflict] = useState(false);
  const [asked, setAsked] = useState<'delete' | 'erase' | null>(null);
  const canWrite = store.can('customers.write');
  const { value } = draft;
  const key = customersKey(store.id);
  const path = { storeId: store.id, id: customer?.id ?? '' };
  const isUnsaved = draft.isDirty || isNoteDirty;
  const { leave } = useLeaving(isUnsaved);

  const save = useMutation(
    async (condition: string | null) => {
      const body = bodyOf(value, customer?.customFields);
      const headers = condition ? { 'if-match': condition } : {};
      if (customer)
        return api.put('/api/stores/{storeId}/customers/{id}', { params: { path }, headers, body });
      const { customer: saved } = await api.post('/api/stores/{storeId}/customers', {
        params: { path },
        body,
      });
      return queries.fetchQuery(customerQuery(store.id, saved.id)).catch(() => ({ customer: saved }));
    },
    {
      done: customer ? words.saved : words.created,
      invalidates: [key],
      handles: isPreconditionFailed,
      onDone(saved) {
        draft.markSaved();
        if (customer) return;
        setMade({ etag: null, ...saved });
        continueAs(saved.customer.id, paths.inStore(store.id, 'customers', saved.customer.id));
      },
    },
  );
  const submit = (condition: string | null) =>
    save.attempt(condition).catch((error) => {
      if (isPreconditionFailed(error)) setConflict(true);
    });
  const download = useMutation(
    async () => {
      const answer = await api.fetch(`/api/stores/${store.id}/customers/${path.id}/export`);
      saveFile(`${path.id}.json`, await answer.blob());
    },
    { done: words.exported },
  );
  const forget = useForgetDeleted([...key, path.id]);
  const gone = () => {
    draft.reset();
    setNoteDirty(false);
    leave(paths.inStore(store.id, 'customers'));
    forget();
    // No list shows them again while it is read anew.
    queries.removeQueries({ queryKey: key, type: 'inactive' });
    queries.removeQueries({ queryKey: ['stores', store.id, 'orders'], type: 'inactive' });
  };

  const title = customer ? customer.name || customer.email : words.new;
  return (
    <Screen
      title={title}
      back={<TextLink href={paths.inStore(store.id, 'customers')}>{common.backTo(words.title)}</TextLink>}
      width={customer ? 'wide' : 'text'}
      actions={
        customer && (
          <>
            {store.can('orders.write') && (
              <LinkButton href={`${paths.inStore(store.id, 'orders', 'new')}?customer=${customer.id}`}>
                {words.placeOrder}
              </LinkButton>
            )}
            <ActionMenu
              label={common.actionsFor(title)}
              actions={[
                { id: 'export', text: words.export, onAction: () => void download.run(undefined) },
                ...(canWrite
                  ? [
                      {
                        id: 'delete',
                        text: words.delete,
                        isDanger: true,
                        onAction: () => setAsked('delete'),
                      },
                      { id: 'erase', text: words.erase, isDanger: true, onAction: () => setAsked('erase') },
                    ]
                  : []),
              ]}
            />
          </>
        )
      }
    >
      <TwoColumns
        main={
          <Form mutation={save} isKept onSubmit={() => void submit(draft.baseEtag)}>
            <Person value={value} change={draft.change} canWrite={canWrite} isNew={!customer} />
            <Addresses value={value} change={draft.change} canWrite={canWrite} />
            <CustomFields
              entity="customer"
              value={value.customFields}
              onChange={(customFields) => draft.change({ customFields })}
              isReadOnly={!canWrite}
            />
            {canWrite && (
              <SaveBar
                label={customer ? common.save : common.create}
                isPending={save.isPending}
                isDirty={draft.isDirty}
                onDiscard={draft.reset}
              />
            )}
          </Form>
        }
        side={
          customer && (
            <>
              <Orders customer={customer} />
              <Note customerId={customer.id} canWrite={canWrite} onDirty={setNoteDirty} />
              <Card title={words.facts}>
                <Facts
                  facts={[
                    [words.since, formats.dateTime(customer.createdAt)],
                    [common.updated, formats.dateTime(customer.updatedAt)],
                    ['ID', <code key="id">{customer.id}</code>],
                  ]}
                />
              </Card>
            </>
          )
        }
      />
      <Unsaved isDirty={isUnsaved} />
      <Conflict
        isOpen={isConflict}
        onClose={() => setConflict(false)}
        onKeepMine={() => void submit(null)}
        onTakeTheirs={() => {
          draft.reset();
          void queries.invalidateQueries({ queryKey: key });
        }}
      />
      {customer && (
        <>
          <Deletion
            customer={customer}
            isOpen={asked === 'delete'}
            onClose={() => setAsked(null)}
            onDone={gone}
          />
          {asked === 'erase' && (
            <Erasure
              customer={customer}
              onDownload={() => void download.run(undefined)}
              onClose={() => setAsked(null)}
              onDone={gone}
            />
          )}
        </>
      )}
    </Screen>
  );
}

interface PartProps {
  value: CustomerDraft;
  change(changes: Partial<CustomerDraft>): void;
  canWrite: boolean;
}

function Person({ value, change, canWrite, isNew }: PartProps & { isNew: boolean }) {
  const words = useCustomerTexts();
  const [tags, setTags] = useState<string | null>(null);
  return (
    <Card title={words.person}>
      <Grid>
        <TextField
          label={words.name}
          name="/name"
          value={value.name}
          onChange={(name) => change({ name })}
          autoComplete="off"
          maxLength={200}
          isReadOnly={!canWrite}
          autoFocus={isNew}
        />
        <TextField
          label={words.email}
          name="/email"
          type="email"
          value={value.email}
          onChange={(email) => change({ email })}
          autoComplete="off"
          isRequired
          isReadOnly={!canWrite}
        />
        <TextField
          label={words.phone}
          name="/phone"
          type="tel"
          value={value.phone}
          onChange={(phone) => change({ phone })}
          autoComplete="off"
          maxLength={50}
          isReadOnly={!canWrite}
        />
        <TextField
          label={words.tags}
          hint={words.tagsHint}
          name="/tags"
          value={tags ?? value.tags.join(', ')}
          onChange={(text) => {
            setTags(text);
            const typed = text.split(',').map((tag) => tag.trim());
            change({ tags: [...new Set(typed.filter((tag) => tag !== ''))] });
          }}
          onBlur={() => setTags(null)}
          isReadOnly={!canWrite}
        />
      </Grid>
    </Card>
  );
}

function Addresses({ value, change, canWrite }: PartProps) {
  const words = useCustomerTexts();
  const { addresses } = value;
  return (
    <Card title={words.addresses}>
      {addresses.length === 0 && <p>{words.noAddresses}</p>}
      {addresses.map((address, position) => (
        <fieldset key={position} className={style.address} aria-label={words.addressNumber(position + 1)}>
          <div className={style.addressHead}>
            <span>{words.addressNumber(position + 1)}</span>
            {canWrite && (
              <IconButton
                label={words.removeAddress(position + 1)}
                onPress={() => change({ addresses: addresses.filter((_, at) => at !== position) })}
              >
                <CrossIcon />
              </IconButton>
            )}
          </div>
          <AddressFields
            name={`/addresses/${position}`}
            value={address}
            onChange={(next) =>
              change({ addresses: addresses.map((other, at) => (at === position ? next : other)) })
            }
            isReadOnly={!canWrite}
          />
        </fieldset>
      ))}
      {canWrite && addresses.length < 20 && (
        <Row>
          <Button
            onPress={() => change({ addresses: [...addresses, { ...blankAddress, name: value.name }] })}
          >
            {words.addAddress}
          </Button>
        </Row>
      )}
    </Card>
  );
}

function Orders({ customer }: { customer: Customer }) {
  const words = useCustomerTexts();
  const formats = useFormats();
  const store = useStore();
  const { data, error, refetch } = useQuery({
    ...ordersQuery(store.id, customer.id),
    enabled: store.can('orders.read'),
  });
  const at = (...path: string[]) => paths.inStore(store.id, 'orders', ...path);
  return (
    <Card title={words.recent}>
      <Facts
        facts={[
          [words.orders, formats.number(customer.ordersCount)],
          [words.spent, formats.money(customer.totalSpentCents, store.currency)],
        ]}
      />
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton lines={3} />}
      {data?.total === 0 && <p>{words.noOrders}</p>}
      <ul className={style.orders}>
        {data?.orders.map(({ id, number, createdAt, status, totalCents, currency }) => (
          <li key={id}>
            <span>
              <TextLink href={at(id)}>{words.orderNumber(number)}</TextLink> · {formats.date(createdAt)}
            </span>
            <span>
              {status === 'cancelled' && <Badge>{words.statuses[status]}</Badge>}{' '}
              {formats.money(totalCents, currency)}
            </span>
          </li>
        ))}
      </ul>
      {data && data.total > data.orders.length && (
        <TextLink href={`${at()}?customerId=${customer.id}`}>
          {words.allOrders(formats.number(data.total))}
        </TextLink>
      )}
    </Card>
  );
}

/** What the team keeps about a customer; saved by itself, as it is nobody else's business. */
function Note({
  customerId,
  canWrite,
  onDirty,
}: {
  customerId: string;
  canWrite: boolean;
  onDirty(isDirty: boolean): void;
}) {
  const words = useCustomerTexts();
  const store = useStore();
  const queries = useQueryClient();
  const query = noteQuery(store.id, customerId);
  const { data, error, refetch } = useQuery(query);
  const draft = useDraft({ note: data?.note ?? '' }, data?.etag ?? null);
  const [isConflict, setConflict] = useState(false);
  const { isDirty } = draft;
  const save = useMutation(
    (condition: string | null) =>
      api.patch('/api/stores/{storeId}/customers/{customerId}/note', {
        params: { path: { storeId: store.id, customerId } },
        ...(condition && { headers: { 'if-match': condition } }),
        body: draft.value,
      }),
    {
      done: words.noteSaved,
      invalidates: [query.queryKey],
      handles: isPreconditionFailed,
      onDone: draft.markSaved,
    },
  );
  const submit = (condition: string | null) =>
    save.attempt(condition).catch((failure) => {
      if (isPreconditionFailed(failure)) setConflict(true);
    });
  useEffect(() => onDirty(isDirty), [isDirty, onDirty]);
  return (
    <Card title={words.note}>
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton lines={3} />}
      {data && (
        <Form mutation={save} isKept onSubmit={() => void submit(draft.baseEtag)}>
          <TextField
            label={words.note}
            hint={words.noteHint}
            name="/note"
            rows={4}
            value={draft.value.note}
            onChange={(note) => draft.change({ note })}
            maxLength={10_000}
            isReadOnly={!canWrite}
          />
          {canWrite && (
            <Row>
              <Button type="submit" isPending={save.isPending} isDisabled={!isDirty}>
                {words.saveNote}
              </Button>
            </Row>
          )}
        </Form>
      )}
      <Conflict
        isOpen={isConflict}
        onClose={() => setConflict(false)}
        onKeepMine={() => void submit(null)}
        onTakeTheirs={() => {
          draft.reset();
          void queries.invalidateQueries({ queryKey: query.queryKey });
        }}
      />
    </Card>
  );
}

function Deletion({
  customer,
  isOpen,
  onClose,
  onDone,
}: {
  customer: Customer;
  isOpen: boolean;
  onClose(): void;
  onDone(): void;
}) {
  const words = useCustomerTexts();
  const store = useStore();
  const path = { storeId: store.id, id: customer.id };
  const remove = useMutation(() => api.delete('/api/stores/{storeId}/customers/{id}', { params: { path } }), {
    done: words.deleted,
    onDone,
  });
  return (
    <ConfirmDialog
      title={words.deleteTitle(customer.name || customer.email)}
      confirm={words.deleteDeed}
      isOpen={isOpen}
      onClose={onClose}
      onConfirm={() => remove.attempt(undefined)}
    >
      {words.deleteHint}
    </ConfirmDialog>
  );
}

/** There is no way back from this, so the button waits until the address is typed. */
function Erasure({
  customer,
  onDownload,
  onClose,
  onDone,
}: {
  customer: Customer;
  onDownload(): void;
  onClose(): void;
  onDone(): void;
}) {
  const words = useCustomerTexts();
  const store = useStore();
  const [typed, setTyped] = useState('');
  const path = { storeId: store.id, customerId: customer.id };
  const erase = useMutation(
    () => api.post('/api/stores/{storeId}/customers/{customerId}/erase', { params: { path } }),
    {
      done: words.erased,
      onDone() {
        onClose();
        onDone();
      },
    },
  );
  return (
    <Dialog title={words.eraseTitle(customer.name || customer.email)} isOpen isAlert onClose={onClose}>
      <Form mutation={erase} onSubmit={() => void erase.run(undefined)}>
        <Stack>
          <p>{words.eraseHint}</p>
          <ul className={style.effects}>
            {words.eraseEffects.map((effect) => (
              <li key={effect}>{effect}</li>
            ))}
          </ul>
          <Row>
            <span>{words.eraseExport}</span>
            <Button size="small" onPress={onDownload}>
              {words.export}
            </Button>
          </Row>
          <TextField
            label={words.eraseType(customer.email)}
            value={typed}
            onChange={setTyped}
            autoComplete="off"
            spellCheck="false"
          />
        </Stack>
        <Actions>
          <Button onPress={onClose} autoFocus isDisabled={erase.isPending}>
            {words.keep}
          </Button>
          <Button
            look="danger"
            type="submit"
            isPending={erase.isPending}
            isDisabled={typed.trim().toLowerCase() !== customer.email}
          >
            {words.eraseDeed}
          </Button>
        </Actions>
      </Form>
    </Dialog>
  );
}
