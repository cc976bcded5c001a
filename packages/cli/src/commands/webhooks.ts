import { setTimeout as sleep } from 'node:timers/promises';
import type { Model } from '@waybill/sdk';
import { type Command, Option } from 'commander';
import { type Connection, connect, type GlobalOptions } from '../connection.ts';
import { exitCodes, Failure } from '../failure.ts';
import { checkReceiver, findType, forward, listen, listenSecret, readEventTypes } from '../listening.ts';
import { plain, styled } from '../output.ts';
import { readAppSettings } from '../project.ts';
import type { Run } from '../run.ts';
import { abortOnSignal } from '../stopping.ts';

interface ListenOptions extends GlobalOptions {
  forwardTo?: string;
  events?: string;
  after?: string;
}
interface TriggerOptions extends GlobalOptions {
  forwardTo?: string;
  webhook?: string;
}
interface ReplayOptions extends GlobalOptions {
  since: string;
  until?: string;
  types?: string;
  statuses?: string;
}
interface TailOptions extends GlobalOptions {
  once?: boolean;
  status?: string;
}

type Delivery = Model<'WebhookDelivery'>;
type Replay = Model<'WebhookReplay'>;

const splitList = (text: string | undefined) => text?.split(',').map((word) => word.trim());

/** Adds the commands `webhooks listen|trigger|replay|check` and `deliveries tail`. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a table of commands, each with its options
export function addWebhooks(program: Command, run: Run): void {
  const webhooks = program.command('webhooks').description('Receive, test and replay events');

  webhooks
    .command('listen')
    .description('Show the store’s events as they happen, and forward them, signed, to your machine')
    .option('--forward-to <url>', 'call this address for each event')
    .option('--events <types>', 'only these types, separated by commas')
    .option('--after <evt_…>', 'start after this event')
    .action(
      run(async (options: ListenOptions, output) => {
        const connection = await connect(options);
        const { signal } = abortOnSignal('SIGINT', 'SIGTERM');
        await listen(
          connection,
          {
            storeId: await connection.storeId(),
            forwardTo: options.forwardTo,
            types: splitList(options.events),
            after: options.after,
            signal,
          },
          output,
        );
      }),
    );

  webhooks
    .command('trigger <type>')
    .description('Send a sample event to your machine, or from Waybill to a webhook')
    .option('--forward-to <url>', 'call this address, signed as `listen` signs')
    .option('--webhook <whe_…>', 'let Waybill call this webhook')
    .action(
      run(async (options: TriggerOptions, output, type) => {
        const { call, storePath, url } = await connect(options);
        if (options.webhook) {
          const path = `${await storePath()}/webhooks/${options.webhook}/test`;
          const { delivery } = await call<{ delivery: Delivery }>('POST', path, { type });
          return output.result({ delivery }, `${delivery.id} is on its way.`);
        }
        if (!options.forwardTo)
          throw new Failure('The target is missing.', {
            code: 'usage',
            exitCode: exitCodes.usage,
            remedy: 'Pass --forward-to <url> or --webhook <whe_…>.',
          });
        checkReceiver(options.forwardTo);
        const eventType = await readSample(type!, { call, storePath });
        const event = {
          id: `evt_test${Date.now().toString(36)}`,
          type: eventType.type,
          createdAt: new Date().toISOString(),
          data: eventType.sample as Model<'Event'>['data'],
        };
        const outcome = await forward(event, options.forwardTo, await listenSecret(url));
        if (outcome.status === null)
          throw new Failure(`${options.forwardTo} did not answer: ${outcome.error}.`, {
            code: 'unreachable',
            exitCode: exitCodes.unreachable,
            remedy: 'Is your server running there?',
          });
        output.result({ ...outcome, type }, `${outcome.status}  ${outcome.ms} ms  ${type}`);
        if (outcome.status < 200 || outcome.status >= 300) process.exitCode = exitCodes.failed;
      }),
    );

  webhooks
    .command('replay <webhook>')
    .description('Replay the events that a webhook missed')
    .requiredOption('--since <time>', 'RFC 3339, or a time ago: 30m, 12h, 7d')
    .option('--until <time>', 'like --since; default: now')
    .option('--types <types>', 'only these events, separated by commas')
    .option('--statuses <statuses>', 'dead, cancelled, delivered or never, separated by commas')
    .action(
      run(async (options: ReplayOptions, output, webhook) => {
        const { call, storePath } = await connect(options);
        const [types, statuses] = [splitList(options.types), splitList(options.statuses)];
        const path = `${await storePath()}/webhooks/${webhook}/replay`;
        const started = await call<{ replay: Replay }>('POST', path, {
          since: parseTime(options.since),
          ...(options.until && { until: parseTime(options.until) }),
          ...(types && { types }),
          ...(statuses && { statuses }),
        });
        let { replay } = started;
        const { signal } = abortOnSignal('SIGINT', 'SIGTERM');
        while (replay.state === 'running' && !signal.aborted) {
          await sleep(500, null, { signal }).catch(() => {});
          replay = (await call<{ replay: Replay }>('GET', `${path}s/${replay.id}`)).replay;
        }
        const { state, sent, matched } = replay;
        output.result({ replay }, `${replay.id}: ${state}, ${sent} of ${matched} sent.`);
        // Waybill continues the replay, but this command ends before its outcome is known.
        if (state === 'running') process.exitCode = exitCodes.interrupted;
      }),
    );

  webhooks
    .command('check <webhook>')
    .description('Check a webhook for problems that would make calls fail')
    .action(
      run(async (options: GlobalOptions, output, webhook) => {
        const { call, storePath } = await connect(options);
        const path = `${await storePath()}/webhooks/${webhook}/check`;
        const { checks } = await call<{ checks: Model<'WebhookCheck'>[] }>('POST', path);
        const lines = checks.map(({ id, state, message }) => `${state.padEnd(8)}${id.padEnd(11)}${message}`);
        output.result({ checks }, lines.join('\n'));
        if (checks.some(({ state }) => state === 'failed')) process.exitCode = exitCodes.failed;
      }),
    );

  const deliveries = program.command('deliveries').description('Inspect the deliveries of a webhook');
  deliveries
    .command('tail <webhook>')
    .description('Show deliveries as they happen')
    .addOption(
      new Option('--status <status>', 'only this status').choices([
        'pending',
        'retrying',
        'delivered',
        'dead',
        'cancelled',
      ]),
    )
    .option('--once', 'show the latest, then exit')
    .action(
      run(async (options: TailOptions, output, webhook) => {
        const { call, storePath } = await connect(options);
        const query = new URLSearchParams({ limit: '50', ...(options.status && { status: options.status }) });
        const path = `${await storePath()}/webhooks/${webhook}/deliveries?${query}`;
        const { signal } = abortOnSignal('SIGINT', 'SIGTERM');
        let previousStates = new Map<string, string>();
        while (!signal.aborted) {
          const { deliveries } = await call<{ deliveries: Delivery[] }>('GET', path);
          const formatState = ({ status, attempt }: Delivery) => `${status} ${attempt}`;
          for (const delivery of deliveries.toReversed())
            if (previousStates.get(delivery.id) !== formatState(delivery))
              output.item(delivery, formatDelivery(delivery));
          previousStates = new Map(deliveries.map((delivery) => [delivery.id, formatState(delivery)]));
          if (options.once) return;
          await sleep(1_000, null, { signal }).catch(() => {});
        }
      }),
    );
}

/**
 * Returns a sample event, either of a type that webhooks receive or of one that an app's own endpoint receives. The API
 * lists only the former.
 */
async function readSample(type: string, connection: Pick<Connection, 'call' | 'storePath'>) {
  const state = installStates[type];
  if (state)
    return { type: type as Model<'Event'>['type'], sample: { install: await createSampleInstall(state) } };
  return findType(await readEventTypes(connection), type, Object.keys(installStates));
}

/** Event types of an app's own endpoint, and the resulting state of the install (`decisions.md 14.5`). */
const installStates: Readonly<Record<string, string>> = {
  'app.installed': 'installed',
  'app.updated': 'installed',
  'app.disabled': 'disabled',
  'app.enabled': 'installed',
  'app.uninstalled': 'uninstalled',
};

/** Returns a sample install of the app in the working directory, using its `waybill.json` as far as it goes. */
async function createSampleInstall(state: string) {
  const noId = '0'.repeat(26);
  const app = await readAppSettings(process.cwd());
  const now = new Date().toISOString();
  return {
    id: `ins_${noId}`,
    appId: app.appId ?? `app_${noId}`,
    appName: app.name ?? 'Sample',
    storeId: app.storeId ?? `str_${noId}`,
    versionId: `ver_${noId}`,
    versionNumber: 1,
    grantedScopes: app.scopes ?? [],
    connectOrigins: app.connectOrigins ?? [],
    isDevelopment: true,
    state,
    waitingVersionId: null,
    createdAt: now,
    updatedAt: now,
  };
}

function formatDelivery({
  id,
  createdAt,
  eventType,
  status,
  attempt,
  lastStatusCode,
  lastError,
}: Delivery): string {
  const colour = status === 'delivered' ? 'green' : status === 'dead' ? 'red' : 'yellow';
  const answer = lastStatusCode ?? plain(lastError);
  return `${createdAt}  ${styled(colour, status)}  ${eventType}  ${id}  attempt ${attempt}  ${answer}`;
}

/** Reads a time that is written out, or relative such as `12h` ago. */
function parseTime(text: string): string {
  const [, count, unit] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  if (!count) return text;
  const minutes = { m: 1, h: 60, d: 1440 }[unit as 'm' | 'h' | 'd'];
  return new Date(Date.now() - Number(count) * minutes * 60_000).toISOString();
}
