import { hasChromium, type Receiver, startReceiver, waitForMailedToken } from '@waybill/testing';
import type { Browser } from 'playwright-core';
import { expectStatus, newPerson, newStore, verify as verifyPerson } from '../../testing/accounts.ts';
import { vouchFor } from '../../testing/operators.ts';
import { oneTopology, type SharedSystem } from '../e2e/topologies.ts';
import { launchChromium, newVisitor, type Visitor } from './browser.ts';

const describeWithChromium = hasChromium('the console') ? describe : describe.skip;

// The other topology runs the journeys of the shell and of other features: each of these takes a minute.
describeWithChromium.each(oneTopology)("the console's connections on $name", ({ share }) => {
  let browser: Browser;
  let receiver: Receiver;
  let hookUrl: string;
  let ann: Visitor;
  let store: string;
  let system: SharedSystem;
  const email = `ann-${Date.now()}-${process.pid}@example.com`;
  const password = 'three small words';

  beforeAll(async () => {
    system = await share();
    const { baseUrl } = system;
    [browser, receiver] = await Promise.all([launchChromium(), startReceiver()]);
    hookUrl = `${receiver.url}/teas`;
    const post = async <Answer>(path: string, body: object, token?: string): Promise<Answer> => {
      const headers = {
        'content-type': 'application/json',
        ...(token && { authorization: `Bearer ${token}` }),
      };
      const response = await fetch(baseUrl + path, { method: 'POST', headers, body: JSON.stringify(body) });
      return (await response.json()) as Answer;
    };
    const { accessToken } = await post<{ accessToken: string }>('/api/auth/register', {
      name: 'Ann',
      email,
      password,
    });
    const { store: made } = await post<{ store: { id: string } }>(
      '/api/stores',
      { name: "Ann's teas" },
      accessToken,
    );
    store = `/stores/${made.id}`;
    ann = await newVisitor(browser, { baseUrl });
    await ann.signIn({ email, password });
  });
  afterAll(() => Promise.all([browser?.close(), receiver?.close()]));
  afterEach(() => expect(ann.complaints()).toEqual([]));

  const button = (name: string | RegExp) => ann.page.getByRole('button', { name, exact: true });

  test('a webhook is made, its secret shown once, and a test call shows what was answered', async () => {
    const { page } = ann;
    await ann.visit(`${store}/webhooks`);
    await page.getByRole('link', { name: 'New webhook' }).first().click();
    await page.getByLabel('URL').fill(hookUrl);
    await page.getByText('Products: all').click();
    expect(await ann.findBarriers()).toEqual([]);
    await button('Create').click();
    const secret = page.getByRole('alertdialog', { name: 'Signing secret' });
    expect(await secret.getByText(/^whsec_/).textContent()).toMatch(/^whsec_\S{20,}$/);
    await page.keyboard.press('Escape');
    await button('I’ve saved it').click();
    await page.getByRole('heading', { level: 1, name: hookUrl }).waitFor();

    receiver.answer((_, res) => void res.writeHead(200, { 'content-type': 'text/plain' }).end('noted'));
    await button('Test').click();
    await button('Send').click();
    const dialog = page.getByRole('dialog', { name: 'Send test event' });
    await dialog.getByText('noted').waitFor();
    // Once, or again if its outcome was lost: `store-api.md 6.3`.
    const calls = receiver.calls.filter(({ path }) => path === '/teas');
    expect(new Set(calls.map(({ headers }) => headers['x-wb-test']))).toEqual(new Set(['1']));
    await page.keyboard.press('Escape');

    await page.getByRole('row', { name: /Product created/ }).click();
    await button('Copy as curl').waitFor();
    expect(await ann.findBarriers()).toEqual([]);
    await page.getByRole('link', { name: /^Back to/ }).click();
    await page.getByRole('heading', { level: 1, name: hookUrl }).waitFor();
    expect(await ann.findBarriers()).toEqual([]);
  });

  test('a secret is rotated with an overlap, which is ended', async () => {
    const { page } = ann;
    await page.getByRole('button', { name: /^Actions for/ }).click();
    await page.getByRole('menuitem', { name: 'Rotate secret…' }).click();
    await button('Rotate secret').click();
    await button('I’ve saved it').click();
    await button('Expire now').click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Expire now' }).click();
    await page.getByText('Old secret expired').waitFor();
    await page.getByText('Two active secrets').waitFor({ state: 'detached' });
  });

  test('by keyboard alone: a key is made, its secret shown once, and the key revoked', async () => {
    const { page, keys } = ann;
    await ann.visit(`${store}/api-keys`);
    await keys.at('API keys');
    await keys.act('New key');
    await keys.at('New key');
    await keys.fill('Name', 'Accounting');
    await keys.to(/^See orders/);
    await keys.press('Space');
    await keys.act('Create');
    const dialog = await ann.opened('alertdialog', 'Your new API key');
    await dialog.getByText(/^wbk_\S{20,}$/).waitFor();
    await keys.act('I’ve saved it');
    await keys.at('API keys');
    const row = page.getByRole('row', { name: /Accounting/ });
    await row.waitFor();
    expect(await row.textContent()).toContain('Orders: read');
    expect(await ann.findBarriers()).toEqual([]);

    await keys.row(/^Accounting/);
    await keys.act('Revoke: Accounting', 'ArrowRight');
    await ann.opened('alertdialog', /Accounting/);
    await keys.act('Revoke');
    await row.getByText('Revoked').waitFor();
    await keys.act('New key', 'Shift+Tab');
    await keys.at('New key');
  });

  test('by keyboard alone: a webhook is made, edited, and deleted; an event is looked at', async () => {
    const { page, keys } = ann;
    await ann.visit(`${store}/webhooks`);
    await keys.at('Webhooks');
    await keys.act('New webhook');
    await keys.at('New webhook');
    await keys.fill('URL', 'https://example.com/keys');
    await keys.to('Products: all');
    await keys.press('Space');
    await keys.act('Create');
    await ann.opened('alertdialog', 'Signing secret');
    await keys.act('I’ve saved it');
    await keys.at('https://example.com/keys');
    await keys.act('Test');
    await ann.opened('dialog', 'Send test event');
    await keys.press('Escape');
    await keys.act(/^Actions for/);
    await ann.opened('menu', /^Actions for/);
    await keys.act('Rotate secret…', 'ArrowDown');
    await ann.opened('dialog', 'Rotate signing secret');
    await keys.press('Escape');
    await keys.act(/^Actions for/);
    await keys.act('Replay…', 'ArrowDown');
    await ann.opened('dialog', 'Replay events');
    await keys.press('Escape');
    await keys.act(/^Actions for/);
    await keys.act('Delete', 'ArrowDown');
    await ann.opened('alertdialog', 'Delete this webhook?');
    await keys.act('Delete');
    await keys.at('Webhooks');
    await page.getByRole('row', { name: /example\.com/ }).waitFor({ state: 'detached' });
    await keys.row(new RegExp(hookUrl));
    await keys.press('Enter');
    await keys.at(hookUrl);
    await keys.row(/^Product created/);
    await keys.press('Enter');
    await ann.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await keys.act('Copy as curl');
    await button('Copied').waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/^curl /);
    // A page that was loaded over plain http has no clipboard.
    await page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
    await button('Copy as curl').click();
    await button(/^Couldn’t copy/).waitFor();
  });

  test('what is typed while a webhook is being made is saved with it, once its secret has been seen', async () => {
    const { page } = ann;
    const posts = await ann.holdPosts(`/api${store}/webhooks`);
    await ann.visit(`${store}/webhooks/new`);
    await page.getByLabel('URL').fill('https://example.com/typed');
    await page.getByText('Products: all').click();
    await button('Create').click();
    await posts.areSent;
    const description = page.getByLabel('Description');
    await description.click();
    await page.keyboard.type('For the');
    posts.letGo();
    await button('I’ve saved it').click();
    await page.getByRole('heading', { level: 1, name: 'Edit webhook' }).waitFor();
    await page.unrouteAll();
    await page.getByRole('alertdialog').waitFor({ state: 'detached' });
    await page.keyboard.type(' till');
    expect(await description.inputValue()).toBe('For the till');
    expect(await ann.findBarriers()).toEqual([]);
    await button('Save').click();
    await page.getByRole('heading', { level: 1, name: 'https://example.com/typed' }).waitFor();
    await page.getByText('For the till').waitFor();
    expect(posts.count()).toBe(1);
    await page.getByRole('button', { name: /^Actions for/ }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { level: 1, name: 'Webhooks', exact: true }).waitFor();
  });

  test('a key is made as it was sent: no right can be chosen for it meanwhile', async () => {
    const { page } = ann;
    const posts = await ann.holdPosts(`/api${store}/api-keys`);
    await ann.visit(`${store}/api-keys/new`);
    const name = page.getByRole('textbox', { name: 'Name' });
    await name.fill('Till');
    const orders = page.getByRole('checkbox', { name: /^See orders/ });
    const customers = page.getByRole('checkbox', { name: /^See customers/ });
    await page.getByText(/^See orders/).click();
    await button('Create').click();
    await posts.areSent;
    await page.getByText(/^See customers/).click();
    expect([await orders.isChecked(), await customers.isChecked()]).toEqual([true, false]);
    expect(await button('Everything').isDisabled()).toBe(true);
    await name.focus();
    await page.keyboard.type(' 2');
    expect(await name.inputValue()).toBe('Till');
    posts.letGo();
    await button('I’ve saved it').click();
    await page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor();
    await page.unrouteAll();
    expect(posts.count()).toBe(1);
    const row = page.getByRole('row', { name: /Till/ });
    expect(await row.textContent()).not.toContain('Customers');
  });

  test('somebody is invited, and the audit says so', async () => {
    const { page } = ann;
    await vouchFor(system.baseUrl, { email, password });
    await ann.visit(`${store}/members`);
    await button('Invite member').click();
    // The browser checks an address by the same rule as the server.
    await page.getByRole('dialog').getByLabel('E-mail').fill('bob@');
    await button('Send invitation').click();
    await page.getByText('Please enter a part following').waitFor();
    // Pressing Enter twice, while the answer is pending, invites once.
    const { promise, resolve } = Promise.withResolvers<void>();
    let sent = 0;
    await page.route('**/invitations', async (route) => {
      if (route.request().method() !== 'POST') return route.fallback();
      sent++;
      await promise;
      await route.continue();
    });
    const address = page.getByRole('dialog').getByLabel('E-mail');
    await address.fill('bob@example.com');
    await address.press('Enter');
    await address.press('Enter');
    // The form accepts no text that would be lost in a moment, and does not close while it may still be refused.
    await page.keyboard.type('.au');
    await page.keyboard.press('Escape');
    expect(await address.inputValue()).toBe('bob@example.com');
    resolve();
    await page.getByRole('row', { name: /bob@example\.com/ }).waitFor();
    await page.unroute('**/invitations');
    expect(sent).toBe(1);
    expect(await ann.findBarriers()).toEqual([]);

    await ann.visit(`${store}/audit`);
    await page.getByRole('row', { name: /Invited a member/ }).click();
    await page.getByRole('dialog', { name: 'Audit entry' }).waitFor();
    await button('Only Ann').click();
    await page.waitForURL(/actor=usr_/);
    expect(await ann.findBarriers()).toEqual([]);
  });

  test('settings are changed, and what is not saved is not left unasked', async () => {
    const { page } = ann;
    await ann.visit(`${store}/settings`);
    const name = page.getByRole('textbox', { name: 'Name' });
    const stored = await name.inputValue();
    await name.fill('Never mind');
    await page.getByText('Unsaved changes').waitFor();
    await button('Discard').click();
    expect(await name.inputValue()).toBe(stored);
    await page.setViewportSize({ width: 390, height: 500 });
    await name.fill('Tea house');
    // Wherever the user is in a long form.
    await page.evaluate('scrollTo(0, document.body.scrollHeight)');
    const bar = await button('Save').boundingBox();
    expect(bar!.y + bar!.height).toBeLessThan(500);
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.getByRole('link', { name: 'Events', exact: true }).click();
    await button('Stay').click();
    await button('Save').click();
    await page.getByRole('button', { name: /^Switch store: Tea house/ }).waitFor();
    expect(await ann.findBarriers()).toEqual([]);
    await page.getByRole('link', { name: 'Events', exact: true }).click();
    await page.getByRole('heading', { name: 'No events in this period' }).waitFor();
    expect(await ann.findBarriers()).toEqual([]);
  });

  test('each part of the settings is a screen of its own, and the shop is one press away', async () => {
    const { page } = ann;
    await ann.visit(`${store}/settings`);
    for (const part of ['Languages', 'Domains', 'Checkout', 'Notifications']) {
      await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: part }).click();
      await page.getByRole('heading', { level: 1, name: part }).waitFor();
      expect(await ann.findBarriers()).toEqual([]);
    }
    const shop = await page.getByRole('link', { name: 'View shop' }).first().getAttribute('href');
    expect((await fetch(shop!)).url).toBe(shop);
  });

  test('by keyboard alone: members, the audit, settings and events are gone through', async () => {
    const { page, keys } = ann;
    await ann.visit(`${store}/members`);
    await keys.at('Members');
    await keys.act('Invite member');
    await ann.opened('dialog', 'Invite member');
    await keys.fill('E-mail', 'eve@example.com');
    await keys.act('Send invitation');
    await page.getByRole('row', { name: /eve@example\.com/ }).waitFor();
    await keys.row(/^eve@example\.com/);
    await keys.act('Actions for eve@example.com', 'ArrowRight');
    await ann.opened('menu', 'Actions for eve@example.com');
    await keys.act('Revoke…', 'ArrowDown');
    await ann.opened('alertdialog', /^Revoke/);
    await keys.act('Revoke');
    await page.getByRole('row', { name: /eve@example\.com/ }).waitFor({ state: 'detached' });

    await keys.act('Audit log', 'Shift+Tab');
    await keys.at('Audit log');
    await keys.row(/Revoked an invitation/);
    await keys.press('Enter');
    await ann.opened('dialog', 'Audit entry');
    await keys.press('Escape');

    await keys.act('Settings', 'Shift+Tab');
    await keys.at('General');
    await keys.fill('Name', 'Tea hut');
    await keys.act('Save');
    await page.getByRole('button', { name: /^Switch store: Tea hut/ }).waitFor();
    await keys.act(/^Switch store/, 'Shift+Tab');
    await ann.opened('menu', /^Switch store/);
    await keys.press('Escape');
  });

  test('a wrong present password is said at its field, and ends no session', async () => {
    const { page } = ann;
    await ann.visit('/account');
    await page.getByLabel('Current password').fill('not this one');
    await page.getByLabel('New password').fill('four quite small words');
    await button('Change password').click();
    await page.getByText('The current password is incorrect.').waitFor();
    expect(ann.complaints()).toEqual([expect.stringContaining('401')]);
    await page.getByLabel('Current password').fill(password);
    await button('Change password').click();
    await page.getByText('Password changed.', { exact: false }).waitFor();
    await button('Turn on').click();
    await page.getByRole('img', { name: 'Setup QR code' }).waitFor();
    await page.keyboard.press('Escape');
    expect(await ann.findBarriers()).toEqual([]);
  });

  test('by keyboard alone: a name is changed, and the account is not deleted by accident', async () => {
    const { page, keys } = ann;
    await ann.visit('/account');
    await keys.at('Account');
    await keys.fill('Name', 'Ann Taylor');
    await keys.act('Save');
    await page.getByText('Profile saved', { exact: true }).waitFor();
    await keys.act(/^Appearance|System Appearance/);
    await keys.press('Escape');
    await keys.act('Delete account');
    await ann.opened('dialog', 'Delete your account?');
    await keys.press('Escape');
    await keys.to('Delete account');
  });

  test('who is invited at another address is told why the link may not do, and comes back to it with that account', async () => {
    const { page } = ann;
    const [owner, guest] = [await newPerson(system.baseUrl), await newPerson(system.baseUrl)];
    await verifyPerson(owner);
    const cafe = `/api/stores/${await newStore(owner, 'Coffee bar')}`;
    expectStatus(
      await owner.call('POST', `${cafe}/invitations`, { email: guest.email, role: 'editor' }),
      201,
    );
    const verify = async (address: string) => {
      const token = await waitForMailedToken(system.dataDir, address, 'verify');
      expectStatus(await owner.call('POST', '/api/auth/verify', { token }), 200);
    };
    const token = await waitForMailedToken(system.dataDir, guest.email, 'invitation');
    await ann.visit(`/invitation?token=${token}`);
    await Promise.all([verify(email), verify(guest.email)]);
    await button('Accept').click();
    await page.getByText(`the invitation isn’t for ${email}`, { exact: false }).waitFor();
    expect(ann.complaints()).toEqual([expect.stringContaining('400')]);
    expect(await ann.findBarriers()).toEqual([]);
    await button('Use a different account').click();
    await page.getByLabel('E-mail').fill(guest.email);
    await page.getByLabel('Password').fill(guest.password);
    await button('Sign in').click();
    await page.getByText(guest.email).waitFor();
    await button('Accept').click();
    await page.getByRole('button', { name: /^Switch store: Coffee bar/ }).waitFor();

    // When they are removed while the console is open, the next screen says so, in place of its content.
    expectStatus(await owner.call('DELETE', `${cafe}/members/${guest.userId}`), 204);
    await page.getByRole('link', { name: 'Orders', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor();
    // The first screen may still be reading, and fails by itself then: nothing is reported once the console is left.
    await page.goto('about:blank');
    expect(ann.complaints()).not.toEqual([]);
  });

  test('who registers by an invitation is led back to it by the link that verifies the address', async () => {
    const owner = await newPerson(system.baseUrl);
    await verifyPerson(owner);
    const invited = `bea-${email}`;
    const { org } = expectStatus(await owner.call('POST', '/api/orgs', { name: 'Tea tools' }), 201).body;
    const invitation = { email: invited, role: 'developer' };
    expectStatus(await owner.call('POST', `/api/orgs/${org.id}/invitations`, invitation), 201);
    const bea = await newVisitor(browser, system);
    await bea.visit(`/invitation?token=${await waitForMailedToken(system.dataDir, invited, 'invitation')}`);
    await bea.page.getByRole('link', { name: 'Create an account' }).click();
    await bea.page.getByLabel('Your name').fill('Bea');
    await bea.page.getByLabel('E-mail').fill(invited);
    await bea.page.getByLabel('Password').fill(password);
    await bea.page.getByRole('button', { name: 'Create an account' }).click();
    await bea.page.getByRole('button', { name: 'Accept' }).click();
    await bea.page.getByText('Verify your e-mail address first', { exact: false }).waitFor();
    const account = bea.page.getByRole('main').getByRole('link', { name: 'Account' });
    expect(await account.getAttribute('href')).toBe('/console/account');
    expect(bea.complaints()).toEqual([expect.stringContaining('403')]);

    await bea.visit(`/verify?token=${await waitForMailedToken(system.dataDir, invited, 'verify')}`);
    await bea.page.getByRole('link', { name: 'Continue' }).click();
    await bea.page.getByRole('button', { name: 'Accept' }).click();
    await bea.page.getByRole('heading', { level: 1, name: 'Tea tools' }).waitFor();
    // The invitation is answered, and no longer shown.
    await bea.visit('/');
    await bea.page.getByRole('heading', { level: 1, name: 'Create your store' }).waitFor();
    expect(bea.complaints()).toEqual([]);
    await bea.close();
  });
});
