import { chmod, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Env, runProgram, type ServiceDefinition } from '@waybill/kernel';
import { principalPublicKeys, readCallers, withSecrets } from '../secrets.ts';
import { databaseServices } from '../servers/databases.ts';
import { services } from '../services.ts';
import { readOrCreateSecrets, writePrivateFile } from '../standalone/data-directory.ts';

/**
 * The first step of docker-compose.yml: creates the secrets of the installation, once, and gives each container only
 * those that it needs. `/secrets/kept` holds everything; every other folder is a volume that a single container mounts
 * at /run/waybill.
 */
async function distribute(root: string): Promise<void> {
  const masterFolder = join(root, 'kept');
  const keys = await withSecrets(masterFolder, {});
  const callers = await readCallers(
    masterFolder,
    {},
    services.map(({ name }) => name),
  );
  const { postgres, rabbitmq, redis, s3 } = await readOrCreateSecrets(masterFolder, [
    'postgres',
    'rabbitmq',
    'redis',
    's3',
  ]);
  const roles = await readOrCreateSecrets(
    masterFolder,
    databaseServices.map((name) => `postgres.${name}`),
  );
  const createDatabaseUrl = (service: string) => {
    const name = `waybill_${service}`.replaceAll('-', '_');
    return `postgres://${name}:${roles[`postgres.${service}`]}@postgres:5432/${name}`;
  };
  const settings: Record<string, string | undefined> = {
    ...keys,
    AMQP_URL: `amqp://waybill:${rabbitmq}@rabbitmq:5672`,
    REDIS_URL: `redis://:${redis}@redis:6379`,
    S3_ACCESS_KEY_ID: 'waybill',
    S3_SECRET_ACCESS_KEY: s3,
  };
  for (const service of services) {
    const forAll = { ...principalPublicKeys(keys), ...callers.settingsOf(service.name) };
    const own: Env = { ...settings, ...forAll, DATABASE_URL: createDatabaseUrl(service.name) };
    const folder = join(root, service.name);
    const names = [
      ...Object.keys(forAll),
      ...listSecrets(service, [...Object.keys(keys), 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY']),
    ];
    for (const name of names) await write(join(folder, name), own[name]!);
    // A key that has become a list in a rotation: the old single key would contradict it.
    const left = (await readdir(folder)).filter((file) => !names.includes(file));
    await Promise.all(left.map((file) => rm(join(folder, file))));
  }
  await write(join(root, 'demo', 'WAYBILL_SERVICE_TOKEN'), callers.operatorToken);
  await write(join(root, 'postgres', 'password'), postgres);
  await write(join(root, 'roles', 'DATABASE_URL'), `postgres://postgres:${postgres}@postgres:5432/postgres`);
  const passwords = databaseServices.map((name) => `${name}:${roles[`postgres.${name}`]}`);
  await write(join(root, 'roles', 'WAYBILL_ROLE_PASSWORDS'), passwords.join(','));
  await write(
    join(root, 'rabbitmq', 'rabbitmq.conf'),
    `default_user = waybill\ndefault_pass = ${rabbitmq}\n`,
  );
  // Redis holds only copies of data: nothing is written to disk, and the oldest entries make room.
  await write(
    join(root, 'redis', 'redis.conf'),
    `requirepass ${redis}\nsave ""\nmaxmemory 256mb\nmaxmemory-policy volatile-ttl\n`,
  );
  const credentials = [{ accessKey: settings.S3_ACCESS_KEY_ID, secretKey: s3 }];
  await write(
    join(root, 's3', 's3.json'),
    `${JSON.stringify({ identities: [{ name: 'waybill', credentials, actions: ['Admin'] }] })}\n`,
  );
}

/** Returns the settings of a service that no other service may know. */
function listSecrets(service: ServiceDefinition, keys: readonly string[]): string[] {
  const own = keys.filter((name) => name in service.config.schema.properties);
  return [
    ...own,
    ...(service.migrations ? ['DATABASE_URL'] : []),
    ...(service.migrations || service.workers || service.subscriptions ? ['AMQP_URL'] : []),
    ...(service.usesCache ? ['REDIS_URL'] : []),
  ];
}

/** Writes a file that any user of the container can read: the volume belongs to it alone. */
async function write(path: string, text: string): Promise<void> {
  await writePrivateFile(path, text);
  await chmod(path, 0o444);
}

runProgram(async () => {
  await distribute(process.argv[2] ?? '/secrets');
  process.exit(0);
});
