import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@waybill/testing';
import { isInstalled, run } from './programs.ts';
import { startWebhooks } from './webhook-stores.ts';

/** Long enough for Maven, which fetches it the first time. */
const limitMs = 600_000;

const pom = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>waybill</groupId><artifactId>elasticmq</artifactId><version>1</version>
  <dependencies>
    <dependency>
      <groupId>org.elasticmq</groupId><artifactId>elasticmq-server_2.13</artifactId><version>1.6.11</version>
    </dependency>
  </dependencies>
</project>`;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const hasTools = (await isInstalled('java')) && (await isInstalled('mvn'));
if (!hasTools) console.log('left out, as java or mvn is missing: ElasticMQ');

test(
  'a queue of SQS as ElasticMQ makes it gets the envelope, and its headers as attributes',
  async () => {
    if (!hasTools) return;
    const folder = await mkdtemp(join(tmpdir(), 'waybill-elasticmq-'));
    let server: ChildProcess | undefined;
    const port = await freePort();
    const hooks = await startWebhooks([`127.0.0.1/32:${port}`]);
    try {
      await writeFile(join(folder, 'pom.xml'), pom);
      await run('mvn', ['-q', '-B', 'dependency:build-classpath', '-Dmdep.outputFile=classpath'], {
        cwd: folder,
      });
      const classpath = await readFile(join(folder, 'classpath'), 'utf8');
      await writeFile(
        join(folder, 'elasticmq.conf'),
        `include classpath("application.conf")
       node-address { protocol = http, host = "127.0.0.1", port = ${port}, context-path = "" }
       rest-sqs { enabled = true, bind-port = ${port}, bind-hostname = "127.0.0.1" }
       rest-stats { enabled = false }
       queues { calls {} }`,
      );
      server = spawn(
        'java',
        ['-Dconfig.file=elasticmq.conf', '-cp', classpath.trim(), 'org.elasticmq.server.Main'],
        { cwd: folder, stdio: 'ignore' },
      );
      const base = `http://127.0.0.1:${port}`;
      const queueUrl = `${base}/000000000000/calls`;
      await eventually(async () => (await fetch(`${base}/?Action=ListQueues`)).ok, { withinMs: 120_000 });

      const store = hooks.newStore();
      const keys = { accessKeyId: 'x', secretAccessKey: 'y' };
      const destination = { kind: 'sqs', queueUrl, region: 'elasticmq', ...keys };
      const { body } = await store.send('post', '/webhooks', { events: ['product.created'], destination });
      expect(body.webhook).toMatchObject({
        url: null,
        destination: { ...destination, secretAccessKey: '***' },
      });
      await store.createProduct('Grüner Tee & <mehr>');
      const xml = await eventually(async () => {
        const query = 'Action=ReceiveMessage&MessageAttributeName.1=All&WaitTimeSeconds=1';
        const text = await (await fetch(`${queueUrl}?${query}`)).text();
        return text.includes('<Message>') && text;
      });
      expect(xml).toContain('product.created');
      for (const name of ['X-WB-Signature', 'X-WB-Event-Id', 'X-WB-Attempt']) expect(xml).toContain(name);
      await eventually(async () => (await store.deliveries(body.webhook.id))[0]?.status === 'delivered');
      const { checks } = (await store.send('post', `/webhooks/${body.webhook.id}/check`)).body;
      expect(checks.every(({ state }: { state: string }) => state !== 'failed')).toBe(true);

      const gone = { ...destination, queueUrl: `${base}/000000000000/nobody` };
      const other = await store.send('post', '/webhooks', {
        events: ['product.created'],
        destination: gone,
        retryDelays: [],
      });
      await store.createProduct();
      const dead = await eventually(async () => {
        const [delivery] = await store.deliveries(other.body.webhook.id);
        return delivery?.status === 'dead' && delivery;
      });
      expect(dead.lastError).toBe('the queue does not exist');
    } finally {
      server?.kill();
      await hooks.stop();
      await rm(folder, { recursive: true, force: true });
    }
  },
  limitMs,
);
