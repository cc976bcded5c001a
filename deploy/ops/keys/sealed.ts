import {
  type NamedKey,
  openDatabase,
  type SealedDefinition,
  StartError,
  storedResponses,
} from '@waybill/kernel';
import { oneProcess, secretNames } from '../../secrets.ts';
import { services } from '../../services.ts';
import { databaseUrl } from '../backup/backup.ts';
import type { Installation } from '../backup/installation.ts';

interface SealedPlace {
  service: string;
  // biome-ignore lint/suspicious/noExplicitAny: the services have different databases
  sealed: SealedDefinition<any>;
}

/** Returns the data that the keys of a secret seal, each with its service; often none. */
export function sealedWith(secret: string): SealedPlace[] {
  const [, caller] = /^serviceToken\.(.+)$/.exec(secret) ?? [];
  return services
    .filter(({ migrations }) => migrations)
    .flatMap(({ name, sealed }) => {
      const isOwn = sealed && secretNames[sealed.setting as keyof typeof secretNames] === secret;
      const isCaller = caller === name || caller === oneProcess;
      return [...(isOwn ? [sealed] : []), ...(isCaller ? [storedResponses] : [])].map((each) => ({
        service: name,
        sealed: each,
      }));
    });
}

/**
 * Throws a StartError if stored data can be opened only by `key`, with the kind, number and place of the data. It also
 * throws if a database cannot be read, because its content is then unknown.
 */
export async function refuseWhileNeeded(
  sealed: readonly SealedPlace[],
  key: NamedKey,
  others: readonly NamedKey[],
  openInstallations: () => Promise<readonly Installation[]>,
): Promise<void> {
  if (sealed.length === 0) return;
  const left: string[] = [];
  const installations = await openInstallations();
  try {
    for (const installation of installations) {
      for (const { service, sealed: each } of sealed) {
        const url = databaseUrl(installation, service);
        const count = await countIn(url, service, each, key, others);
        if (count > 0) left.push(`${count} ${each.what} (${describeDatabase(url)})`);
      }
    }
  } finally {
    for (const installation of installations) await installation.close();
  }
  if (left.length > 0)
    throw new StartError(
      `${key.id} alone opens ${left.join(', ')}; nothing was dropped. With another key in use (npm run keys -- use) a running ` +
        'Waybill seals secrets anew within the hour and says in its log when all are; kept answers go within a day.',
    );
}

async function countIn(
  url: string,
  service: string,
  sealed: SealedPlace['sealed'],
  key: NamedKey,
  others: readonly NamedKey[],
): Promise<number> {
  const db = openDatabase<unknown>({ service, url, poolSize: 1 });
  try {
    return await sealed.countHeldBy(db, key, others);
  } catch (error) {
    const { message } = error as Error;
    throw new StartError(
      `${describeDatabase(url)} cannot be looked into for ${sealed.what}: ${message}; nothing was dropped. ` +
        'DATABASE_URL and WAYBILL_NAMESPACE must be those of npm run cluster.',
    );
  } finally {
    await db.destroy();
  }
}

/** Returns the name of a database and its server, without user and password. */
function describeDatabase(url: string): string {
  const { host, pathname } = new URL(url);
  return `database ${pathname.slice(1)} on ${host}`;
}
