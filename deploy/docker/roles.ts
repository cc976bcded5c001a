import { defineConfig, namespaceSetting, parseNamed, runProgram, StartError } from '@waybill/kernel';
import Type from 'typebox';
import { say } from '../announce.ts';
import { createServiceDatabases, databaseServices } from '../servers/databases.ts';

const settings = defineConfig(
  Type.Object({
    DATABASE_URL: Type.Optional(
      Type.String({ description: 'Of the administrator, on the database postgres.' }),
    ),
    WAYBILL_NAMESPACE: namespaceSetting,
    WAYBILL_ROLE_PASSWORDS: Type.String({
      default: '',
      description: 'Of the role of each service: `catalog:…,orders:…`, without commas in them.',
    }),
  }),
);

/**
 * `roles [--own-server]`: the step before the migrations, which creates each service's role and database as the
 * administrator, whose password no service knows (`decisions.md 18.2`). Without passwords it changes nothing.
 */
runProgram(async () => {
  const { DATABASE_URL, WAYBILL_NAMESPACE, WAYBILL_ROLE_PASSWORDS } = settings.read(process.env);
  if (!DATABASE_URL || !WAYBILL_ROLE_PASSWORDS) {
    say('WAYBILL_ROLE_PASSWORDS is not set: roles and databases are left as they are.');
    process.exit(0);
  }
  const named = parseNamed('WAYBILL_ROLE_PASSWORDS', WAYBILL_ROLE_PASSWORDS);
  const passwords = Object.fromEntries(named.map(({ id, value }) => [id, value]));
  const unknown = Object.keys(passwords).find((name) => !databaseServices.includes(name));
  if (unknown) throw new StartError(`WAYBILL_ROLE_PASSWORDS: ${unknown} is not a service with a database`);
  const urls = await createServiceDatabases({
    adminUrl: DATABASE_URL,
    namespace: WAYBILL_NAMESPACE,
    passwords,
    isOwnServer: process.argv.includes('--own-server'),
  });
  if (!urls) throw new StartError('DATABASE_URL: its role cannot create roles and databases');
  say(`Each of ${databaseServices.join(', ')} has a role and a database of its own.`);
  process.exit(0);
});
