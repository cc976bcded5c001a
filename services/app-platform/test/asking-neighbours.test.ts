import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '@waybill/contracts';
import { countWaitingTransactions } from '@waybill/testing';
import request from 'supertest';
import { plainStars, type Studio, startStudio } from './developers.ts';

/** Number of waiting transactions of the app platform at each request to a neighbour. */
let waited: number[];
let studio: Studio;
beforeEach(async () => {
  waited = [];
  studio = await startStudio();
  studio.whileAsked.act = async () => {
    await sleep(120);
    waited.push(await countWaitingTransactions(studio.system, 'app-platform'));
  };
});
afterEach(() => studio.stop());

const key = { 'idempotency-key': 'once' };

test('with a key, too, no transaction waits for content where blocks are put', async () => {
  const app = await studio.newApp();
  const draft = await app.newVersion();
  const put = () => app.call('put', `${draft.path}/blocks`, { blocks: [plainStars] }, key);
  const first = await put();
  expect([first.status, waited]).toEqual([200, [0]]);
  const again = await put();
  expect([again.text, again.headers['idempotent-replayed']]).toEqual([first.text, 'true']);
});

test('nor where a version is submitted', async () => {
  const app = await studio.newApp();
  const draft = await app.newVersion();
  await studio.db
    .updateTable('app_version')
    .set({ blocks: JSON.stringify([plainStars]) as never })
    .where('id', '=', draft.id)
    .execute();
  const submit = () => app.call('post', `${draft.path}/submit`, undefined, key);
  const first = await submit();
  expect([first.status, waited]).toEqual([200, [0]]);
  // The version is no longer a draft, but the repeat gets the first answer.
  const again = await submit();
  expect([again.text, again.headers['idempotent-replayed']]).toEqual([first.text, 'true']);
  const other = await app.call('post', `${draft.path}/submit`, undefined, { 'idempotency-key': 'twice' });
  expect(other.body.code).toBe('not_draft');
});

test('nor for identity where a member is invited, or a version is chosen in a development store', async () => {
  const app = await studio.newApp();
  const member = studio.newPerson();
  const add = () =>
    app.call('post', `/api/orgs/${app.org.id}/members`, { email: member.email, role: 'developer' }, key);
  const added = await add();
  expect([added.status, waited]).toEqual([201, [0]]);
  expect((await add()).text).toBe(added.text);

  const storeId = newId('store');
  studio.developmentStores.set(storeId, app.org.id);
  const draft = await app.newVersion(['products.read']);
  const { id: userId, email } = app.owner;
  const principal = await studio.system.as({ kind: 'user', userId, email, storeId, role: 'owner' });
  const install = () =>
    request(studio.system.internalUrl)
      .post(`/api/stores/${storeId}/apps/${app.app.id}/install`)
      .set({ ...principal, ...key })
      .send({ versionId: draft.id, scopes: ['products.read'] });
  const installed = await install();
  expect([installed.status, waited]).toEqual([201, [0, 0]]);
  expect((await install()).text).toBe(installed.text);
});
