import { parseArgs } from 'node:util';
import { installPrograms } from '../servers/programs.ts';
import { runPaymentChaos } from './payments-run.ts';
import { plants } from './plants.ts';
import { chaos } from './run.ts';
import { targets } from './schedule.ts';

const usage = `npm run chaos -- [--kills N] [--events N] [--seconds N] [--seed N] [--only ${targets.join(',')}] [--outage N] [--rabbit-nodes N] [--rolling N] [--failover] [--move N] [--payments N [--within N]] [--plant ${Object.keys(plants).join('|')}]`;

function fail(line: string): never {
  process.stderr.write(`${line}\n`);
  process.exit(1);
}

function readOptions() {
  try {
    const text = { type: 'string' } as const;
    const { values } = parseArgs({
      options: {
        kills: text,
        events: text,
        seconds: text,
        seed: text,
        only: text,
        outage: text,
        'rabbit-nodes': text,
        rolling: text,
        failover: { type: 'boolean' },
        move: text,
        plant: text,
        payments: text,
        within: text,
      },
    });
    const number = (value: string | undefined, usual: number) => {
      const found = value === undefined ? usual : Number(value);
      if (!Number.isInteger(found) || found < 0) throw new Error(`"${value}" is not a whole number`);
      return found;
    };
    if (values.plant !== undefined && !Object.hasOwn(plants, values.plant))
      throw new Error(`there is no plant "${values.plant}"`);
    const only = values.only?.split(',');
    const unknown = only?.find((name) => !targets.includes(name));
    if (unknown !== undefined) throw new Error(`there is no "${unknown}" to strike`);
    const outageSeconds = number(values.outage, 0);
    const rounds = number(values.rolling, 0);
    const isFailingOver = values.failover === true;
    const moves = number(values.move, 0);
    if (moves > 0 && !process.env.WAYBILL_TEST_CITUS)
      throw new Error(
        '--move needs a Citus cluster: WAYBILL_TEST_CITUS and WAYBILL_TEST_CITUS_WORKERS name it',
      );
    const kills = number(values.kills, outageSeconds + rounds + moves > 0 || isFailingOver ? 0 : 25);
    if (moves > 0 && (kills > 0 || isFailingOver))
      throw new Error('--move is a blow of its own: --kills and --failover do not go with it');
    if (isFailingOver && values.kills !== undefined && kills > 0)
      throw new Error('--failover is a blow of its own: --kills does not go with it');
    const seconds = Math.max(
      5,
      number(values.seconds, Math.max(20, kills * 4, Math.ceil(outageSeconds * 1.25))),
    );
    return {
      kills,
      seconds,
      events: number(values.events, seconds * 25),
      seed: number(values.seed, Math.floor(Math.random() * 1e6)),
      only: outageSeconds > 0 ? (only ?? ['rabbitmq', 'redis']) : only,
      outageSeconds,
      rounds,
      isFailingOver,
      moves,
      rabbitNodes: Math.max(1, number(values['rabbit-nodes'], 1)),
      plant: values.plant,
      payments: number(values.payments, 0),
      withinSeconds: values.within === undefined ? null : number(values.within, 0),
    };
  } catch (error) {
    fail(`${(error as Error).message}\n${usage}`);
  }
}

const options = readOptions();
const missing = await installPrograms(['redis-server', 'rabbitmq-server'], (line) =>
  process.stderr.write(`${line}\n`),
);
if (missing.length > 0) fail(`The chaos run starts servers of its own and needs ${missing.join(' and ')}.`);
const violations = await (options.payments > 0 ? runPaymentChaos(options) : chaos(options));
process.exit(violations > 0 ? 1 : 0);
