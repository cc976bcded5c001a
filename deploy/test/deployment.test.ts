import { execFile, execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { accessSync, constants, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { deliveryLanes, getBatchQueue, jobQueues, subscriptions } from '@waybill/contracts';
import {
  createInProcessBus,
  createInProcessCache,
  createLog,
  derivePublicKey,
  ed25519Key,
  metrics,
  processSettings,
  run,
  type ServiceDefinition,
} from '@waybill/kernel';
import { parseAllDocuments, stringify } from 'yaml';
import { findProgram } from '../servers/programs.ts';
import { services } from '../services.ts';
import { processEnv } from './process-env.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const kubernetes = join(root, 'deploy/kubernetes');

// biome-ignore lint/suspicious/noExplicitAny: each test knows the kind of its documents
type Document = any;

function read(path: string): Document[] {
  const documents = parseAllDocuments(readFileSync(path, 'utf8'), { merge: true });
  const problems = documents.flatMap(({ errors, warnings }) => [...errors, ...warnings]);
  if (problems.length > 0) throw new Error(`${path}: ${problems[0]!.message}`);
  return documents.map((document) => document.toJS());
}

function yamlFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.yaml'))
    .map((entry) => join(entry.parentPath, entry.name));
}

const everyFile = yamlFiles(kubernetes);
const inFolder = (service: string) => yamlFiles(join(kubernetes, 'base', service)).flatMap(read);
const compose: Document = read(join(root, 'docker-compose.yml'))[0];
const dockerfile = readFileSync(join(root, 'deploy/docker/Dockerfile'), 'utf8');
const settingsMaps = new Map<string, Record<string, string>>(
  read(join(kubernetes, 'base/shared/settings.yaml')).map(({ metadata, data }) => [metadata.name, data]),
);
const shared = settingsMaps.get('waybill')!;
const secrets = new Map<string, string[]>(
  read(join(kubernetes, 'secrets.example.yaml')).map((secret) => [
    secret.metadata.name,
    Object.keys(secret.stringData),
  ]),
);
const process_ = (part: 'pod' | 'deployment') =>
  read(join(kubernetes, `components/process/${part}.yaml`))[0].spec.template.spec;

const hasRoutes = ({ aggregates }: ServiceDefinition) => aggregates.length > 0;
/** Whether clients reach some of its routes; delivery has only one, for webhooks. */
const isBehindDoor = ({ aggregates }: ServiceDefinition) =>
  aggregates.some(({ routes }) => Object.values(routes).some(({ path }) => !path.startsWith('/internal/')));
const usesBus = ({ migrations, workers, subscriptions }: ServiceDefinition) =>
  Boolean(migrations || workers || subscriptions);
const known = ({ config }: ServiceDefinition) => [
  ...Object.keys(processSettings.schema.properties),
  ...Object.keys(config.schema.properties),
];
const each = services.map((service) => [service.name, service] as const);
const imageSetting = (name: string) => new RegExp(`\\b${name}=(\\S+)`).exec(dockerfile)?.[1];

/** Returns the secrets that a service needs. */
function secretSettings(service: ServiceDefinition, token = 'WAYBILL_SERVICE_TOKEN'): string[] {
  return [
    token,
    'WAYBILL_CALLERS',
    'WAYBILL_PRINCIPAL_PUBLIC_KEY',
    ...Object.keys(service.config.schema.properties).filter((name) =>
      /^WAYBILL_.*_KEY$|^S3_(ACCESS|SECRET)_/.test(name),
    ),
    ...(service.migrations ? ['DATABASE_URL'] : []),
    ...(usesBus(service) ? ['AMQP_URL'] : []),
    ...(service.usesCache ? ['REDIS_URL'] : []),
  ].sort();
}

/** Secrets that only the operator can provide; compose takes them from its environment. */
const broughtSecrets = ({ config }: ServiceDefinition) =>
  ['SMTP_URL'].filter((name) => name in config.schema.properties);

/** Returns a valid value for each setting. */
function withValues(names: readonly string[]): Record<string, string> {
  const key = randomBytes(32).toString('base64url');
  const values: Record<string, string> = {
    DATABASE_URL: 'postgres://a:b@c:5432/postgres',
    AMQP_URL: 'amqp://a:b@c:5672',
    REDIS_URL: 'redis://:b@c:6379',
    SMTP_URL: 'smtp://a:b@c:587',
    WAYBILL_SERVICE_TOKENS: `own:${key}`,
    WAYBILL_CALLERS: `catalog:${'0'.repeat(64)}`,
  };
  return Object.fromEntries(names.map((name) => [name, values[name] ?? key]));
}

describe('the Kubernetes manifests', () => {
  test('are all objects with a kind', () => {
    expect(everyFile.length).toBeGreaterThan(40);
    expect(everyFile.filter((path) => !read(path).every((document) => document?.kind))).toEqual([]);
  });

  test('name all existing files and no others', () => {
    const named = everyFile
      .filter((path) => basename(path) === 'kustomization.yaml')
      .flatMap((path) => {
        const { resources = [], components = [], patches = [], configMapGenerator = [] } = read(path)[0];
        return [
          ...resources,
          ...components,
          ...patches.flatMap((patch: Document) => patch.path ?? []),
          ...configMapGenerator.flatMap(({ files }: Document) => files),
        ].map((name: string) => join(dirname(path), name));
      });
    expect(named.filter((path) => !existsSync(path))).toEqual([]);
    const loose = everyFile.filter(
      (path) => basename(path) !== 'kustomization.yaml' && !named.includes(path),
    );
    expect(loose.map((path) => relative(kubernetes, path))).toEqual(['secrets.example.yaml']);
  });

  test('have a folder for each service', () => {
    const { resources } = read(join(kubernetes, 'base/kustomization.yaml'))[0];
    expect([...resources].sort()).toEqual(['shared', ...services.map(({ name }) => name)].sort());
  });

  test.each(each)('%s: what runs, and what finds and keeps it', (name, service) => {
    const kinds = Object.groupBy(inFolder(name), ({ kind }) => kind);
    const labels = { 'app.kubernetes.io/name': name, 'app.kubernetes.io/component': 'service' };
    expect(kinds.Kustomization![0].components).toEqual(['../../components/process']);

    const { spec, metadata } = kinds.Deployment![0];
    expect(metadata.name).toBe(name);
    expect(spec.selector.matchLabels).toEqual(labels);
    expect(spec.template.metadata.labels).toEqual(labels);
    expect(spec.template.spec.containers).toHaveLength(1);
    const [container] = spec.template.spec.containers;
    expect(container).toMatchObject({ name: 'waybill', args: [name] });
    expect(container.resources).toEqual({
      requests: { cpu: expect.any(String), memory: expect.any(String) },
      limits: { cpu: expect.any(String), memory: expect.any(String) },
    });
    expect(kinds.PodDisruptionBudget![0].spec.selector.matchLabels).toEqual(labels);

    expect(kinds.Service?.map((each) => each.spec.selector)).toEqual(
      hasRoutes(service) ? [labels] : undefined,
    );
    // Requests keep arriving until all others know that the pod is stopping.
    expect(container.lifecycle?.preStop.sleep.seconds ?? 0).toBe(hasRoutes(service) ? 5 : 0);
    expect(container.ports).toEqual(
      service.front ? [{ name: 'http', containerPort: Number(imageSetting('PORT')) }] : undefined,
    );

    const scaled = [...(kinds.HorizontalPodAutoscaler ?? []), ...(kinds.ScaledObject ?? [])];
    expect(scaled.map((each) => each.spec.scaleTargetRef.name)).toEqual([name]);
    expect(kinds.NetworkPolicy!.map((each) => each.spec.podSelector.matchLabels)).toEqual([
      { 'app.kubernetes.io/name': name },
    ]);
    const jobs = kinds.Job?.map((job) => job.spec.template.spec.containers[0].args);
    expect(jobs).toEqual(service.migrations ? [[name, 'migrate']] : undefined);
  });

  test('probe the internal port, where a process answers', async () => {
    const [container] = process_('deployment').containers;
    expect(container.ports).toEqual([
      { name: 'internal', containerPort: Number(imageSetting('INTERNAL_PORT')) },
    ]);
    const running = await startEmpty();
    try {
      for (const probe of ['startupProbe', 'readinessProbe', 'livenessProbe']) {
        const { port, path } = container[probe].httpGet;
        expect(port).toBe('internal');
        expect((await fetch(`${running.internalUrl}${path}`)).status).toBe(200);
      }
    } finally {
      await running.stop();
    }
  });

  test('give a process no privileges, and time to stop', () => {
    const pod = process_('pod');
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 });
    expect(dockerfile).toMatch(/^USER 1000:1000$/m);
    expect(pod.containers[0].securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    const [preStop, stop] = [5, 15];
    expect(process_('deployment').terminationGracePeriodSeconds).toBeGreaterThan(preStop + stop);
  });

  test.each(each)('%s: gets the settings that it knows, and all that it must have', (name, service) => {
    for (const { kind, spec } of inFolder(name).filter(({ kind }) => ['Deployment', 'Job'].includes(kind))) {
      const [container] = spec.template.spec.containers;
      expect([kind, container.envFrom]).toEqual([
        kind,
        [
          { configMapRef: { name: 'waybill' } },
          { secretRef: { name: 'waybill' } },
          { secretRef: { name: `waybill-${name}` } },
        ],
      ]);
      const own = Object.fromEntries(
        (container.env ?? []).map(({ name, value, valueFrom }: Document) => {
          const from = valueFrom?.configMapKeyRef;
          return [name, from ? settingsMaps.get(from.name)![from.key] : value];
        }),
      );
      const secret = [...secrets.get('waybill')!, ...secrets.get(`waybill-${name}`)!];
      expect(secrets.get(`waybill-${name}`)).toContain('WAYBILL_SERVICE_TOKEN');
      expect([...secret].sort()).toEqual([...secretSettings(service), ...broughtSecrets(service)].sort());
      const env = { ...shared, ...withValues(secret), ...own };
      expect(Object.keys(env).filter((setting) => !known(service).includes(setting))).toEqual([]);
      processSettings.read(env);
      service.config.read(env);
    }
  });

  test('allow each call at both ends', () => {
    const policies = services.map(({ name }): [string, Document] => [
      name,
      inFolder(name).find(({ kind }) => kind === 'NetworkPolicy').spec,
    ]);
    const named = (rules: Document[] = [], side: 'from' | 'to'): string[] =>
      rules.flatMap((rule) =>
        rule[side].flatMap(({ podSelector = {} }: Document) => [
          ...Object.values(podSelector.matchLabels ?? {}),
          ...(podSelector.matchExpressions ?? []).flatMap(({ values }: Document) => values),
        ]),
      );
    const out = policies.flatMap(([name, { egress }]) => named(egress, 'to').map((to) => `${name} → ${to}`));
    const into = policies.flatMap(([name, { ingress }]) =>
      named(ingress, 'from').map((from) => `${from} → ${name}`),
    );
    expect(out.sort()).toEqual(into.sort());
    const { name: frontName } = services.find(({ front }) => front)!;
    for (const { name } of services.filter((service) => isBehindDoor(service) && !service.front))
      expect(out).toContain(`${frontName} → ${name}`);
  });

  test('give uploads a temporary directory, also in compose', () => {
    const { containers, volumes } = inFolder('media').find(({ kind }) => kind === 'Deployment').spec.template
      .spec;
    const place = containers[0].env.find(({ name }: Document) => name === 'WAYBILL_DATA_DIR').value;
    expect(containers[0].volumeMounts).toEqual([{ name: volumes[0].name, mountPath: place }]);
    expect(volumes[0].emptyDir.sizeLimit).toEqual(expect.any(String));
    expect(compose.services.media.environment.WAYBILL_DATA_DIR).toBe(place);
    expect(compose.services.media.tmpfs[0].split(':')[0]).toBe(place);
  });

  test('scale delivery with its queues', () => {
    const { triggers } = inFolder('delivery').find(({ kind }) => kind === 'ScaledObject').spec;
    expect(triggers.map(({ metadata }: Document) => metadata.queueName)).toEqual(
      [...Object.values(deliveryLanes), getBatchQueue(deliveryLanes.quick)].map(
        (lane) => `${shared.WAYBILL_NAMESPACE}.${lane}`,
      ),
    );
    const authentication = inFolder('delivery').find(({ kind }) => kind === 'TriggerAuthentication');
    for (const { authenticationRef } of triggers)
      expect(authenticationRef.name).toBe(authentication.metadata.name);
    for (const { name, key } of authentication.spec.secretTargetRef) expect(secrets.get(name)).toContain(key);
  });
});

describe('docker-compose.yml', () => {
  const envOf = (name: string) =>
    Object.entries(compose.services[name].environment as Record<string, string>).map(
      // The default value in place of the variable.
      ([setting, value]) => [setting, value.replace(/\$\{\w+:-([^}]*)\}/g, '$1')] as const,
    );

  test.each(each)('%s: runs with the settings that it knows, after what it needs', (name, service) => {
    const { command, volumes, depends_on: after } = compose.services[name];
    expect(command).toEqual([name]);
    const secretVolumes = volumes.filter((volume: string) => volume.startsWith('secrets'));
    expect(secretVolumes).toEqual([`secrets-${name}:/run/waybill:ro`]);
    expect(compose.services.secrets.volumes).toContain(`secrets-${name}:/secrets/${name}`);

    const brought = withValues(secretSettings(service, 'WAYBILL_SERVICE_TOKENS'));
    const env = { ...brought, ...Object.fromEntries(envOf(name)) };
    expect(Object.keys(env).filter((setting) => !known(service).includes(setting))).toEqual([]);
    processSettings.read(env);
    service.config.read(env);

    const migration = compose.services[`migrate-${name}`];
    expect(migration?.command).toEqual(service.migrations ? [name, 'migrate'] : undefined);
    expect(migration?.environment).toEqual(
      service.migrations ? compose.services[name].environment : undefined,
    );
    expect(after[`migrate-${name}`]?.condition).toBe(
      service.migrations ? 'service_completed_successfully' : undefined,
    );
    if (service.front) {
      const behind = services.filter((other) => isBehindDoor(other) && !other.front).map(({ name }) => name);
      expect(Object.keys(after)).toEqual(expect.arrayContaining(behind));
    } else if (service.migrations && name !== 'webhooks') {
      // Its events need a subscriber.
      expect(after).toHaveProperty('webhooks');
    }
  });

  test('and Kubernetes have the same peers: every service with routes except the gateway', () => {
    const neighbours = services.filter((service) => hasRoutes(service) && !service.front);
    const port = imageSetting('INTERNAL_PORT');
    const peers = neighbours.map(({ name }) => `${name}=http://${name}:${port}`).join(',');
    expect(shared.WAYBILL_PEERS).toBe(peers);
    for (const { name } of services) expect(Object.fromEntries(envOf(name)).WAYBILL_PEERS).toBe(peers);
    for (const { name } of neighbours) {
      const { spec } = inFolder(name).find(({ kind }) => kind === 'Service');
      expect(spec.ports).toEqual([{ name: 'internal', port: Number(port), targetPort: 'internal' }]);
    }
  });

  test('creates the secrets of each service once, and gives it no others', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'waybill-secrets-'));
    const others = ['kept', 'demo', 'postgres', 'roles', 'rabbitmq', 'redis', 's3'];
    for (const name of [...services.map(({ name }) => name), ...others]) mkdirSync(join(folder, name));
    const make = () =>
      promisify(execFile)(process.execPath, [join(root, 'deploy/docker/secrets.ts'), folder]);
    const contents = () =>
      Object.fromEntries(
        services.map(({ name }) => {
          const files = readdirSync(join(folder, name)).sort();
          return [
            name,
            Object.fromEntries(files.map((file) => [file, readFileSync(join(folder, name, file), 'utf8')])),
          ];
        }),
      );
    try {
      await make();
      const first = contents();
      for (const service of services) {
        const env = first[service.name]!;
        expect(Object.keys(env)).toEqual(secretSettings(service, 'WAYBILL_SERVICE_TOKENS'));
        processSettings.read(env);
        service.config.read({ ...env, ...Object.fromEntries(envOf(service.name)) });
      }
      // Only the step that creates roles has the administrator's password.
      const admin = readFileSync(join(folder, 'postgres/password'), 'utf8');
      expect(JSON.stringify(first)).not.toContain(admin);
      const passwords = readFileSync(join(folder, 'roles/WAYBILL_ROLE_PASSWORDS'), 'utf8').split(',');
      for (const { name } of services.filter(({ migrations }) => migrations)) {
        const { username, password } = new URL(first[name]!.DATABASE_URL!);
        expect([username, passwords]).toEqual([
          `waybill_${name}`.replaceAll('-', '_'),
          expect.arrayContaining([`${name}:${password}`]),
        ]);
      }
      const tokens = services.map(({ name }) => first[name]!.WAYBILL_SERVICE_TOKENS!.split(',')[0]);
      expect(new Set(tokens).size).toBe(services.length);
      expect(first.delivery!.WAYBILL_WEBHOOK_ENCRYPTION_KEY).toBe(
        first.webhooks!.WAYBILL_WEBHOOK_ENCRYPTION_KEY,
      );
      await make();
      expect(contents()).toEqual(first);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

describe('the image', () => {
  test('has one version of Node.js, and an executable entry point', () => {
    const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map((match) => match[1]);
    expect(bases).toEqual(['node:24-bookworm-slim', 'node:24-bookworm-slim']);
    expect(dockerfile).toContain('ENTRYPOINT ["/app/deploy/docker/entrypoint.sh"]');
    accessSync(join(root, 'deploy/docker/entrypoint.sh'), constants.X_OK);
    for (const { name } of services)
      expect(existsSync(join(root, `services/${name}/src/main.ts`))).toBe(true);
    for (const step of ['secrets', 'roles', 'demo'])
      expect(existsSync(join(root, `deploy/docker/${step}.ts`))).toBe(true);
  });

  test('starts a process with the settings of process.env, unless its environment overrides them', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'waybill-image-'));
    const entrypoint = join(folder, 'deploy/docker/entrypoint.sh');
    const print = 'console.log(JSON.stringify(process.env))';
    try {
      await cp(join(root, 'deploy/docker'), join(folder, 'deploy/docker'), { recursive: true });
      await cp(join(root, 'deploy/process.env'), join(folder, 'deploy/process.env'));
      await mkdir(join(folder, 'services/catalog/src'), { recursive: true });
      await writeFile(join(folder, 'services/catalog/src/main.ts'), print);
      const start = (own: Record<string, string>) => {
        const env = { PATH: `${dirname(process.execPath)}:${process.env.PATH}`, ...own };
        return JSON.parse(execFileSync(entrypoint, ['catalog'], { env, encoding: 'utf8' }));
      };
      expect(processEnv).toMatchObject({ UV_THREADPOOL_SIZE: '16', MALLOC_ARENA_MAX: '2' });
      expect(start({})).toMatchObject(processEnv);
      expect(start({ MALLOC_ARENA_MAX: '8' })).toMatchObject({ ...processEnv, MALLOC_ARENA_MAX: '8' });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  test('has only settings that a process knows', () => {
    const names = [...dockerfile.matchAll(/^(?:ENV| {4}) ?([A-Z_]+)=/gm)].map((match) => match[1]!);
    const nodes = ['NODE_ENV', 'NODE_OPTIONS'];
    expect(names).toEqual([...nodes, 'HOST', 'PORT', 'INTERNAL_HOST', 'INTERNAL_PORT']);
    for (const name of names.slice(nodes.length))
      expect(processSettings.schema.properties).toHaveProperty(name);
  });
});

const promtool = findProgram('promtool');
if (!promtool) process.stderr.write('promtool not installed: the trial of the alerts is left out\n');

describe('monitoring', () => {
  const rules: Document[] = read(join(kubernetes, 'monitoring/alerts.yaml'))[0].spec.groups.flatMap(
    (group: Document) => group.rules,
  );
  const dashboard = JSON.parse(readFileSync(join(kubernetes, 'monitoring/dashboard.json'), 'utf8'));
  const alerting = rules.map((rule): [string, string] => [rule.alert, rule.expr]);
  const shown: [title: string, text: string][] = dashboard.panels.flatMap(
    ({ title, targets = [] }: Document) => targets.map((target: Document) => [title, target.expr]),
  );
  const expressions = [...alerting, ...shown];
  const namesIn = (settings: readonly [string, string][]) =>
    new Set(
      settings.flatMap(
        ([, text]) => text.replaceAll(/"[^"]*"/g, '').match(/\b[a-z]+(?:_[a-z0-9]+)+\b/g) ?? [],
      ),
    );

  test('uses only metrics that the processes have', async () => {
    const running = await startEmpty();
    await running.stop();
    const names = namesIn(expressions);
    const functions = ['histogram_quantile'];
    const others = /^(kube|rabbitmq)_/;
    const unknown = [...names].filter(
      (name) =>
        !functions.includes(name) &&
        !others.test(name) &&
        !metrics.getSingleMetric(name) &&
        !metrics.getSingleMetric(name.replace(/_(bucket|count|sum)$/, '')),
    );
    expect(unknown).toEqual([]);
    expect([...names].filter((name) => name.startsWith('waybill_')).length).toBeGreaterThan(8);
  });

  test('shows on its dashboard each metric of an alert, and the load of the gateway, pools, queues and processes', () => {
    const onDashboard = namesIn(shown);
    expect([...namesIn(alerting)].filter((name) => !onDashboard.has(name))).toEqual([]);
    // `decisions.md 18.5`
    const wanted = [
      'sum by (route) (rate(waybill_gateway_request_seconds_count[',
      'sum by (route) (rate(waybill_gateway_request_seconds_count{status="5xx"}[',
      'sum by (route, le) (rate(waybill_gateway_request_seconds_bucket[',
      'waybill_db_pool_connections',
      'rabbitmq_queue_messages_ready',
      'nodejs_eventloop_lag_p99_seconds',
    ];
    expect(wanted.filter((part) => !shown.some(([, text]) => text.includes(part)))).toEqual([]);
  });

  test('does not count routes as slow that wait for the client or for an event', () => {
    const routes = services.flatMap(({ aggregates }) =>
      aggregates.flatMap(({ routes }) => Object.entries(routes)),
    );
    const waits = routes.filter(
      ([, { query, streamedBodies: takes }]) => query?.properties.wait || takes?.['multipart/form-data'],
    );
    const namesOf = (some: typeof routes) => [...new Set(some.map(([name]) => name))].sort();
    const slow = expressions.filter(([, text]) => text.includes('waybill_http_request_seconds_bucket'));
    expect(slow.length).toBeGreaterThan(1);
    for (const [, text] of slow) {
      const pattern = new RegExp(`^(?:${/route!~"([^"]*)"/.exec(text)?.[1]})$`);
      expect(namesOf(routes.filter(([name]) => pattern.test(name)))).toEqual(namesOf(waits));
    }
  });

  (promtool ? test : test.skip)(
    'fires when ordinary routes are slow, and not for readers who wait: as promtool runs it',
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'waybill-alerts-'));
      const route = (service: string, name: string, le: string) => ({
        series: `waybill_http_request_seconds_bucket{service="${service}", route="${name}", le="${le}"}`,
        values: '0+60x30',
      });
      const fast = (service: string, name: string) =>
        ['0.1', '2.5', '+Inf'].map((le) => route(service, name, le));
      const [, ...late] = fast('orders', 'listOrders');
      const [, , longest] = fast('webhooks', 'listEventsAsMember');
      const tests = {
        rule_files: ['rules.yaml'],
        tests: [
          {
            interval: '1m',
            input_series: [
              ...fast('catalog', 'listProducts'),
              ...late,
              longest,
              ...fast('webhooks', 'listWebhooks'),
            ],
            alert_rule_test: [
              {
                eval_time: '25m',
                alertname: 'WaybillSlow',
                exp_alerts: [{ exp_labels: { severity: 'warning', service: 'orders' } }],
              },
            ],
          },
        ],
      };
      // The texts of annotations are not tested here.
      const bare = rules.map(({ annotations, ...rule }) => rule);
      try {
        await writeFile(
          join(folder, 'rules.yaml'),
          stringify({ groups: [{ name: 'waybill', rules: bare }] }),
        );
        await writeFile(join(folder, 'tests.yaml'), stringify(tests));
        const run = promisify(execFile)(promtool!, ['test', 'rules', 'tests.yaml'], { cwd: folder });
        await run.catch(({ stdout, stderr }) => {
          throw new Error(stdout + stderr);
        });
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
  );

  test('has a section of the runbook with commands for each alert', () => {
    const runbook = readFileSync(join(root, 'deploy/RUNBOOK.md'), 'utf8');
    const [, ...sections] = runbook.split(/^### (?=Waybill)/m);
    const withCommands = sections
      .filter((section) =>
        /`[^`]*\b(?:k|db|kubectl|npm run|rabbitmqctl)\b[^`]*`|Waybill\w+/.test(section.replace(/^.*/, '')),
      )
      .map((section) => section.split('\n', 1)[0]!);
    expect(withCommands.sort()).toEqual(rules.map(({ alert }) => alert).sort());
    for (const { alert, annotations } of rules)
      expect(annotations.runbook_url).toBe(`https://waybill.example/runbook#${alert.toLowerCase()}`);
    const sent = [...runbook.matchAll(/\b(Waybill[A-Z]\w+)\b/g)].map(([, name]) => name);
    expect(sent.filter((name) => !rules.some(({ alert }) => alert === name))).toEqual([]);
  });

  test('names only existing queues', () => {
    const namespace = shared.WAYBILL_NAMESPACE;
    const events = Object.values(subscriptions).map(({ queue }) => `${namespace}.${queue}`);
    const jobs = jobQueues.map((name) => `${namespace}.${name}`);
    const queues = [...events, ...events.map((name) => `${name}.dead`), ...jobs];
    const wanted = expressions.flatMap(([title, text]) =>
      [...text.matchAll(/queue=(~?)"([^"]+)"/g)].map(([, isPattern, value]) => {
        const pattern = new RegExp(`^(?:${value!.replaceAll('\\\\', '\\')})$`);
        return {
          title,
          value,
          known: queues.some((queue) => (isPattern ? pattern.test(queue) : queue === value)),
        };
      }),
    );
    expect(wanted.length).toBeGreaterThan(4);
    expect(wanted.filter(({ known }) => !known)).toEqual([]);
  });

  test('scrapes the internal port of every service', () => {
    const { spec } = read(join(kubernetes, 'monitoring/pod-monitor.yaml'))[0];
    expect(spec.podMetricsEndpoints[0]).toMatchObject({ port: 'internal', path: '/metrics' });
    expect(spec.selector.matchLabels).toEqual({
      ...read(join(kubernetes, 'components/process/pod.yaml'))[0].spec.template.metadata.labels,
      'app.kubernetes.io/component': 'service',
    });
  });
});

test('no file holds a secret', () => {
  const documents = [compose, ...everyFile.flatMap(read)];
  for (const document of documents) {
    const text = JSON.stringify(document);
    expect(text.match(/:\/\/[^/"\s]*:[^/"@\s]+@/)).toBeNull();
    if (document.kind === 'Secret') {
      expect(document).not.toHaveProperty('data');
      expect(Object.values(document.stringData).filter(Boolean)).toEqual([]);
    }
  }
  const folder = join(root, 'deploy/docker');
  for (const file of readdirSync(folder)) {
    // A key in base64url.
    expect(readFileSync(join(folder, file), 'utf8')).not.toMatch(/(?<![\w/-])[\w-]{43}(?![\w/-])/);
  }
});

/** Starts a process without services, to get the metrics that every process has. */
function startEmpty() {
  const log = createLog('silent');
  return run([], {
    env: {},
    log,
    bus: createInProcessBus(log),
    cache: createInProcessCache(),
    databaseUrl: '',
    namespace: 'waybill',
    migrations: 'run',
    poolSize: 1,
    principalKeys: [derivePublicKey(ed25519Key(randomBytes(32).toString('base64url')))],
    serviceTokens: ['x'.repeat(16)],
    callers: [],
    peerUrls: {},
    listen: { host: '127.0.0.1', port: 0 },
    internal: { host: '127.0.0.1', port: 0 },
  });
}
