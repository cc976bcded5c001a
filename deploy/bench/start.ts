import { startMissingServers } from '../testing/missing-servers.ts';

/** The benchmarks that measure a cluster. */
const ofCluster = ['webhooks', 'cluster', 'capacity', 'fairness', 'overload', 'strangers'];

const args = process.argv.slice(2);
const names = args.filter((arg) => !arg.startsWith('--'));
const measuresCluster =
  !args.includes('--peer') &&
  process.env.BENCH_TOPOLOGY !== 'standalone' &&
  (names.length === 0 || names.some((name) => ofCluster.includes(name)));
// The modules behind `main.ts` read the addresses of the servers when they are loaded.
const servers = measuresCluster
  ? await startMissingServers(['rabbitmq-server', 'redis-server'], { maxConnections: 400 })
  : null;
try {
  await import('./main.ts');
} finally {
  await servers?.stop();
}
