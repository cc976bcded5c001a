import { useQuery } from '@tanstack/react-query';
import { isWaybillError, type Model } from '@waybill/sdk';
import { useEffect, useMemo, useRef, useState } from 'react';
import { api } from '../../api/client.ts';
import { useStore } from '../../api/me.ts';
import { type Problems, useMutation } from '../../api/mutation.ts';
import { paths } from '../../paths.ts';
import { navigate } from '../../router/history.ts';
import { useSearch } from '../../router/router.tsx';
import { type Address, AddressFields, blankAddress } from '../../shell/address.tsx';
import { NoPermission } from '../../shell/problems.tsx';
import { Unsaved } from '../../shell/unsaved.tsx';
import { useCommon } from '../../texts/common.ts';
import { useFormats } from '../../texts/format.ts';
import { IconButton, TextLink } from '../../ui/button.tsx';
import { SearchChoice } from '../../ui/combo-box.tsx';
import { Form } from '../../ui/form.tsx';
import { CrossIcon } from '../../ui/icons.tsx';
import { Card, Grid, Notice, Screen } from '../../ui/layout.tsx';
import { NumberField } from '../../ui/number-field.tsx';
import { SaveBar } from '../../ui/save-bar.tsx';
import { Select } from '../../ui/select.tsx';
import { Switch } from '../../ui/switch.tsx';
import { TextField } from '../../ui/text-field.tsx';
import style from './orders.module.css';
import { type Customer, choicesQuery, customerQuery, customersQuery } from './queries.ts';
import { useOrderTexts } from './texts.ts';

/** A line of the new order, with the variant's data from when it was added. */
interface Line {
  variantId: string;
  name: string;
  detail: string;
  priceCents: number;
  stock: number;
  quantity: number;
}

interface Person {
  name: string;
  email: string;
  phone: string;
}

/** Places an order on behalf of a customer. */
export function NewOrder() {
  const words = useOrderTexts();
  const store = useStore();
  if (store.can('orders.write')) return <Editor />;
  return <NoPermission title={words.new} role={store.role} needed={store.roleFor('orders.write')} />;
}

function Editor() {
  const words = useOrderTexts();
  const common = useCommon();
  const store = useStore();
  const [customer, setCustomer] = useState<Customer | null>(null);
  const [person, setPerson] = useState<Person>({ name: '', email: '', phone: '' });
  const [address, setAddress] = useState<Address | null>(null);
  const [lines, setLines] = useState<readonly Line[]>([]);
  const [isLacking, setLacking] = useState(false);
  const [placed, setPlaced] = useState<string | null>(null);

  const choose = (next: Customer) => {
    setCustomer(next);
    setPerson({ name: next.name, email: next.email, phone: next.phone ?? '' });
    setAddress(next.addresses[0] ?? null);
  };
  useLinkedCustomer(choose);

  const body: Model<'CheckoutInput'> = {
    items: lines.map(({ variantId, quantity }) => ({ variantId, quantity })),
    customer: {
      name: person.name.trim(),
      email: person.email.trim(),
      phone: person.phone.trim() || null,
      shippingAddress: address as Model<'AddressInput'> | null,
    },
  };
  const place = useMutation(
    () => api.post('/api/stores/{storeId}/orders', { params: { path: { storeId: store.id } }, body }),
    {
      done: ({ order }) => words.placed({ number: order.number }),
      invalidates: ['orders', 'products', 'customers'].map((part) => ['stores', store.id, part]),
      onDone: ({ order }) => setPlaced(order.id),
    },
  );
  // Navigates after the render that clears the unsaved state, so that the user is not asked.
  useEffect(() => {
    if (placed) navigate(paths.inStore(store.id, 'orders', placed), { replaces: true });
  }, [placed, store.id]);

  const problems = useLineProblems(place, body);
  const isDirty = placed === null && (lines.length > 0 || person.name !== '' || person.email !== '');
  const change = (next: readonly Line[]) => {
    if (next.length > 0) setLacking(false);
    setLines(next);
  };
  const submit = () => {
    setLacking(lines.length === 0);
    if (lines.length > 0) void place.run(undefined);
  };

  return (
    <Screen
      title={words.new}
      width="text"
      back={
        <TextLink href={paths.inStore(store.id, 'orders')}>{common.backTo({ place: words.title })}</TextLink>
      }
    >
      <Form
        mutation={{ ...place, isPending: place.isPending || placed !== null, problems }}
        onSubmit={submit}
      >
        <CustomerCard
          customer={customer}
          person={person}
          address={address}
          onChoose={choose}
          onPerson={setPerson}
          onAddress={setAddress}
        />
        <LinesCard lines={lines} isLacking={isLacking} onChange={change} />
        <SaveBar label={words.place} isPending={place.isPending} isDirty={isDirty} isReady />
      </Form>
      <Unsaved isDirty={isDirty} />
    </Screen>
  );
}

/** Chooses the customer in the address once; the customer's screen links here. */
function useLinkedCustomer(onChoose: (customer: Customer) => void) {
  const store = useStore();
  const search = useSearch<{ customer?: string }>();
  const { data: linked } = useQuery({
    ...customerQuery(store.id, search.customer ?? ''),
    enabled: search.customer !== undefined,
  });
  const isChosen = useRef(false);
  useEffect(() => {
    if (!linked || isChosen.current) return;
    isChosen.current = true;
    onChoose(linked);
  });
}

/** Returns the problems of a refused order. Lines without enough stock say whether any units are left. */
function useLineProblems(
  { problems, error }: { problems: Problems; error: Error | null },
  body: Model<'CheckoutInput'>,
): Problems {
  const words = useOrderTexts();
  return useMemo(() => {
    const scarce = readAvailability(error);
    return Object.fromEntries(
      Object.entries(problems).map(([pointer, message]) => {
        const position = /^\/items\/(\d+)\//.exec(pointer)?.[1];
        const left =
          position === undefined ? undefined : scarce.get(body.items[Number(position)]?.variantId ?? '');
        if (left === undefined) return [pointer, message];
        return [`/items/${position}/quantity`, left ? words.tooFewLine : words.soldOutLine];
      }),
    );
    // The problems refer to the submitted lines, so later edits do not recompute them.
  }, [problems, error, words]);
}

/** Returns, for an `out_of_stock` error, whether any units of each variant are left. */
function readAvailability(error: unknown): ReadonlyMap<string, boolean> {
  if (!isWaybillError(error, 'out_of_stock')) return new Map();
  const variants = (error.body.variants ?? []) as { variantId: string; available: boolean }[];
  return new Map(variants.map(({ variantId, available }) => [variantId, available]));
}

/** The customer of the order and the delivery address. */
function CustomerCard({
  customer,
  person,
  address,
  onChoose,
  onPerson,
  onAddress,
}: {
  /** The existing customer that the user has chosen. */
  customer: Customer | null;
  person: Person;
  address: Address | null;
  onChoose(customer: Customer): void;
  onPerson(person: Person): void;
  onAddress(address: Address | null): void;
}) {
  const words = useOrderTexts();
  const store = useStore();
  return (
    <Card title={words.who}>
      {store.can('customers.read') && <FindCustomer onChoose={onChoose} />}
      <Grid>
        <TextField
          label={words.name}
          name="/customer/name"
          value={person.name}
          onChange={(name) => onPerson({ ...person, name })}
          autoComplete="off"
          maxLength={200}
          isRequired
        />
        <TextField
          label={words.email}
          name="/customer/email"
          type="email"
          value={person.email}
          onChange={(email) => onPerson({ ...person, email })}
          autoComplete="off"
          isRequired
        />
        <TextField
          label={words.phone}
          name="/customer/phone"
          type="tel"
          value={person.phone}
          onChange={(phone) => onPerson({ ...person, phone })}
          autoComplete="off"
          maxLength={50}
        />
      </Grid>
      <Switch
        label={words.withAddress}
        value={address !== null}
        onChange={(has) => onAddress(has ? { ...blankAddress, name: person.name } : null)}
      />
      {address && customer && customer.addresses.length > 1 && (
        <KnownAddresses customer={customer} present={address} onChoose={onAddress} />
      )}
      {address && <AddressFields name="/customer/shippingAddress" value={address} onChange={onAddress} />}
    </Card>
  );
}

/** The products of the order with their quantities. */
function LinesCard({
  lines,
  isLacking,
  onChange,
}: {
  lines: readonly Line[];
  /** The user tried to place the order without any lines. */
  isLacking: boolean;
  onChange(lines: readonly Line[]): void;
}) {
  const words = useOrderTexts();
  const formats = useFormats();
  const store = useStore();
  const total = lines.reduce((sum, { priceCents, quantity }) => sum + priceCents * quantity, 0);
  const setQuantity = (variantId: string, quantity: number) =>
    onChange(lines.map((line) => (line.variantId === variantId ? { ...line, quantity } : line)));
  const add = (line: Line) => {
    const known = lines.find(({ variantId }) => variantId === line.variantId);
    if (known) setQuantity(known.variantId, known.quantity + 1);
    else onChange([...lines, line]);
  };
  return (
    <Card title={words.what}>
      <FindProduct onChoose={add} />
      {isLacking && <Notice tone="bad">{words.nothingChosen}</Notice>}
      {lines.length === 0 && !isLacking && <p>{words.noLines}</p>}
      <div>
        {lines.map((line, position) => (
          <OrderLine
            key={line.variantId}
            line={line}
            position={position}
            onQuantity={(quantity) => setQuantity(line.variantId, quantity)}
            onRemove={() => onChange(lines.filter(({ variantId }) => variantId !== line.variantId))}
          />
        ))}
      </div>
      {lines.length > 0 && (
        <div className={style.total}>
          <span>
            {words.estimate}
            <small className={style.always}>{words.estimateHint}</small>
          </span>
          <strong>{formats.money(total, store.currency)}</strong>
        </div>
      )}
    </Card>
  );
}

function OrderLine({
  line,
  position,
  onQuantity,
  onRemove,
}: {
  line: Line;
  position: number;
  onQuantity(quantity: number): void;
  onRemove(): void;
}) {
  const words = useOrderTexts();
  const formats = useFormats();
  const store = useStore();
  const stock = line.stock > 0 ? words.left({ count: line.stock }) : words.soldOut;
  return (
    <div className={style.chosen}>
      <div>
        {line.name}
        <small>{[line.detail, formats.money(line.priceCents, store.currency), stock].join(' · ')}</small>
      </div>
      <NumberField
        label={words.quantity}
        name={`/items/${position}/quantity`}
        value={line.quantity}
        minValue={1}
        maxValue={999}
        step={1}
        onChange={(quantity) => onQuantity(quantity ?? 1)}
        isRequired
      />
      <IconButton label={words.removeLine({ name: line.name })} onPress={onRemove}>
        <CrossIcon />
      </IconButton>
    </div>
  );
}

function FindCustomer({ onChoose }: { onChoose(customer: Customer): void }) {
  const words = useOrderTexts();
  const store = useStore();
  const [q, setQ] = useState('');
  const { data, isPending } = useQuery(customersQuery(store.id, q));
  const found = data?.customers ?? [];
  return (
    <SearchChoice
      label={words.findCustomer}
      hint={words.findCustomerHint}
      empty={words.noCustomer}
      isLoading={isPending}
      choices={found.map(({ id, name, email }) => ({
        id,
        text: name || email,
        ...(name && { detail: email }),
      }))}
      onSearch={setQ}
      onChoose={(id) => onChoose(found.find((customer) => customer.id === id)!)}
    />
  );
}

function FindProduct({ onChoose }: { onChoose(line: Line): void }) {
  const words = useOrderTexts();
  const formats = useFormats();
  const store = useStore();
  const [q, setQ] = useState('');
  const { data, isPending } = useQuery(choicesQuery(store.id, q));
  const found = (data?.products ?? []).flatMap((product) =>
    product.variants.map(
      ({ id, name, sku, priceCents, stock }): Line => ({
        variantId: id,
        name: name ? `${product.name}, ${name}` : product.name,
        detail: sku ?? `${product.number}`,
        priceCents,
        stock,
        quantity: 1,
      }),
    ),
  );
  return (
    <SearchChoice
      label={words.findProduct}
      placeholder={words.findProductPlaceholder}
      empty={words.noProduct}
      isLoading={isPending}
      choices={found.map(({ variantId, name, detail, priceCents, stock }) => ({
        id: variantId,
        text: name,
        detail: [
          detail,
          formats.money(priceCents, store.currency),
          stock > 0 ? words.left({ count: stock }) : words.soldOut,
        ].join(' · '),
        isDisabled: stock === 0,
      }))}
      onSearch={setQ}
      onChoose={(id) => onChoose(found.find(({ variantId }) => variantId === id)!)}
    />
  );
}

/** Chooses one of the customer's addresses. Editing the fields below makes it a different one. */
function KnownAddresses({
  customer,
  present,
  onChoose,
}: {
  customer: Customer;
  present: Address;
  onChoose(address: Address): void;
}) {
  const words = useOrderTexts();
  const position = customer.addresses.findIndex(
    (address) => JSON.stringify(address) === JSON.stringify(present),
  );
  return (
    <Select
      label={words.savedAddress}
      choices={customer.addresses.map(({ name, line1, city }, at) => ({
        id: `${at}`,
        text: [name, line1, city].filter(Boolean).join(', '),
      }))}
      value={position < 0 ? null : `${position}`}
      placeholder={words.otherAddress}
      onChange={(at) => onChoose(customer.addresses[Number(at)]!)}
    />
  );
}
