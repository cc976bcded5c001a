import { eventually, hasChromium } from '@waybill/testing';
import type { Browser } from 'playwright-core';
import { expectStatus, join, newPerson, newStore, type Person } from '../../testing/accounts.ts';
import { createCaller } from '../../testing/client.ts';
import { topologies } from '../e2e/topologies.ts';
import { launchChromium, newVisitor, type Visitor } from './browser.ts';
import { picture } from './pictures.ts';

const describeWithChromium = hasChromium('the console') ? describe : describe.skip;

// The other topology has the journeys of the shell and of other features: each of these takes a minute.
/** Returns the typed text of a field, whether it is an input or editable text. */
const typedIn = ({ value, textContent }: { value?: string; textContent: string | null }) =>
  value ?? textContent;

describeWithChromium.each(topologies.slice(-1))(
  'what a website is made of, in the console on $name',
  ({ share }) => {
    let browser: Browser;
    let person: Person;
    let ann: Visitor;
    let store: string;
    let baseUrl: string;
    let api: string;

    beforeAll(async () => {
      const system = await share();
      baseUrl = system.baseUrl;
      person = await newPerson(baseUrl);
      const storeId = await newStore(person);
      store = `/stores/${storeId}`;
      api = `/api/stores/${storeId}`;
      await person.call('PATCH', api, { locales: ['en', 'de'] });
      browser = await launchChromium();
      ann = await newVisitor(browser, system);
      await ann.signIn(person);
    });
    afterAll(() => browser?.close());
    afterEach(() => expect(ann.complaints()).toEqual([]));

    const confirm = (name: string) =>
      ann.page.getByRole('alertdialog').getByRole('button', { name, exact: true }).click();
    const title = (name: string | RegExp) => ann.page.getByRole('heading', { level: 1, name }).waitFor();

    test('an empty page is begun in the editor and published: visitors get the canvas, to the byte', async () => {
      const { page } = ann;
      const made = await person.call('POST', `${api}/pages`, { name: 'Built' });
      const { id } = made.body.page;
      await ann.visit(`${store}/pages/${id}/edit`);
      const canvas = page.frameLocator('iframe[title="Page"]');
      await page.getByText('There is nothing here yet').waitFor();
      await page.getByRole('button', { name: 'Hero', exact: true }).click();
      await canvas.getByRole('heading', { name: 'Welcome' }).dblclick();
      await canvas.locator('[contenteditable]').waitFor();
      await page.keyboard.press('Control+a');
      await page.keyboard.insertText('Tea & <more>');
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Publish' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click();
      await page.getByText('Visitors see it now.').waitFor();
      const body = await page.evaluate<string>(
        `document.querySelector('iframe[title="Page"]').contentDocument.body.innerHTML`,
      );
      expect(body).toContain('Tea &amp; &lt;more&gt;');
      const { url } = (await person.call('GET', `${api}/pages/${id}`)).body.page;
      expect(await (await fetch(new URL(url, baseUrl))).text()).toContain(body);
      // The other tests begin with a site without pages.
      expectStatus(await person.call('DELETE', `${api}/pages/${id}`), 204);
    });

    test('files are uploaded at once, put into a folder, described, trashed and deleted for good', async () => {
      const { page } = ann;
      await ann.visit(`${store}/media`);
      expect(await ann.findBarriers()).toEqual([]);
      await page.getByRole('button', { name: 'New folder' }).click();
      await page.getByRole('textbox', { name: 'Name' }).fill('Banners');
      await page.getByRole('button', { name: 'Create', exact: true }).click();
      await page.getByRole('link', { name: 'Banners' }).click();
      await page.getByRole('button', { name: 'Actions for Banners' }).waitFor();
      await page.locator('input[type=file]').setInputFiles([picture('one'), picture('two')]);
      await page.getByText('All uploads finished').waitFor();
      await page.getByRole('row', { name: 'two.png' }).waitFor();
      expect(await ann.findBarriers()).toEqual([]);

      await page.getByRole('row', { name: 'one.png' }).click();
      await title('one.png');
      const point = page.getByRole('button', { name: /^Focal point/ });
      await point.press('ArrowRight');
      await page.getByRole('button', { name: 'Focal point: 55% from the left, 50% from the top' }).waitFor();
      await page.getByLabel('Alt text').fill('A red square');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText('Saved', { exact: true }).waitFor();
      expect(await ann.findBarriers()).toEqual([]);

      await page.getByRole('button', { name: 'Move to trash' }).click();
      await confirm('Move to trash');
      await page.getByRole('button', { name: 'Delete permanently' }).click();
      await confirm('Delete permanently');
      await title('Trash');
      await page.getByText('The trash is empty').waitFor();
      const { body } = await person.call('GET', `${api}/media`);
      expect(body.media.map(({ name }: { name: string }) => name)).toEqual(['two.png']);
    });

    test('a folder that holds something is not deleted, and why is said', async () => {
      const { page } = ann;
      await ann.visit(`${store}/media`);
      await page.getByRole('link', { name: 'Banners' }).click();
      await page.getByRole('button', { name: 'Actions for Banners' }).click();
      await page.getByRole('menuitem', { name: 'Delete folder' }).click();
      await confirm('Delete');
      await page.getByText('This folder isn’t empty.', { exact: false }).waitFor();
      await confirm('Cancel');
      // The browser reports the refusal itself.
      expect(ann.complaints().join()).toContain('409');
    });

    test('pages are created, copied, put in order by keys, published and taken offline', async () => {
      const { page } = ann;
      const { body } = await person.call('POST', `${api}/pages`, { name: 'Start' });
      const draft = `${api}/pages/${body.page.id}/draft`;
      const { document } = (await person.call('GET', draft)).body;
      const heading = { id: 'h1', type: 'heading', props: { specials: { text: 'Welcome' } } };
      const elsewhere = {
        id: 'l1',
        type: 'link',
        props: { specials: { text: 'Elsewhere', href: '/elsewhere' } },
      };
      const [root] = document.nodes;
      await person.call('PUT', draft, {
        document: { ...document, nodes: [{ ...root, children: ['h1', 'l1'] }, heading, elsewhere] },
      });

      await ann.visit(`${store}/pages`);
      await page.getByRole('button', { name: 'New page' }).click();
      await page.getByRole('textbox', { name: 'Name' }).fill('Contact');
      await page.getByRole('button', { name: 'Create', exact: true }).click();
      await page.waitForURL(/\/edit$/);
      await ann.visit(`${store}/pages`);
      await page.getByRole('button', { name: 'Actions for Start' }).click();
      await page.getByRole('menuitem', { name: 'Duplicate…' }).click();
      await page.getByRole('button', { name: 'Create', exact: true }).click();
      await title('Start (copy)');
      expect(await ann.findBarriers()).toEqual([]);

      await page.getByRole('link', { name: 'Preview', exact: true }).click();
      await title('Preview: Start (copy)');
      // Inspected from outside: the frame refuses to run a locator's listeners when the mouse comes, and reports that.
      const look = () =>
        page.locator('iframe').evaluate((frame: HTMLIFrameElement) => {
          const { body } = frame.contentDocument!;
          const link = body.querySelector('a')?.getBoundingClientRect();
          const { x, y } = frame.getBoundingClientRect();
          return {
            text: body.textContent,
            width: frame.contentWindow!.innerWidth,
            ...(link && { x: x + link.x + link.width / 2, y: y + link.y + link.height / 2 }),
          };
        });
      await eventually(async () => (await look()).text.includes('Welcome'));
      expect((await look()).width).toBe(1280);
      expect(await ann.findBarriers()).toEqual([]);
      await page.getByRole('radio', { name: 'Desktop' }).focus();
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('ArrowRight');
      await page.locator('iframe[width="390"]').waitFor();
      const { width, x, y } = await look();
      expect(width).toBe(390);
      await page.mouse.click(x!, y!);
      expect((await look()).text).toContain('Welcome');
      expect(page.context().pages()).toHaveLength(1);
      await page.getByRole('link', { name: 'Back to Start (copy)' }).click();
      await title('Start (copy)');
      await page.getByRole('button', { name: 'Publish', exact: true }).click();
      await confirm('Publish');
      const url = await page.getByRole('link', { name: 'View in shop' }).getAttribute('href');
      await page.getByLabel('Title').fill('Begin here');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText('Saved', { exact: true }).first().waitFor();
      // A change that an editor saves between reading the draft and publishing is not overwritten.
      const copy = `${api}/pages/${page.url().split('/').at(-1)}/draft`;
      await page.route(
        '**/draft',
        async (route) => {
          const response = await route.fetch();
          const theirs = await response.text();
          await person.call('PUT', copy, JSON.parse(theirs.replace('Welcome', 'Saved elsewhere')));
          await route.fulfill({ response });
        },
        { times: 1 },
      );
      await page.getByRole('button', { name: 'Publish again' }).click();
      await confirm('Publish');
      await eventually(() => ann.complaints().join().includes('412'));
      await confirm('Publish');
      await page.getByRole('alertdialog').waitFor({ state: 'hidden' });
      const live = await (await fetch(url!)).text();
      expect(live).toContain('<title>Begin here</title>');
      expect(live).toContain('Saved elsewhere');
      await page.getByRole('button', { name: 'Unpublish' }).click();
      await confirm('Unpublish');
      await page.getByText('Page unpublished').waitFor();

      await page.getByRole('link', { name: 'Back to Pages' }).click();
      const names = () => page.getByRole('row').getByRole('link').allTextContents();
      await page.getByRole('row', { name: 'Contact' }).waitFor();
      expect(await names()).toEqual(['Start', 'Contact', 'Start (copy)']);
      expect(await ann.findBarriers()).toEqual([]);
      await page.getByRole('button', { name: 'Move Start', exact: true }).focus();
      await page.keyboard.press('Enter');
      // When picked up, it is placed before itself, then behind itself, then behind the next one.
      await page.locator('[data-drop-target]').waitFor({ state: 'attached' });
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowDown');
      const isMoved = page.waitForResponse((answer) => answer.request().method() === 'PATCH');
      await page.keyboard.press('Enter');
      await page.getByRole('row').first().getByRole('link', { name: 'Contact', exact: true }).waitFor();
      // The list shows the new order before it is stored.
      expect((await isMoved).status()).toBe(200);
      await page.reload();
      await page.getByRole('row', { name: 'Contact' }).waitFor();
      expect((await names())[0]).toBe('Contact');
    });

    test('what somebody else saves meanwhile, and is read again on a look back, is not overwritten unasked', async () => {
      const { page } = ann;
      const made = await person.call('POST', `${api}/pages`, { name: 'Shared' });
      const article = await person.call('POST', `${api}/articles`, {
        title: 'Shared',
        content: '<p>One</p>',
      });
      const document = { rootId: 'r', nodes: [{ id: 'r', type: 'section' }] };
      const section = await person.call('POST', `${api}/sections`, { name: 'Shared', document });
      const { media } = (await person.call('GET', `${api}/media`)).body;
      const { id: fileId, name: fileName } = media[0];
      for (const { room, id, field, change, method = 'PATCH' } of [
        { room: 'pages', id: made.body.page.id, field: 'Name', change: { name: 'Theirs' } },
        { room: 'blog', id: article.body.article.id, field: 'Title', change: { title: 'Theirs' } },
        {
          room: 'sections',
          id: section.body.section.id,
          field: 'Name',
          change: { name: 'Theirs', document },
          method: 'PUT',
        },
        { room: 'media', id: fileId, field: 'Name', change: { name: 'Theirs' } },
      ]) {
        const resource = `${api}/${room === 'blog' ? 'articles' : room}/${id}`;
        await ann.visit(`${store}/${room}/${id}`);
        await page.getByRole('textbox', { name: field, exact: true }).fill('Mine');
        expectStatus(await person.call(method, resource, change), 200);
        const isRead = page.waitForResponse((answer) => answer.url().endsWith(resource));
        await ann.lookBack();
        await isRead;
        await title('Theirs');
        await page.getByRole('button', { name: 'Save', exact: true }).click();
        const question = page.getByRole('alertdialog', { name: 'Someone else changed this' });
        await question.getByRole('button', { name: 'Overwrite with mine' }).click();
        await title('Mine');
        // The browser reports the refusal itself.
        expect(ann.complaints().join()).toContain('412');
        if (room === 'media') await person.call('PATCH', resource, { name: fileName });
        else expectStatus(await person.call('DELETE', resource), 204);
      }
    });

    test('what is typed while a thing is being made stays in its form, with the focus, and is saved with the next', async () => {
      const { page } = ann;
      const described = { description: '<p>Typed on</p>' };
      for (const { room, resource, field, other, body } of [
        { room: 'products', resource: 'products', field: 'Name', other: 'Description', body: described },
        {
          room: 'customers',
          resource: 'customers',
          field: 'Name',
          other: 'Phone',
          body: { phone: 'Typed on' },
        },
        {
          room: 'blog',
          resource: 'articles',
          field: 'Title',
          other: 'Excerpt',
          body: { excerpt: 'Typed on' },
        },
      ]) {
        const posts = await ann.holdPosts(`${api}/${resource}`);
        await ann.visit(`${store}/${room}`);
        await ann.visit(`${store}/${room}/new`);
        await page.getByRole('textbox', { name: field, exact: true }).fill('Made');
        if (room === 'customers') await page.getByLabel('E-mail').fill('made@example.com');
        await page.getByRole('button', { name: 'Create', exact: true }).click();
        await posts.areSent;
        const typed = page.getByRole('textbox', { name: other, exact: true });
        await typed.click();
        await page.keyboard.type('Typed');
        posts.letGo();
        await title('Made');
        await page.waitForURL(/_\w+$/);
        await page.keyboard.type(' on');
        expect(await typed.evaluate(typedIn)).toBe('Typed on');
        await page.getByRole('button', { name: 'Save', exact: true }).click();
        await page
          .getByText(/^(\w+ )?saved$/i)
          .first()
          .waitFor();
        await page.unrouteAll();
        const id = page.url().split('/').at(-1);
        const { body: stored } = await person.call('GET', `${api}/${resource}/${id}`);
        expect(Object.values(stored)).toMatchObject([body]);
        // Going back leads to the list, not to an empty form.
        await page.goBack();
        await page.getByRole('heading', { level: 1, name: /^(Products|Customers|Blog)$/ }).waitFor();
        expectStatus(await person.call('DELETE', `${api}/${resource}/${id}`), 204);
      }
    });

    test('what is typed into a form whose session ends is saved after signing in again', async () => {
      const { page } = ann;
      const made = await person.call('POST', `${api}/customers`, { name: 'Zoe', email: 'zoe@example.com' });
      const { id } = made.body.customer;
      await ann.visit(`${store}/customers/${id}`);
      await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Zoe Typed');
      const own = await person.call('POST', '/api/auth/login', person);
      const call = createCaller(baseUrl, own.body.accessToken);
      for (const session of (await call('GET', '/api/me/sessions')).body.sessions)
        if (!session.isCurrent) expectStatus(await call('DELETE', `/api/me/sessions/${session.id}`), 204);
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      const dialog = page.getByRole('alertdialog', { name: 'Sign in again' });
      await dialog.getByLabel('Password').fill(person.password);
      await dialog.getByRole('button', { name: 'Sign in' }).click();
      await dialog.waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await title('Zoe Typed');
      expect((await call('GET', `${api}/customers/${id}`)).body.customer.name).toBe('Zoe Typed');
      expect(ann.complaints().join()).toContain('401');
      person = { ...person, accessToken: own.body.accessToken, call };
      expectStatus(await person.call('DELETE', `${api}/customers/${id}`), 204);
    });

    test('a category that somebody else changes meanwhile is not overwritten unasked, nor is its name by a move', async () => {
      const { page } = ann;
      const [one, two] = await Promise.all(
        ['One', 'Two'].map((name) =>
          person.call('POST', `${api}/blog-categories`, { name, slug: name.toLowerCase() }),
        ),
      );
      const path = `${api}/blog-categories/${one!.body.blogCategory.id}`;
      const storedName = async () => (await person.call('GET', path)).body.blogCategory.name;
      const rename = async (name: string) =>
        expectStatus(await person.call('PUT', path, { name, slug: 'one' }), 200);
      await ann.visit(`${store}/blog/categories`);
      await page.getByRole('button', { name: 'Actions for One' }).click();
      await page.getByRole('menuitem', { name: 'Edit' }).click();
      const address = page.getByRole('dialog').getByLabel('URL', { exact: true });
      await address.fill('first');
      await rename('Theirs');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      const question = page.getByRole('alertdialog', { name: 'Someone else changed this' });
      await question.getByRole('button', { name: 'Load theirs' }).click();
      const name = page.getByRole('dialog').getByLabel('Name');
      await eventually(async () => (await name.inputValue()) === 'Theirs');
      expect(await address.inputValue()).toBe('one');
      expect(ann.complaints().join()).toContain('412');
      await address.fill('theirs');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      // The list shows their name already, so only the dialog tells when this is saved.
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
      await page.getByRole('button', { name: 'Actions for Theirs' }).waitFor();
      await rename('Theirs again');
      await page.getByRole('button', { name: 'Actions for Theirs' }).click();
      await page
        .getByRole('menuitem', { name: /^Move (up|down)$/, disabled: false })
        .first()
        .click();
      await page.getByRole('button', { name: 'Actions for Theirs again' }).waitFor();
      expect(await storedName()).toBe('Theirs again');

      // Categories that could not be loaded are not reported as missing.
      await page.route(/\/blog-categories\?/, (route) => route.abort());
      await ann.visit(`${store}/blog/new`);
      await page.getByText('Couldn’t load this').waitFor();
      expect(await page.getByText('No categories yet').count()).toBe(0);
      await page.unroute(/\/blog-categories\?/);
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByRole('checkbox', { name: 'Theirs again' }).waitFor({ state: 'attached' });
      expect(ann.complaints().join()).toContain('ERR_FAILED');
      for (const { body } of [one!, two!])
        await person.call('DELETE', `${api}/blog-categories/${body.blogCategory.id}`);
    });

    test('who may only look sees lists in order, and nothing complains', async () => {
      const viewer = await newPerson(baseUrl, 'Vera');
      await join(person, store.split('/').at(-1)!, viewer, 'viewer');
      const made = await person.call('POST', `${api}/pages`, { name: 'Looked at' });
      const { media } = (await person.call('GET', `${api}/media`)).body;
      const { product } = (
        await person.call('POST', `${api}/products`, { name: 'Looked at', mediaIds: [media[0].id] })
      ).body;
      const vera = await newVisitor(browser, { baseUrl });
      await vera.signIn(viewer);
      await vera.visit(`${store}/pages`);
      await vera.page.getByRole('grid', { name: 'Pages' }).getByRole('link', { name: 'Looked at' }).waitFor();
      await vera.visit(`${store}/products/${product.id}`);
      await vera.page.getByRole('grid', { name: 'Images' }).waitFor();
      expect(vera.complaints()).toEqual([]);
      await vera.close();
      await person.call('DELETE', `${api}/pages/${made.body.page.id}`);
      await person.call('DELETE', `${api}/products/${product.id}`);
    });

    test('the homepage is found for the theme, and any page for a link, among more pages than one list has', async () => {
      const { page } = ann;
      const document = {
        rootId: 'r',
        nodes: [
          { id: 'r', type: 'section', children: ['l'] },
          { id: 'l', type: 'link', props: { specials: { text: 'The one at the end' } } },
        ],
      };
      const ids: string[] = [];
      for (let number = 0; number < 202; number++) {
        const { body } = await person.call('POST', `${api}/pages`, { name: `Many ${number}` });
        ids.push(body.page.id);
      }
      const last = `${api}/pages/${ids.at(-1)}`;
      expectStatus(await person.call('PATCH', last, { isHomepage: true }), 200);
      expectStatus(await person.call('PUT', `${last}/draft`, { document }), 200);
      await ann.visit(`${store}/design/theme`);
      await page.frameLocator('iframe').getByText('The one at the end').waitFor();
      await ann.visit(`${store}/pages/${ids.at(-1)}/edit`);
      const link = page.frameLocator('iframe[title="Page"]').getByText('The one at the end');
      const leadsTo = page.getByRole('button', { name: /Link$/ });
      // The canvas is drawn before it handles events.
      await eventually(async () => {
        await link.click();
        return leadsTo.isVisible();
      });
      await leadsTo.click();
      await page.getByRole('option', { name: 'Page', exact: true }).click();
      await page.getByRole('combobox', { name: 'Search pages' }).fill('many 201');
      await page.getByRole('option', { name: /Many 201/ }).waitFor();
      await page.keyboard.press('Escape');
      for (const id of ids) expectStatus(await person.call('DELETE', `${api}/pages/${id}`), 204);
    });

    test('two who change the theme at once are told of each other', async () => {
      const { page } = ann;
      await ann.visit(`${store}/design/theme`);
      const radius = page.getByLabel('Corner radius (px)');
      await radius.fill('3');
      await radius.press('Tab');
      const { theme } = (await person.call('GET', `${api}/theme`)).body;
      expectStatus(await person.call('PUT', `${api}/theme`, { theme: { ...theme, spacing: 40 } }), 200);
      await page.getByRole('button', { name: 'Save draft' }).click();
      const question = page.getByRole('alertdialog', { name: 'Someone else changed this' });
      await question.getByRole('button', { name: 'Load theirs' }).click();
      const spacing = page.getByLabel('Spacing (px)');
      await eventually(async () => (await spacing.inputValue()) === '40');
      expect(await radius.inputValue()).toBe(String(theme.radius));
      expect(ann.complaints().join()).toContain('412');
      await page.getByText('Unpublished changes').waitFor();
      // A draft of what is live is one without changes.
      const { theme: live } = (await person.call('GET', `${api}/theme?state=live`)).body;
      expectStatus(await person.call('PUT', `${api}/theme`, { theme: live }), 200);
      await ann.visit(`${store}/design/theme`);
      await page.getByRole('button', { name: 'Publish…' }).click();
      await page.getByText('There are no changes to publish.').waitFor();
      expect(await page.getByText('Unpublished changes').count()).toBe(0);
    });

    test('an address that is taken is said at its field', async () => {
      const { page } = ann;
      const slug = 'taken';
      const made = await person.call('POST', `${api}/products`, { name: 'First', slug });
      const other = await person.call('POST', `${api}/products`, { name: 'Second' });
      const first = await person.call('POST', `${api}/pages`, { name: 'First', slug });
      const second = await person.call('POST', `${api}/pages`, { name: 'Second' });
      const category = await person.call('POST', `${api}/blog-categories`, { name: 'First', slug });
      const isSaid = async () => {
        await page.getByText('This URL is already in use.').waitFor();
        expect(await page.getByLabel('URL', { exact: true }).getAttribute('aria-invalid')).toBe('true');
        expect(ann.complaints().join()).toContain('409');
      };
      for (const path of [`products/${other.body.product.id}`, `pages/${second.body.page.id}`]) {
        await ann.visit(`${store}/${path}`);
        await page.getByLabel('URL', { exact: true }).fill(slug);
        await page.getByRole('button', { name: 'Save', exact: true }).click();
        await isSaid();
        await page.getByLabel('URL', { exact: true }).fill('second');
      }
      await ann.visit(`${store}/blog/categories`);
      await page.getByRole('button', { name: 'New category' }).click();
      await page.getByRole('dialog').getByLabel('Name').fill('Taken');
      await page.getByRole('button', { name: 'Create', exact: true }).click();
      await isSaid();
      for (const [path, { id }] of [
        ['products', made.body.product],
        ['products', other.body.product],
        ['pages', first.body.page],
        ['pages', second.body.page],
        ['blog-categories', category.body.blogCategory],
      ])
        expectStatus(await person.call('DELETE', `${api}/${path}/${id}`), 204);
    });

    test('a section is renamed, and not deleted while a page holds it', async () => {
      const { page } = ann;
      const document = {
        rootId: 'r',
        nodes: [
          { id: 'r', type: 'section', children: ['t'] },
          { id: 't', type: 'text', props: { specials: { text: 'Imprint' } } },
        ],
      };
      const { section } = (await person.call('POST', `${api}/sections`, { name: 'Footer', document })).body;
      const { body } = await person.call('POST', `${api}/pages`, { name: 'About' });
      await person.call('PUT', `${api}/pages/${body.page.id}/draft`, {
        document: {
          rootId: 'r',
          nodes: [
            { id: 'r', type: 'section', children: ['s'] },
            { id: 's', type: 'sectionRef', props: { specials: { sectionId: section.id } } },
          ],
        },
      });
      await ann.visit(`${store}/sections`);
      await page.getByRole('row', { name: 'Footer' }).click();
      await title('Footer');
      await page.getByLabel('Name').fill('Foot');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await title('Foot');
      await page
        .getByRole('region', { name: 'Used in 1 place' })
        .getByRole('link', { name: 'About' })
        .waitFor();
      expect(await ann.findBarriers()).toEqual([]);
      await page.getByRole('link', { name: 'Preview', exact: true }).click();
      const drawn = page.frameLocator('iframe[title="Last saved version"]');
      await drawn.getByText('Imprint').waitFor();
      expect(await ann.findBarriers()).toEqual([]);
      await page.getByRole('link', { name: 'Back to Foot' }).click();
      await title('Foot');
      await page.getByRole('button', { name: 'Delete section' }).click();
      await confirm('Delete');
      await page.getByText('This section is still in use:').waitFor();
      expect(ann.complaints().join()).toContain('409');
      await confirm('Cancel');
    });

    test('an article is written, published, and found in its category', async () => {
      const { page } = ann;
      await ann.visit(`${store}/blog/categories`);
      await page.getByRole('button', { name: 'New category' }).click();
      await page.getByRole('textbox', { name: 'Name' }).fill('News');
      await page.getByRole('button', { name: 'Create', exact: true }).click();
      await page.getByRole('button', { name: 'Actions for News' }).waitFor();
      expect(await ann.findBarriers()).toEqual([]);
      await page.getByRole('link', { name: 'Back to Blog' }).click();
      await page.getByRole('link', { name: 'New article' }).first().click();
      await page.getByRole('textbox', { name: 'Title' }).fill('We are open');
      const content = page.getByRole('textbox', { name: 'Content' });
      const asHtml = page.getByRole('button', { name: 'Content as HTML' });
      await asHtml.click();
      await content.fill('<p>Come in.</p><script>x()</script>');
      await page.getByText('News', { exact: true }).click();
      await page.getByRole('button', { name: 'Create', exact: true }).click();
      await title('We are open');
      expect(await content.inputValue()).toBe('<p>Come in.</p>');
      await asHtml.click();
      await content.press('Control+End');
      await page.getByRole('button', { name: 'Numbered list' }).click();
      await page.keyboard.press('Enter');
      await page.keyboard.press('Control+b');
      await page.keyboard.type('Now');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText('Saved', { exact: true }).waitFor();
      await asHtml.click();
      const list = '<ol><li>Come in.</li><li><strong>Now</strong></li></ol>';
      expect(await content.inputValue()).toBe(list);
      await asHtml.click();
      await content.getByRole('listitem').nth(1).waitFor();
      await page.getByRole('button', { name: 'Publish', exact: true }).click();
      await confirm('Publish');
      await page.getByText('Article published', { exact: true }).waitFor();
      expect(await ann.findBarriers()).toEqual([]);
      await page.getByRole('link', { name: 'Back to Blog' }).click();
      const row = page.getByRole('row', { name: /We are open/ });
      await row.waitFor();
      expect(await row.textContent()).toMatch(/Published.*News/);
      expect(await ann.findBarriers()).toEqual([]);
    });

    test('a text is translated beside its original, and the next missing one follows', async () => {
      const { page } = ann;
      await person.call('POST', `${api}/blog-categories`, { name: 'Press', slug: 'press' });
      await ann.visit(`${store}/translations?kind=blogCategory`);
      await page.getByRole('row', { name: /News/ }).waitFor();
      expect(await ann.findBarriers()).toEqual([]);
      await page.getByRole('row', { name: /News/ }).click();
      await page.getByLabel('Name, German').fill('Neues');
      await page.getByRole('button', { name: 'Save and go to next' }).click();
      await title('Press');
      expect(await ann.findBarriers()).toEqual([]);
      await page.getByRole('link', { name: 'Back to Translations' }).click();
      await page
        .getByRole('row')
        .filter({ hasText: /News.*Neues.*Complete/ })
        .waitFor();

      // Texts that count for no progress can be translated there too: options, and texts in public custom fields.
      const field = { entity: 'product', type: 'text' };
      for (const [key, visibility] of [
        ['care', 'public'],
        ['margin', 'private'],
      ])
        expectStatus(
          await person.call('POST', `${api}/custom-fields`, { ...field, key, visibility, name: key }),
          201,
        );
      const shirt = {
        name: 'Shirt',
        options: [{ name: 'Size', values: ['Small', 'Large'] }],
        variants: ['Small', 'Large'].map((Size) => ({ priceCents: 100, stock: 1, options: { Size } })),
        customFields: { care: 'Wash cold', margin: 'Half' },
        seo: { title: 'Linen shirt' },
      };
      const { product: made } = expectStatus(await person.call('POST', `${api}/products`, shirt), 201).body;
      await ann.visit(`${store}/translations/de/product/${made.id}`);
      await page.getByLabel('Size, German', { exact: true }).fill('Größe');
      await page.getByLabel('Size: Large, German').fill('Groß');
      await page.getByLabel('care, German').fill('Kalt waschen');
      await page.getByLabel('Title for search engines, German').fill('Leinenhemd');
      expect(await page.getByLabel('Description for search engines, German').count()).toBe(0);
      expect(await page.getByLabel('margin, German').count()).toBe(0);
      expect(await ann.findBarriers()).toEqual([]);
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText('Saved', { exact: true }).first().waitFor();
      const query = `locale=de&entityType=product&entityId=${made.id}`;
      const { translations } = (await person.call('GET', `${api}/translations?${query}`)).body;
      const written = translations.map((each: { field: string; value: string }) => [each.field, each.value]);
      expect(Object.fromEntries(written)).toEqual({
        'customFields.care': 'Kalt waschen',
        'options.0.name': 'Größe',
        'options.0.values.1': 'Groß',
        'seo.title': 'Leinenhemd',
      });
      expectStatus(await person.call('DELETE', `${api}/products/${made.id}`), 204);

      await ann.visit(`${store}/translations?kind=onPage`);
      await page.getByRole('row', { name: 'Start', exact: true }).click();
      await page.getByLabel('Heading: Text, original').waitFor();
      expect(await ann.findBarriers()).toEqual([]);
      await page.getByLabel('Heading: Text, German').fill('Willkommen');
      await page.getByLabel('Link: Text, German').fill('Anderswo');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText('Saved', { exact: true }).first().waitFor();
      const { pages } = (await person.call('GET', `${api}/pages`)).body;
      const start = pages.find(({ name }: { name: string }) => name === 'Start');
      await ann.visit(`${store}/pages/${start.id}/preview?locale=de`);
      await page.frameLocator('iframe').getByText('Willkommen').waitFor();

      // Without configured languages, they are those that have texts.
      expectStatus(await person.call('PATCH', api, { locales: null }), 200);
      await ann.visit(`${store}/translations`);
      await page.getByText('Into German').waitFor();
      await ann.visit(`${store}/pages/${start.id}/preview`);
      await page.getByRole('button', { name: /Language/ }).click();
      await page.getByRole('option', { name: 'German' }).click();
      await page.frameLocator('iframe').getByText('Willkommen').waitFor();
      await ann.visit(`${store}/pages/${start.id}/edit`);
      await page.getByRole('button', { name: /Language of the page/ }).click();
      await page.getByRole('option', { name: 'German' }).click();
      await page.frameLocator('iframe[title="Page"]').getByText('Willkommen').waitFor();
      const { product } = (await person.call('POST', `${api}/products`, { name: 'Tea' })).body;
      const entry = {
        locale: 'ar',
        entityType: 'product',
        entityId: product.id,
        field: 'name',
        value: 'شاي',
      };
      expectStatus(await person.call('PUT', `${api}/translations`, { entries: [entry] }), 200);
      await ann.visit(`${store}/products/${product.id}`);
      await page.getByRole('button', { name: /Language/ }).click();
      await page.getByRole('option', { name: 'Arabic' }).click();
      const translated = page.getByLabel('Name · Arabic');
      await eventually(async () => (await translated.inputValue()) === 'شاي');
      expect(await translated.evaluate((field) => getComputedStyle(field).direction)).toBe('rtl');
      expectStatus(await person.call('DELETE', `${api}/products/${product.id}`), 204);
      expectStatus(await person.call('PATCH', api, { locales: ['en', 'de'] }), 200);
    });

    test('by keyboard alone: a file is uploaded, described, and put into the trash', async () => {
      const { page, keys } = ann;
      await ann.visit(`${store}/media`);
      await keys.at('Media');
      const chooser = page.waitForEvent('filechooser');
      await keys.act('Upload files');
      await (await chooser).setFiles(picture('kettle'));
      await page.getByRole('row', { name: 'kettle.png' }).waitFor();
      await keys.row(/^kettle\.png/);
      await keys.press('Enter');
      await keys.at('kettle.png');
      await keys.to(/^Focal point/);
      await keys.press('ArrowLeft', 'ArrowUp');
      await keys.fill('Alt text', 'A kettle');
      await keys.act('Save');
      await page.getByText('Saved', { exact: true }).waitFor();
      await keys.act('Move to trash', 'Shift+Tab');
      await ann.opened('alertdialog', 'Move this file to the trash?');
      await keys.act('Move to trash');
      await keys.act('Restore');
      await page.getByText('Restored').waitFor();
      await keys.to('Move to trash');
    });

    test('a page starts complete, with pictures of how it looks in the store, and the editor opens on it', async () => {
      const { page } = ann;
      await ann.visit(`${store}/pages`);
      await page.getByRole('button', { name: 'New page' }).click();
      const dialog = await ann.opened('dialog', 'New page');
      const pictures = dialog.locator('iframe');
      await eventually(async () => (await pictures.count()) === 10, { what: 'a picture of each page' });
      const texts = () =>
        pictures.evaluateAll((frames) =>
          frames.map(
            (frame) => (frame as HTMLIFrameElement).contentDocument?.querySelector('h1')?.textContent ?? '',
          ),
        );
      await eventually(async () => (await texts()).every((text) => text !== ''), { what: 'their headings' });
      expect(new Set(await texts()).size).toBe(10);
      await dialog.getByText('Questions and answers', { exact: true }).click();
      expect(await dialog.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Questions and answers');
      await dialog.getByRole('button', { name: 'Create', exact: true }).click();
      await page.waitForURL(/\/pages\/pag_[0-9a-z]+\/edit$/);
      const [, id] = /pages\/(pag_[0-9a-z]+)/.exec(page.url())!;
      const { document } = (await person.call('GET', `${api}/pages/${id}/draft`)).body;
      expect(document.nodes.length).toBeGreaterThan(8);
      // The document is valid: it publishes unchanged.
      expectStatus(await person.call('POST', `${api}/pages/${id}/publish`, {}), 200);
      expectStatus(await person.call('DELETE', `${api}/pages/${id}`), 204);
    });

    test('by keyboard alone: a page is created and published, and a section renamed', async () => {
      const { page, keys } = ann;
      await ann.visit(`${store}/pages`);
      await keys.at('Pages');
      await keys.act('New page');
      await ann.opened('dialog', 'New page');
      await keys.fill('Name', 'Imprint');
      await keys.act('Create');
      await page.waitForURL(/\/edit$/);
      await ann.visit(new URL(page.url()).pathname.replace(/\/edit$/, '').replace(/^\/console/, ''));
      await keys.at('Imprint');
      await keys.fill('Title', 'Who we are');
      await keys.act('Save');
      await page.getByText('Saved', { exact: true }).first().waitFor();
      await keys.act('Actions for Imprint');
      await ann.opened('menu', 'Actions for Imprint');
      await keys.act('Delete page', 'ArrowDown');
      await ann.opened('alertdialog', 'Delete “Imprint”?');
      await keys.act('Delete');
      await keys.at('Pages');
      await keys.act('Actions for Contact');
      await ann.opened('menu', 'Actions for Contact');
      await keys.act('Move down', 'ArrowDown');
      await page.getByRole('row').nth(1).getByRole('link', { name: 'Contact', exact: true }).waitFor();

      await keys.act('Sections', 'Shift+Tab');
      await keys.at('Sections');
      await keys.row(/^Foot/);
      await keys.press('Enter');
      await keys.at('Foot');
      await keys.fill('Name', 'Footer');
      await keys.act('Save');
      await keys.at('Footer');
    });

    test('by keyboard alone: a category and an article are made, and translated', async () => {
      const { page, keys } = ann;
      await ann.visit(`${store}/blog`);
      await keys.at('Blog');
      await keys.act('Categories');
      await keys.at('Categories');
      await keys.act('New category');
      await ann.opened('dialog', 'New category');
      await keys.fill('Name', 'Recipes');
      await keys.act('Create');
      await page.getByRole('button', { name: 'Actions for Recipes' }).waitFor();
      await keys.act('Back to Blog', 'Shift+Tab');
      await keys.at('Blog');
      await keys.act('New article');
      await keys.at('New article');
      await keys.fill('Title', 'Iced tea');
      await keys.to('Recipes');
      await keys.press('Space');
      await keys.act('Create');
      await keys.at('Iced tea');
      await keys.act('Publish');
      await ann.opened('alertdialog', 'Publish this article?');
      await keys.act('Publish');
      await page.getByText('Article published', { exact: true }).waitFor();

      await ann.visit(`${store}/translations?kind=blogCategory`);
      await keys.at('Translations');
      await keys.row(/^Recipes/);
      await keys.press('Enter');
      await keys.at('Recipes');
      await keys.fill('Name, German', 'Rezepte');
      await keys.act('Save');
      await page.getByText('Saved', { exact: true }).waitFor();
      await keys.act('Next untranslated');
      await keys.at('Press');
    });
  },
);
