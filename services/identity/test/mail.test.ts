import { once } from 'node:events';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type EventData,
  type EventMessage,
  errors,
  hashCredential,
  MailRequested,
  newId,
} from '@waybill/contracts';
import { createInProcessBus, createLog, metrics, ReportedError } from '@waybill/kernel';
import { eventually, listMailsTo, openTestDatabase, startSystem, type TestSystem } from '@waybill/testing';
import type { Insertable, Kysely, Transaction } from 'kysely';
import { SMTPServer } from 'smtp-server';
import type { Context } from '../src/config.ts';
import { identity } from '../src/index.ts';
import { measureMail, queueOrderMails, queueRequestedMails, sweepMails } from '../src/mail/mail.ts';
import type { MailRow } from '../src/mail/queries.ts';
import { type OutgoingMail, openTransport, type Transport } from '../src/mail/transport.ts';
import { readMailFacts } from '../src/mail-sending/compose.ts';
import { mailTask } from '../src/mail-sending/sending.ts';
import type { Tables } from '../src/tables.ts';
import { type Client, createClient, type Person, repeat } from './people.ts';

/** Starts a real mail server, whose behaviour depends on the recipient's address. */
async function startMailServer() {
  const received: { to: string; text: string }[] = [];
  const greyed = new Map<string, number>();
  const hanging: (() => void)[] = [];
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    hideSTARTTLS: true,
    onRcptTo({ address }, _, answer) {
      const refuse = (responseCode: number) =>
        answer(Object.assign(new Error(`nothing for ${address} here`), { responseCode }));
      if (address.startsWith('unknown')) return refuse(550);
      const seen = greyed.get(address) ?? 0;
      greyed.set(address, seen + 1);
      if (address.startsWith('grey') && seen === 0) return refuse(451);
      if (address.startsWith('never')) return refuse(452);
      if (address.startsWith('hang')) return void hanging.push(() => refuse(451));
      answer();
    },
    onData(stream, { envelope }, answer) {
      let text = '';
      stream.on('data', (chunk) => (text += chunk));
      stream.on('end', () => {
        received.push({
          to: envelope.rcptTo[0]!.address,
          text: text.replaceAll('=\r\n', '').replaceAll('=3D', '='),
        });
        answer();
      });
    },
    logger: false,
  });
  server.on('error', () => {});
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  return {
    received,
    /** Recipients that wait for the server's answer. */
    hanging,
    letGo() {
      for (const answer of hanging.splice(0)) answer();
    },
    url: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`,
    stop: () => new Promise<void>((resolve) => server.close(resolve)),
  };
}

const from = { name: 'Waybill', address: 'no-reply@waybill.test' };
const log = createLog('silent');

let server: Awaited<ReturnType<typeof startMailServer>>;
let system: TestSystem;
let client: Client;
let db: Kysely<Tables>;
let sender: Person;
beforeAll(async () => {
  server = await startMailServer();
  system = await startSystem([identity], {
    SMTP_URL: server.url,
    MAIL_FROM: `${from.name} <${from.address}>`,
    MAIL_RETRY_DELAYS_SECONDS: '0, 0',
    PUBLIC_BASE_URL: 'https://waybill.test/',
  });
  client = createClient(system);
  db = await openTestDatabase<Tables>(system.databaseUrl('identity'), 4);
  sender = await client.newPerson('Zoë');
  // Without a verified address, the sender could not mail outsiders.
  await client.verify(sender);
});
afterAll(async () => {
  await db.destroy();
  await system.stop();
  await server.stop();
});

const smtp = () => openTransport({ smtpUrl: server.url, from, folder: '' }, log);
const never = new AbortController().signal;
const mail = (to: string) => ({ to, subject: 'Größe', text: 'Hello\n', html: '<p>Hello</p>' });
const receivedBy = (address: string) => server.received.filter(({ to }) => to === address);

/** Starts another copy of the service beside the one of `system`. */
function startCopy({ isAlone = false } = {}) {
  const transport = smtp();
  const context = {
    db,
    log,
    stopping: never,
    bus: isAlone ? createInProcessBus(log) : { isSingleProcess: false },
    config: { mailRetryDelays: [0, 0], consoleUrl: 'https://waybill.test/console' },
    state: { mail: transport },
    transaction: (work: (trx: Transaction<Tables>) => Promise<unknown>) => db.transaction().execute(work),
  } as unknown as Context;
  return { context, send: mailTask(context), close: () => transport.close() };
}

/** Queues an invitation to an address that is not registered. */
async function put(address: string, row: Partial<Insertable<Tables['mail']>> = {}): Promise<number> {
  const data = { orgId: 'org_1', invitationId: newId('invitation'), orgName: 'Acme', role: 'owner' };
  const { id } = await db
    .insertInto('mail')
    .values({ template: 'orgInvitation', address, sender_id: sender.id, data, ...row })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}
const find = (id: number) => db.selectFrom('mail').selectAll().where('id', '=', id).executeTakeFirst();
const ends = (id: number, state: string) =>
  eventually(async () => ((await find(id))?.state === state ? find(id) : null), {
    what: `${state} mail ${id}`,
  });

describe('a mail', () => {
  test('reaches the mail server with a link whose token is stored only as a hash', async () => {
    const { email, id: userId } = await client.newPerson();
    const { text } = await eventually(() => receivedBy(email)[0]);
    const token = /https:\/\/waybill\.test\/console\/verify\?token=([\w-]{43})/.exec(text)![1]!;
    expect(text).toMatch(/^From: Waybill <no-reply@waybill\.test>\r$/m);
    expect(text).toContain('Auto-Submitted: auto-generated');
    const tokens = await db.selectFrom('one_time_token').selectAll().where('subject', '=', userId).execute();
    expect(tokens.map(({ hash }) => hash)).toEqual([hashCredential(token)]);
    const row = await db
      .selectFrom('mail')
      .selectAll()
      .where('user_id', '=', userId)
      .executeTakeFirstOrThrow();
    expect(JSON.stringify(row)).not.toContain(token);
  });

  test('is dead immediately if the server does not know the recipient; the reason is stored without the address', async () => {
    const { failures, last_error } = await ends(await put('unknown@example.com'), 'dead');
    expect([failures, last_error]).toEqual([0, 'EENVELOPE RCPT TO 550']);
  });

  test('is sent at the second attempt if the server requests one (greylisting)', async () => {
    const { failures, last_error } = await ends(await put('grey@example.com'), 'sent');
    expect([failures, last_error]).toEqual([1, 'EENVELOPE RCPT TO 451']);
    expect(receivedBy('grey@example.com')).toHaveLength(1);
  });

  test('is given up after the last delay, and counted', async () => {
    const { failures, last_error } = await ends(await put('never@example.com'), 'dead');
    expect([failures, last_error]).toEqual([2, 'EENVELOPE RCPT TO 452']);
    await measureMail(startCopy().context);
    const { values } = await metrics.getSingleMetric('waybill_mail_dead_mails')!.get();
    expect(values[0]!.value).toBeGreaterThanOrEqual(1);
  });

  test('that waits is counted, and for how long it has', async () => {
    const undone = new Error('taken back');
    const gauge = async (name: string) => (await metrics.getSingleMetric(name)!.get()).values[0]!.value;
    // Computed before the transaction, because `now()` is fixed to the transaction's beginning.
    const due_at = new Date(Date.now() - 100_000);
    const work = db.transaction().execute(async (trx) => {
      // The row is not visible outside, or the service would send the mail.
      await trx
        .insertInto('mail')
        .values({ template: 'orgInvitation', address: 'late@example.com', data: {}, due_at })
        .execute();
      await measureMail({ ...startCopy().context, db: trx });
      expect(await gauge('waybill_mail_queued_mails')).toBeGreaterThanOrEqual(1);
      expect(await gauge('waybill_mail_oldest_due_seconds')).toBeGreaterThanOrEqual(100);
      throw undone;
    });
    await expect(work).rejects.toBe(undone);
    await measureMail(startCopy().context);
    expect(await gauge('waybill_mail_oldest_due_seconds')).toBeLessThan(100);
  });

  test('is sent to exactly one address of any form; one that SMTP cannot express is dead immediately', async () => {
    await ends(await put('ann,eve@example.com'), 'sent');
    expect(server.received.at(-1)!.to).toBe('"ann,eve"@example.com');
    const { failures, last_error } = await ends(await put('<x>,y@example.com'), 'dead');
    expect([failures, last_error]).toEqual([0, 'EENVELOPE']);
  });

  test('that a server delays do not delay others, due now or later', async () => {
    const held = await put('hang-first@example.com');
    await eventually(() => server.hanging.length > 0);
    await ends(await put('second@example.com'), 'sent');
    expect((await find(held))!.failures).toBe(0);
    server.letGo();
    await eventually(async () => (await find(held))!.failures > 0);
    await db.deleteFrom('mail').where('id', '=', held).execute();
    server.letGo();
  });

  test('of a template that this version does not know is tried again', async () => {
    const { failures, last_error } = await ends(
      await put('later@example.com', { template: 'later' }),
      'dead',
    );
    expect([failures, last_error]).toEqual([2, 'unknown template']);
  });

  test('is written in the recipient’s language, or in the sender’s for an unknown recipient', async () => {
    await db.updateTable('user_account').set({ locale: 'de' }).where('id', '=', sender.id).execute();
    const reader = await client.newPerson();
    await ends(await put('stranger@example.com'), 'sent');
    await ends(await put(reader.email), 'sent');
    expect(receivedBy('stranger@example.com')[0]!.text).toContain('=?UTF-8?Q?Zo=C3=AB_l=C3=A4dt_Sie');
    expect(
      receivedBy(reader.email)
        .map(({ text }) => text)
        .join(),
    ).toContain('invites you');
  });

  test('is dropped when its recipient should no longer get it', async () => {
    const { id: userId, email } = await client.newPerson();
    await eventually(() => receivedBy(email).length === 1);
    await db
      .updateTable('user_account')
      .set({ email_verified_at: new Date() })
      .where('id', '=', userId)
      .execute();
    const dropped = await Promise.all([
      put('', { template: 'verify', user_id: userId, address: null }),
      put('nobody@example.com', { template: 'reset' }),
      put('nobody@example.com', { sender_id: newId('user') }),
      put('nobody@example.com', {
        template: 'invitation',
        data: { storeId: 'str_1', invitationId: 'inv_1' },
      }),
      put('nobody@example.com', { template: 'deliveryDead' }),
    ]);
    await eventually(async () => (await Promise.all(dropped.map(find))).every((row) => !row));
    expect(receivedBy(email)).toHaveLength(1);
    expect(receivedBy('nobody@example.com')).toEqual([]);
  });
});

describe('copies of the service', () => {
  test('send each mail once, even with several replicas', async () => {
    const copies = [startCopy(), startCopy()];
    const ids = await Promise.all(Array.from({ length: 40 }, (_, i) => put(`crowd-${i}@example.com`)));
    await Promise.all(copies.map(({ send }) => send()));
    await Promise.all(ids.map((id) => ends(id, 'sent')));
    expect(server.received.filter(({ to }) => to.startsWith('crowd-'))).toHaveLength(40);
    for (const { close } of copies) close();
  });

  test('take over from a killed replica when its lease ends, and not before', async () => {
    const lease = { is_leased: true, due_at: new Date(Date.now() + 2_000) };
    const id = await put('killed@example.com', lease);
    await ends(id, 'sent');
    expect((await find(id))!.settled_at!.getTime()).toBeGreaterThanOrEqual(lease.due_at.getTime());
  });

  test('a single replica claims it at its start', async () => {
    const id = await put('alone@example.com', { is_leased: true, due_at: new Date(Date.now() + 3_600_000) });
    const copy = startCopy({ isAlone: true });
    await copy.send();
    await ends(id, 'sent');
    copy.close();
  });

  test('a replica that loses its database after a mail records it later, and sends none twice', async () => {
    const copy = startCopy();
    let isAway = false;
    const address = 'once@example.com';
    const sentHere: string[] = [];
    const send = mailTask({
      ...copy.context,
      db: new Proxy(db, {
        get(_, key) {
          if (isAway) throw new ReportedError('away');
          const value = Reflect.get(db, key, db);
          return typeof value === 'function' ? value.bind(db) : value;
        },
      }),
      state: {
        mail: {
          async send(outgoing: OutgoingMail, signal: AbortSignal) {
            await copy.context.state.mail.send(outgoing, signal);
            isAway = true;
            sentHere.push(outgoing.to);
          },
        },
      },
    } as unknown as Context);
    // The system's own copy may claim the first mails.
    let id = 0;
    let puts = 0;
    for (; sentHere.length === 0; puts++) {
      id = await put(address);
      await send().catch((error) => expect(error).toBeInstanceOf(ReportedError));
    }
    expect(await find(id)).toMatchObject({ state: 'queued', is_leased: true });
    isAway = false;
    await send();
    expect(await find(id)).toMatchObject({ state: 'sent', is_leased: false });
    expect(receivedBy(address)).toHaveLength(puts);
    copy.close();
  });

  test('are retried soon after a stop interrupted them, without counting it', async () => {
    const id = await put('hang@example.com');
    await eventually(() => server.hanging.length > 0);
    const begun = performance.now();
    await system.restart();
    expect(performance.now() - begun).toBeLessThan(12_000);
    expect(await find(id)).toMatchObject({ state: 'queued', failures: 0, last_error: null });
    await db.deleteFrom('mail').where('id', '=', id).execute();
    server.letGo();
  });
});

describe('an SMTP transport', () => {
  test('gives up a hanging server after a timeout, and requests another attempt', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const toSilent = openTransport(
      { smtpUrl: `smtp://127.0.0.1:${(silent.address() as AddressInfo).port}`, from, folder: '' },
      log,
    );
    const toServer = smtp();
    for (const transport of [toSilent, toServer]) {
      const sending = transport.send(mail('hang@example.com'), AbortSignal.timeout(300));
      await expect(sending).rejects.toMatchObject({ isFinal: false });
      transport.close();
    }
    silent.close();
  });

  test('requests another attempt if nothing listens', async () => {
    const closed = openTransport({ smtpUrl: 'smtp://127.0.0.1:1', from, folder: '' }, log);
    await expect(closed.send(mail('a@example.com'), never)).rejects.toMatchObject({ isFinal: false });
    closed.close();
  });
});

describe('files in place of a server', () => {
  let folder: string;
  let transport: Transport;
  beforeAll(async () => {
    folder = join(await mkdtemp(join(tmpdir(), 'waybill-mail-')), 'mail');
    transport = openTransport({ smtpUrl: null, from, folder }, log);
  });
  afterAll(() => rm(join(folder, '..'), { recursive: true, force: true }));

  test('are readable only to their owner, completely, and never overwrite another’s', async () => {
    await Promise.all(Array.from({ length: 20 }, () => transport.send(mail('ann@example.com'), never)));
    const names = await readdir(folder);
    expect(names).toHaveLength(20);
    for (const name of names) {
      expect(name).toMatch(/^\d{8}T\d{6}-\d{3}Z-ann@example\.com\.eml$/);
      expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
    }
    expect((await listMailsTo(join(folder, '..'), 'ann@example.com'))[0]).toContain('\r\n<p>Hello</p>');
  });

  test.each([
    '../../etc/passwd@example.com',
    '/@example.com',
    `${'ü'.repeat(240)}@example.com`,
    '.@example.com',
    'a\0b@example.com',
  ])('stay in the folder: %j', async (address) => {
    const before = await readdir(folder);
    await transport.send(mail(address), never);
    const fresh = (await readdir(folder)).filter((name) => !before.includes(name));
    expect(fresh).toEqual([expect.stringMatching(/^[\w-]+Z-[\w@.+-]{1,100}\.eml$/)]);
  });

  test('end a start that has no place for them, with one line', async () => {
    await writeFile(join(folder, 'file'), '');
    expect(() => openTransport({ smtpUrl: null, from, folder: join(folder, 'file', 'mail') }, log)).toThrow(
      /^SMTP_URL: must be set where mails cannot be written to .*ENOTDIR/,
    );
  });
});

describe('what other services ask for', () => {
  const requestTo = (data: EventData<typeof MailRequested>): EventMessage => ({
    id: newId('event'),
    name: MailRequested.name,
    storeId: '',
    createdAt: new Date().toISOString(),
    data: JSON.stringify(data),
  });

  test('is sent once to each manager of the store with a verified address', async () => {
    const [owner, admin, unverified, editor] = await repeat(4, () => client.newPerson());
    const storeId = await client.newStore(owner!);
    for (const [person, role] of [
      [admin, 'admin'],
      [unverified, 'admin'],
      [editor, 'editor'],
    ] as const)
      await client.addMember(storeId, owner!, person!, role);
    const verified = [owner!, admin!, editor!].map(({ id }) => id);
    await db
      .updateTable('user_account')
      .set({ email_verified_at: new Date() })
      .where('id', 'in', verified)
      .execute();
    const { context, close } = startCopy();
    const request = requestTo({
      mail: { template: 'endpointFailing', data: { endpointId: 'whe_1', host: 'hooks.example.com' } },
      audience: { storeAdmins: storeId },
    });
    await queueRequestedMails(context, [request]);
    await queueRequestedMails(context, [
      request,
      requestTo({ mail: JSON.parse(request.data).mail, audience: { storeAdmins: 'str_none' } }),
    ]);
    close();
    const rows = await db.selectFrom('mail').selectAll().where('template', '=', 'endpointFailing').execute();
    expect(rows.map(({ user_id }) => user_id).sort()).toEqual([owner!.id, admin!.id].sort());
    for (const { id } of rows) await ends(id, 'sent');
    const mails = receivedBy(admin!.email)
      .map(({ text }) => text)
      .filter((text) => text.includes('hooks. example. com'));
    expect(mails).toHaveLength(1);
    expect(mails[0]).toContain('Shop: a webhook is failing');
  });

  test('names amounts as the reader’s language writes them', async () => {
    const owner = await client.newPerson();
    const storeId = await client.newStore(owner);
    await db
      .updateTable('user_account')
      .set({ email_verified_at: new Date(), locale: 'de' })
      .where('id', '=', owner.id)
      .execute();
    const { context, close } = startCopy();
    const data = { orderNumber: '7', amount: '€1,234.50', amountCents: '123450', currency: 'EUR' };
    await queueRequestedMails(context, [
      requestTo({ mail: { template: 'paymentDisputed', data }, audience: { storeAdmins: storeId } }),
    ]);
    close();
    const rows = await db.selectFrom('mail').select('id').where('template', '=', 'paymentDisputed').execute();
    for (const { id } of rows) await ends(id, 'sent');
    const mails = receivedBy(owner.email).map(({ text }) => text);
    expect(mails.join()).toMatch(/es geht um 1\.234,50.(?:€|=E2=82=AC)/);
  });
});

test('users who are named get a mail each, those with verified addresses', async () => {
  const [owner, unverified] = await repeat(2, () => client.newPerson());
  await db
    .updateTable('user_account')
    .set({ email_verified_at: new Date() })
    .where('id', '=', owner!.id)
    .execute();
  const { context, close } = startCopy();
  const data = { orgName: 'Reviews Ltd.', appName: 'Stars', number: '3', reason: 'No icon.' };
  const event = {
    id: newId('event'),
    name: MailRequested.name,
    storeId: '',
    createdAt: new Date().toISOString(),
    data: JSON.stringify({
      mail: { template: 'appVersionRejected', data },
      audience: { users: [owner!.id, unverified!.id, newId('user')] },
    }),
  };
  await queueRequestedMails(context, [event]);
  await queueRequestedMails(context, [event]);
  close();
  const rows = await db.selectFrom('mail').selectAll().where('template', '=', 'appVersionRejected').execute();
  expect(rows.map(({ user_id }) => user_id)).toEqual([owner!.id]);
  await ends(rows[0]!.id, 'sent');
  const [mail] = receivedBy(owner!.email).filter(({ text }) => text.includes('Stars 3'));
  expect(mail!.text).toContain('No icon.');
});

describe('orders', () => {
  const created = (storeId: string, orderId: string): EventMessage => ({
    id: newId('event'),
    name: 'orders.order.created',
    createdAt: new Date().toISOString(),
    storeId,
    data: JSON.stringify({ order: { id: orderId } }),
  });

  test('are mailed once each to their buyers and owners, however often their events arrive', async () => {
    const { context, close } = startCopy();
    const owners = await repeat(2, () => client.newPerson());
    const stores = await Promise.all(owners.map((owner) => client.newStore(owner)));
    const ids = owners.map(({ id }) => id);
    await db
      .updateTable('user_account')
      .set({ email_verified_at: new Date() })
      .where('id', 'in', ids)
      .execute();
    const orders = [stores[0]!, stores[1]!, stores[0]!, newId('store')].map(
      (storeId) => [storeId, newId('order')] as const,
    );
    const events = orders.map((order) => created(...order));
    const listMailed = async () => {
      const rows = await db
        .selectFrom('mail')
        .select(['template', 'user_id', 'data'])
        .where('template', 'in', ['orderReceipt', 'orderCreated'])
        .execute();
      return orders.map(([storeId, orderId]) =>
        rows
          .filter(({ data }) => data.orderId === orderId && data.storeId === storeId)
          .map(({ template, user_id }) => user_id ?? template)
          .sort(),
      );
    };
    // The uncommitted transaction hides the mails from the service.
    await db.transaction().execute(async (trx) => {
      const alone = {
        ...context,
        transaction: (work: (trx: Transaction<Tables>) => unknown) => work(trx),
      } as unknown as Context;
      await queueOrderMails(alone, [...events.slice(0, 3), events[0]!]);
      await queueOrderMails(alone, events);
      await trx
        .updateTable('mail')
        .set({ due_at: new Date(Date.now() + 60_000) })
        .where('template', 'like', 'order%')
        .execute();
    });
    const [first, second] = ids;
    expect(await listMailed()).toEqual([
      ['orderReceipt', first].sort(),
      ['orderReceipt', second].sort(),
      ['orderReceipt', first].sort(),
      ['orderReceipt'],
    ]);
    await db.deleteFrom('mail').where('template', 'like', 'order%').execute();
    close();
  });

  test.each([
    ['does not answer', () => Promise.reject(errors.resource_unavailable())],
    ['is of a version that has no such answer', async () => null],
  ])('keep up no other mail, nor are they dropped, where their service %s', async (_, call) => {
    const storeId = await client.newStore(sender);
    const { context, close } = startCopy();
    const mail = (id: number, row: Partial<Insertable<Tables['mail']>>) =>
      ({ id, user_id: null, address: '', sender_id: null, data: {}, ...row }) as MailRow;
    const receipt = mail(1, { template: 'orderReceipt', data: { storeId, orderId: newId('order') } });
    const other = mail(2, { template: 'passwordChanged', user_id: sender.id });
    const facts = await readMailFacts({ ...context, peers: { call } } as unknown as Context, [
      receipt,
      other,
    ]);
    expect(facts.getParties(other).reader).toMatchObject({ id: sender.id });
    await expect(facts.customers.findOrder(receipt)).rejects.toThrow();
    close();
  });
});

test('old mails are deleted: sent ones after a day, dead ones after 30', async () => {
  const ago = (days: number) => new Date(Date.now() - days * 86_400_000 - 60_000);
  const [oldSent, sent, oldDead, dead] = await Promise.all([
    put('x@example.com', { state: 'sent', settled_at: ago(1) }),
    put('x@example.com', { state: 'sent', settled_at: ago(0) }),
    put('x@example.com', { state: 'dead', settled_at: ago(30) }),
    put('x@example.com', { state: 'dead', settled_at: ago(29) }),
  ]);
  await sweepMails({ db } as Context);
  expect(
    await Promise.all([oldSent, sent, oldDead, dead].map(async (id) => Boolean(await find(id)))),
  ).toEqual([false, true, false, true]);
});

test('settings are checked when the process starts', () => {
  const read = (env: Record<string, string>) =>
    identity.config.read({ WAYBILL_USER_TOKEN_KEY: 'A'.repeat(43), MAIL_FROM: 'a@example.com', ...env });
  expect(
    read({
      SMTP_URL: 'smtps://user:secret@mail.example.com',
      MAIL_FROM: 'Tea, "The" House <tea@example.com>',
    }).mail.from.address,
  ).toBe('tea@example.com');
  const wrong: [Record<string, string>, string][] = [
    [{ SMTP_URL: 'http://user:secret@mail.example.com' }, 'SMTP_URL'],
    [{ SMTP_URL: 'smtp://' }, 'SMTP_URL'],
    [{ SMTP_URL: 'smtp://user:secret@mail.example.com', MAIL_FROM: '' }, 'MAIL_FROM'],
    [{ MAIL_FROM: 'nobody' }, 'MAIL_FROM'],
    [{ MAIL_FROM: 'a@example.com, b@example.com' }, 'MAIL_FROM'],
    [{ MAIL_RETRY_DELAYS_SECONDS: '60,soon' }, 'MAIL_RETRY_DELAYS_SECONDS'],
  ];
  for (const [env, name] of wrong) {
    expect(() => read(env)).toThrow(new RegExp(`^${name}: (?:must|does not have the required form)`));
    expect(() => read(env)).not.toThrow('secret');
  }
});
