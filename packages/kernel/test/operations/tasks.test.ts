import { setTimeout as sleep } from 'node:timers/promises';
import { eventually, startSystem } from '@waybill/testing';
import Type from 'typebox';
import { createLog, defineConfig, defineService, metrics } from '../../src/index.ts';
import { startTask } from '../../src/operations/tasks.ts';

/** Returns the values of a gauge for each task of the service `suite`. */
async function gauge(name: string): Promise<Record<string, number>> {
  const { values } = await metrics.getSingleMetric(name)!.get();
  const ours = values.filter(({ labels }) => labels.service === 'suite');
  return Object.fromEntries(ours.map(({ labels, value }) => [String(labels.task), value]));
}

test('a failing task ages, a succeeding one does not, and a stopped one is not reported', async () => {
  let isMended = false;
  const runs = {
    well: async () => {},
    sick: async () => {
      if (!isMended) throw new Error('not yet');
    },
  };
  const tasks = Object.entries(runs).map(([name, run]) =>
    startTask('suite', { name, everyMs: 20, run }, createLog('silent')),
  );
  const ages = () => gauge('waybill_task_age_seconds');
  await eventually(async () => {
    const { sick, well } = await ages();
    return sick! > well! + 0.3;
  });
  expect(await gauge('waybill_task_period_seconds')).toEqual({ well: 0.02, sick: 0.02 });
  isMended = true;
  await eventually(async () => (await ages()).sick! < 0.3);
  await Promise.all(tasks.map((task) => task.stop()));
  expect(await ages()).toEqual({});
});

test('a task that may work for a share of the time rests after a run, and a stop ends its rest', async () => {
  let runs = 0;
  const task = startTask(
    'suite',
    {
      name: 'slow',
      everyMs: 10,
      shareOfTime: 0.000_01,
      run: async () => {
        await sleep(20);
        return ++runs > 0;
      },
    },
    createLog('silent'),
  );
  await eventually(async () => runs > 0);
  task.wake();
  await sleep(100);
  await task.stop();
  expect(runs).toBe(1);
});

test('every database is measured, from its service’s start on', async () => {
  const migrations = new URL('../db/fixture-migrations/', import.meta.url);
  const config = defineConfig(Type.Object({}));
  const system = await startSystem([defineService({ name: 'measured', config, migrations, aggregates: [] })]);
  try {
    const bytes = async () => {
      const { values } = await metrics.getSingleMetric('waybill_db_size_bytes')!.get();
      return values.find(({ labels }) => labels.service === 'measured')?.value;
    };
    // An empty database of PostgreSQL has some seven million bytes.
    await eventually(async () => ((await bytes()) ?? 0) > 5_000_000);
  } finally {
    await system.stop();
  }
});
