import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api } from '../../api/client.ts';
import { useStore } from '../../api/me.ts';
import { useMutation } from '../../api/mutation.ts';
import { paths } from '../../paths.ts';
import { AddressFields, blankAddress } from '../../shell/address.tsx';
import { CustomFields } from '../../shell/custom-fields/custom-fields.tsx';
import { Failure } from '../../shell/problems.tsx';
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
import { Button, IconButton, LinkButton, TextLink } from '../../ui/button.tsx';
import { Form } from '../../ui/form.tsx';
import { CrossIcon } from '../../ui/icons.tsx';
import { Badge, Card, Facts, Grid, Row, Screen, Skeleton, Stack, TwoColumns } from '../../ui/layout.tsx';
import { ActionMenu, Actions, ConfirmDialog, Dialog } from '../../ui/overlays.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { TagsField } from '../../ui/tags-field.tsx';
import { TextField } from '../../ui/text-field.tsx';
import style from './customers.module.css';
import {
  buildBody,
  type Customer,
  type CustomerDraft,
  customerQuery,
  customersKey,
  noteQuery,
  ordersQuery,
  toDraft,
} from './queries.ts';
import { useCustomerTexts } from './texts.ts';

const blank: CustomerDraft = { email: '', name: '', phone: '', tags: [], addresses: [], customFields: {} };

/** The screen of an existing or new customer. */
export const CustomerScreen = () => (
  <ResourceRoute
    param="customerId"
    title={useCustomerTexts().title}
    toRead="customers.read"
    toCreate="customers.write"
    form={Editor}
  />
);

function Editor(props: ResourceProps) {
  const words = useCustomerTexts();
  const common = useCommon();
  const formats = useFormats();
  const store = useStore();
  const [isNoteDirty, setNoteDirty] = useState(false);
  const [question, setQuestion] = useState<'delete' | 'erase' | null>(null);
  const { customer, form } = useCustomerForm(props, isNoteDirty);
  const { download, remove, erase } = useCustomerActions(customer?.id ?? '', form);
  const { canWrite } = form;
  const title = customer ? customer.name || customer.email : words.new;
  return (
    <Screen
      title={title}
      back={
        <TextLink href={paths.inStore(store.id, 'customers')}>
          {common.backTo({ place: words.title })}
        </TextLink>
      }
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
              label={common.actionsFor({ thing: title })}
              actions={[
                { id: 'export', text: words.export, onAction: () => void download.run(undefined) },
                ...(canWrite
                  ? [
                      {
                        id: 'delete',
                        text: words.delete,
                        isDanger: true,
                        onAction: () => setQuestion('delete'),
                      },
                      {
                        id: 'erase',
                        text: words.erase,
                        isDanger: true,
                        onAction: () => setQuestion('erase'),
                      },
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
          <ResourceForm form={form} bar={<FormSaveBar form={form} isNew={!customer} />}>
            <PersonCard form={form} isNew={!customer} />
            <AddressesCard form={form} />
            <CustomFields entity="customer" {...form.field('customFields')} />
          </ResourceForm>
        }
        side={
          customer && (
            <>
              <OrdersCard customer={customer} />
              <NoteCard customerId={customer.id} canWrite={canWrite} onDirty={setNoteDirty} />
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
      <ConfirmDialog
        title={words.deleteTitle({ name: title })}
        confirm={words.deleteDeed}
        isOpen={question === 'delete'}
        onClose={() => setQuestion(null)}
        onConfirm={() => remove.attempt()}
      >
        {words.deleteHint}
      </ConfirmDialog>
      {customer && question === 'erase' && (
        <EraseDialog
          customer={customer}
          erase={erase}
          onDownload={() => void download.run(undefined)}
          onClose={() => setQuestion(null)}
        />
      )}
    </Screen>
  );
}

/** The customer and the form. A new customer is created by the first save. */
function useCustomerForm(props: ResourceProps, isElseDirty: boolean) {
  const words = useCustomerTexts();
  const store = useStore();
  const queries = useQueryClient();
  const { read, adopt } = useResource(props, customerQuery(store.id, props.id));
  const customer: Customer | null = read?.customer ?? null;
  const form = useResourceForm({
    stored: customer ? toDraft(customer) : blank,
    etag: read?.etag ?? null,
    canWrite: store.can('customers.write'),
    isElseDirty,
    async save({ value, headers }) {
      const body = buildBody(value, customer?.customFields);
      if (customer)
        return api.put('/api/stores/{storeId}/customers/{id}', {
          params: { path: { storeId: store.id, id: customer.id } },
          headers,
          body,
        });
      const { customer: saved } = await api.post('/api/stores/{storeId}/customers', {
        params: { path: { storeId: store.id } },
        body,
      });
      return queries.fetchQuery(customerQuery(store.id, saved.id)).catch(() => ({ customer: saved }));
    },
    done: customer ? words.saved : words.created,
    invalidates: [customersKey(store.id)],
    onSaved: (saved) =>
      adopt(saved, saved.customer.id, paths.inStore(store.id, 'customers', saved.customer.id)),
  });
  return { customer, form };
}

function useCustomerActions(id: string, form: ReturnType<typeof useCustomerForm>['form']) {
  const words = useCustomerTexts();
  const store = useStore();
  const queries = useQueryClient();
  const key = customersKey(store.id);
  const download = useMutation(
    async () => {
      const answer = await api.fetch(`/api/stores/${store.id}/customers/${id}/export`);
      saveFile(`${id}.json`, await answer.blob());
    },
    { done: words.exported },
  );
  const removal = {
    leaveTo: paths.inStore(store.id, 'customers'),
    queryKey: [...key, id],
    onRemoved() {
      // Otherwise a cached list would show the customer until it has been read again.
      queries.removeQueries({ queryKey: key, type: 'inactive' });
      queries.removeQueries({ queryKey: ['stores', store.id, 'orders'], type: 'inactive' });
    },
  };
  const remove = useRemoval(form, {
    ...removal,
    remove: () =>
      api.delete('/api/stores/{storeId}/customers/{id}', { params: { path: { storeId: store.id, id } } }),
    done: words.deleted,
  });
  const erase = useRemoval(form, {
    ...removal,
    remove: () =>
      api.post('/api/stores/{storeId}/customers/{customerId}/erase', {
        params: { path: { storeId: store.id, customerId: id } },
      }),
    done: words.erased,
  });
  return { download, remove, erase };
}

type FormProps = { form: Fields<CustomerDraft> };

function PersonCard({ form, isNew }: FormProps & { isNew: boolean }) {
  const words = useCustomerTexts();
  return (
    <Card title={words.person}>
      <Grid>
        <TextField
          label={words.name}
          {...form.field('name')}
          autoComplete="off"
          maxLength={200}
          autoFocus={isNew}
        />
        <TextField label={words.email} type="email" {...form.field('email')} autoComplete="off" isRequired />
        <TextField
          label={words.phone}
          type="tel"
          {...form.field('phone')}
          autoComplete="off"
          maxLength={50}
        />
        <TagsField label={words.tags} hint={words.tagsHint} {...form.field('tags')} />
      </Grid>
    </Card>
  );
}

function AddressesCard({ form: { value, change, isReadOnly } }: FormProps) {
  const words = useCustomerTexts();
  const { addresses } = value;
  return (
    <Card title={words.addresses}>
      {addresses.length === 0 && <p>{words.noAddresses}</p>}
      {addresses.map((address, position) => (
        <fieldset
          key={position}
          className={style.address}
          aria-label={words.addressNumber({ number: position + 1 })}
        >
          <div className={style.addressHead}>
            <span>{words.addressNumber({ number: position + 1 })}</span>
            {!isReadOnly && (
              <IconButton
                label={words.removeAddress({ number: position + 1 })}
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
            isReadOnly={isReadOnly}
          />
        </fieldset>
      ))}
      {!isReadOnly && addresses.length < 20 && (
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

function OrdersCard({ customer }: { customer: Customer }) {
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
              <TextLink href={at(id)}>{words.orderNumber({ number })}</TextLink> · {formats.date(createdAt)}
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
          {words.allOrders({ count: data.total })}
        </TextLink>
      )}
    </Card>
  );
}

/** The team's private note about a customer. It is saved separately from the customer's data. */
function NoteCard({
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
  const query = noteQuery(store.id, customerId);
  const { data, error, refetch } = useQuery(query);
  const form = useResourceForm({
    stored: { note: data?.note ?? '' },
    etag: data?.etag ?? null,
    canWrite,
    save: ({ value, headers }) =>
      api.patch('/api/stores/{storeId}/customers/{customerId}/note', {
        params: { path: { storeId: store.id, customerId } },
        headers,
        body: value,
      }),
    done: words.noteSaved,
    invalidates: [query.queryKey],
  });
  const { isDirty } = form;
  useEffect(() => onDirty(isDirty), [isDirty, onDirty]);
  return (
    <Card title={words.note}>
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton lines={3} />}
      {data && (
        <ResourceForm
          form={form}
          isPart
          bar={
            canWrite && (
              <Row>
                <Button type="submit" isPending={form.mutation.isPending} isDisabled={!isDirty}>
                  {words.saveNote}
                </Button>
              </Row>
            )
          }
        >
          <TextField
            label={words.note}
            hint={words.noteHint}
            rows={4}
            {...form.field('note')}
            maxLength={10_000}
          />
        </ResourceForm>
      )}
    </Card>
  );
}

/** Erasure is irreversible, so the button is disabled until the e-mail address is typed. */
function EraseDialog({
  customer,
  erase,
  onDownload,
  onClose,
}: {
  customer: Customer;
  erase: ReturnType<typeof useRemoval>;
  onDownload(): void;
  onClose(): void;
}) {
  const words = useCustomerTexts();
  const [typed, setTyped] = useState('');
  return (
    <Dialog
      title={words.eraseTitle({ name: customer.name || customer.email })}
      isOpen
      isAlert
      onClose={onClose}
    >
      <Form mutation={erase} onSubmit={() => void erase.run()}>
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
            label={words.eraseType({ email: customer.email })}
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
