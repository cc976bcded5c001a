import { existsSync } from 'node:fs';
import { appendFile, chmod, readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Model } from '@waybill/sdk';
import type { Command } from 'commander';
import { type Connection, connect, type GlobalOptions, readList } from '../connection.ts';
import { Failure, toFailure } from '../failure.ts';
import { checkReceiver, listen } from '../listening.ts';
import { type Output, styled } from '../output.ts';
import { appIdPlaceholder, checkProject, type FileProblem, type Project, saveIds } from '../project.ts';
import type { Run } from '../run.ts';
import { abortOnSignal } from '../stopping.ts';

interface DevOptions extends GlobalOptions {
  forwardTo?: string;
  once?: boolean;
}

/** Adds the commands `app check|dev|push|submit [folder]`. */
export function addApp(program: Command, run: Run): void {
  const app = program.command('app').description('Develop an app: its blocks, islands and versions');

  app
    .command('check [folder]')
    .description('Run the server’s checks locally')
    .action(
      run(async (_: GlobalOptions, output, folder) => {
        const { project, problems } = await checkProject(resolve(folder ?? '.'));
        if (!project) return failWithProblems(problems, output);
        output.result({ problems: [] }, 'No problems found.');
      }),
    );

  app
    .command('push [folder]')
    .description('Upload the app to its draft version; registers the app the first time')
    .action(
      run(async (options: GlobalOptions, output, folder) => {
        const connection = await connect(options);
        const project = await readProject(folder, output);
        const version = await push(connection, project, output);
        const { id, number } = version;
        output.result({ version: { id, number } }, `Uploaded to version ${number} (${id}).`);
      }),
    );

  app
    .command('submit [folder]')
    .description('Upload the app to its draft version, and submit it for review')
    .action(
      run(async (options: GlobalOptions, output, folder) => {
        const connection = await connect(options);
        const project = await readProject(folder, output);
        const { id, number } = await push(connection, project, output);
        await connection.call('POST', `${getAppPath(project)}/versions/${id}/submit`, {});
        output.result({ version: { id, number } }, `Version ${number} (${id}) is waiting for review.`);
      }),
    );

  app
    .command('dev [folder]')
    .description('Show the app on a page of a development store, updated on each save')
    .option('--forward-to <url>', 'call this address for the development store’s events, signed')
    .option('--once', 'show the app once, then exit')
    .action(
      run(async (options: DevOptions, output, folderArgument) => {
        if (options.forwardTo !== undefined) checkReceiver(options.forwardTo);
        const connection = await connect(options);
        const folder = resolve(folderArgument ?? '.');
        const project = await readProject(folder, output);
        const show = await startShowing(connection, project, output);
        const address = await show(project);
        output.item({ page: address }, `${styled('green', '✓')} ${address}`);
        if (options.once) return;
        const stop = abortOnSignal('SIGINT', 'SIGTERM');
        const { signal } = stop;
        const work = [follow(folder, show, output, signal)];
        const storeId = project.settings.storeId!;
        if (options.forwardTo)
          work.push(listen(connection, { storeId, forwardTo: options.forwardTo, signal }, output));
        // If one task fails, the other would continue and the command would never end.
        await Promise.all(work).finally(() => stop.abort());
      }),
    );
}

async function readProject(folder: string | undefined, output: Output): Promise<Project> {
  const { project, problems } = await checkProject(resolve(folder ?? '.'));
  return project ?? failWithProblems(problems, output);
}

/** Reports problems in the form that compilers use: `blocks.json:12:7`. */
function failWithProblems(problems: readonly FileProblem[], output: Output): never {
  if (output.isJson) output.result({ problems }, '');
  else for (const problem of problems) output.note(formatProblem(problem));
  throw new Failure(`${problems.length} ${problems.length === 1 ? 'problem' : 'problems'}.`, {
    code: problems[0]!.code,
    remedy: 'Nothing was sent.',
  });
}

const formatProblem = ({ file, line, column, code, pointer, message }: FileProblem) =>
  `${file}:${line}:${column}  ${pointer && `${pointer} `}${message}  [${code}]`;

const getAppPath = ({ settings }: Project) => `/api/orgs/${settings.orgId}/apps/${settings.appId}`;

/**
 * Uploads an app to its draft. Creates the draft if none has the same scopes and origins, and registers the app the
 * first time.
 */
async function push({ call }: Connection, project: Project, output: Output): Promise<Model<'AppVersion'>> {
  await register(call, project, output);
  const version = await findOrCreateDraft(call, project);
  const path = `${getAppPath(project)}/versions/${version.id}`;
  await uploadVersion({ call, path }, project);
  return version;
}

async function register(call: Connection['call'], project: Project, output: Output): Promise<void> {
  const { settings, folder } = project;
  if (!settings.orgId) {
    const { orgs } = await call<{ orgs: { id: string; name: string }[] }>('GET', '/api/orgs');
    const org =
      orgs[0] ??
      (await call<{ org: { id: string; name: string } }>('POST', '/api/orgs', { name: settings.name })).org;
    if (orgs.length > 1)
      output.note(`The app belongs to ${org.name}, the first of your organisations (orgId in waybill.json).`);
    await saveIds(project, { orgId: org.id });
  }
  if (settings.appId) return;
  const { name, redirectUris } = settings;
  const created = await call<{ app: { id: string }; clientSecret: string }>(
    'POST',
    `/api/orgs/${settings.orgId}/apps`,
    { name, redirectUris },
  );
  const file = join(folder, '.env');
  const lines = `WAYBILL_CLIENT_ID=${created.app.id}\nWAYBILL_CLIENT_SECRET=${created.clientSecret}\n`;
  const isNew = !existsSync(file);
  await appendFile(file, lines, { mode: 0o600 });
  if (isNew) await chmod(file, 0o600);
  await saveIds(project, { appId: created.app.id });
  output.note(`Registered ${created.app.id}; its client secret is in .env, and shown nowhere else.`);
}

/** Returns the newest draft with the app's scopes and connect origins; creates one if there is none. */
async function findOrCreateDraft(call: Connection['call'], project: Project): Promise<Model<'AppVersion'>> {
  const { scopes, connectOrigins } = project.settings;
  const path = `${getAppPath(project)}/versions`;
  const versions = await readList<Model<'AppVersion'>>(call, path, 'versions');
  const isSame = (one: readonly string[], other: readonly string[]) =>
    [...one].sort().join() === [...other].sort().join();
  const drafts = versions
    .filter(({ state }) => state === 'draft')
    .filter((each) => isSame(each.scopes, scopes) && isSame(each.connectOrigins, connectOrigins))
    .sort((one, other) => other.number - one.number);
  if (drafts[0]) return drafts[0];
  return (await call<{ version: Model<'AppVersion'> }>('POST', path, { scopes, connectOrigins })).version;
}

/** Uploads islands before the blocks that name them; each module is sent separately, as text. */
async function uploadVersion(
  { call, path }: { call: Connection['call']; path: string },
  project: Project,
): Promise<void> {
  const names = [...project.islands.keys()].map((name) => ({ name }));
  const current = await call<{ version: Model<'AppVersionDetails'> }>('GET', path);
  const hasRemovedIsland = current.version.islands.some(({ name }) => !project.islands.has(name));
  // Blocks that name a removed island would be invalid in between.
  if (hasRemovedIsland) await call('PUT', `${path}/blocks`, { blocks: [] });
  await call('PUT', `${path}/islands`, { islands: names });
  for (const [name, text] of project.islands) {
    const module = text.replaceAll(appIdPlaceholder, project.settings.appId!);
    await call(
      'POST',
      `${path}/islands/module?name=${name}`,
      new Blob([module], { type: 'text/javascript' }),
    );
  }
  await call('PUT', `${path}/blocks`, { blocks: project.blocks });
}

/** Prepares a store for showing an app. Returns the function that shows it and returns the address of its page. */
async function startShowing(connection: Connection, first: Project, output: Output) {
  const { call, url } = connection;
  await register(call, first, output);
  const { orgId, appId } = first.settings;
  if (!first.settings.storeId) {
    const { store } = await call<{ store: Model<'Store'> }>('POST', `/api/orgs/${orgId}/stores`, {
      name: `${first.settings.name} development`,
    });
    await saveIds(first, { storeId: store.id });
    output.note(`Created the development store ${store.id}.`);
  }
  const store = `/api/stores/${first.settings.storeId}`;
  let installed = '';
  let shownKeys = '';
  let address = '';
  return async (project: Project): Promise<string> => {
    Object.assign(project.settings, { orgId, appId, storeId: first.settings.storeId });
    const version = await push(connection, project, output);
    const { scopes, connectOrigins } = version;
    if (installed !== version.id) {
      await call('POST', `${store}/apps/${appId}/install`, { versionId: version.id, scopes, connectOrigins });
      installed = version.id;
    }
    const keys = (project.blocks as { key: string }[]).map(({ key }) => key);
    if (shownKeys !== keys.join()) {
      address = new URL(await showBlocks(call, store, appId!, keys), `${url}/`).href;
      shownKeys = keys.join();
    }
    return address;
  };
}

/** Fills the page `app` with one of each block, so that the merchant's own pages stay as they are. */
async function showBlocks(
  call: Connection['call'],
  store: string,
  appId: string,
  keys: readonly string[],
): Promise<string> {
  const pages = await readList<Model<'Page'>>(call, `${store}/pages`, 'pages');
  const page =
    pages.find(({ slug }) => slug === 'app') ??
    (await call<{ page: Model<'Page'> }>('POST', `${store}/pages`, { name: 'App', slug: 'app' })).page;
  const blocks = keys.map((blockKey, i) => ({
    id: `block-${i}`,
    type: 'blockRef',
    props: { specials: { appId, blockKey }, settings: {} },
  }));
  const root = { id: 'root', type: 'container', children: blocks.map(({ id }) => id) };
  await call('PUT', `${store}/pages/${page.id}/draft`, {
    document: { rootId: 'root', nodes: [root, ...blocks] },
  });
  const published = await call<{ page: Model<'Page'> }>('POST', `${store}/pages/${page.id}/publish`, {});
  return published.page.url ?? '';
}

/** How often files are checked. File watchers miss changes when an editor replaces a file by a new one. */
const pollIntervalMs = 300;

/** Shows the app again whenever one of its files is saved. Reports problems and tries again at the next save. */
async function follow(
  folder: string,
  show: (project: Project) => Promise<string>,
  output: Output,
  signal: AbortSignal,
): Promise<void> {
  output.note('Watching; Ctrl-C ends it.');
  let [stamp, shownContents] = [await readStamp(folder), await readContents(folder)];
  while (!signal.aborted) {
    await sleep(pollIntervalMs, null, { signal }).catch(() => {});
    const now = await readStamp(folder);
    if (now === stamp) continue;
    stamp = now;
    const contents = await readContents(folder);
    if (contents === shownContents) continue;
    shownContents = contents;
    try {
      const { project, problems } = await checkProject(folder);
      for (const problem of problems) output.item({ problem }, formatProblem(problem));
      if (!project) continue;
      const address = await show(project);
      output.item({ page: address }, `${styled('green', '✓')} ${address}`);
    } catch (error) {
      const { message, remedy } = toFailure(error);
      output.item({ error: message }, `${styled('red', '✗')} ${message} ${remedy}`);
    }
  }
}

/** Returns the modification times of an app's files, which are cheap to read. */
async function readStamp(folder: string): Promise<string> {
  const islands = await readdir(join(folder, 'islands')).catch(() => []);
  const names = ['waybill.json', 'blocks.json', ...islands.map((name) => join('islands', name))];
  const stamps = names.map((name) =>
    stat(join(folder, name)).then(
      ({ mtimeMs, size }) => `${name} ${mtimeMs} ${size}`,
      () => name,
    ),
  );
  return (await Promise.all(stamps)).join();
}

/** Returns the contents of an app's files, so that files we write ourselves do not count as changes. */
async function readContents(folder: string): Promise<string> {
  const { project, problems } = await checkProject(folder).catch((error) => ({
    project: null,
    problems: String(error),
  }));
  if (!project) return JSON.stringify(problems);
  const { name, scopes, connectOrigins } = project.settings;
  return JSON.stringify([name, scopes, connectOrigins, project.blocks, [...project.islands]]);
}
