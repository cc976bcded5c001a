import { errors } from '@waybill/contracts';
import type { Express } from 'express';
import { maintainPartitions } from '../db/partitions.ts';
import type { Bus } from '../events/bus.ts';
import { measureEdge } from '../http/edge-metrics.ts';
import { shedHeader } from '../http/forwarding.ts';
import { describeApi } from '../http/openapi.ts';
import { createPeers } from '../http/peers.ts';
import { createPrincipalVerifier } from '../http/principal.ts';
import { createBareApp } from '../http/router.ts';
import { errorHandler, notFound, prepareAnswer } from '../http/send.ts';
import { answerNotReady, type Handler, listen, type OpenServer, parsePath } from '../http/server.ts';
import { runAsSystem } from '../operations/actor.ts';
import type { Log } from '../operations/log.ts';
import { collectProcessMetrics, metrics } from '../operations/metrics.ts';
import { exportSpans } from '../operations/spans.ts';
import { type BuiltService, buildService, type ProcessParts } from './build-service.ts';
import type { Front, ServiceDefinition } from './definition.ts';
import type { Infra } from './infra.ts';

export interface Running {
  /** The address of the public port; null if no service has a `front`. */
  url: string | null;
  internalUrl: string;
  /** Refuses new work, finishes the work in flight, closes. */
  stop(): Promise<void>;
}

/**
 * Turns service definitions into a running process: migrates or waits for that, mounts, subscribes, relays, listens.
 */
export async function run(services: readonly ServiceDefinition[], infra: Infra): Promise<Running> {
  const { log, bus, cache } = infra;
  const peers = createPeers({ urls: infra.peerUrls, serviceToken: infra.serviceTokens[0]!, log });
  collectProcessMetrics();

  const stopSteps: (() => Promise<unknown> | void)[] = [
    await exportSpans(infra.env, log),
    () => cache.close(),
    () => bus.close(),
    () => peers.close(),
  ];
  const stopping = new AbortController();
  let handlePublic: Handler = answerNotReady;
  let publicServer: OpenServer | null = null;
  const servers: OpenServer[] = [];
  // The steps run in reverse order. Before them the process stops taking new work, so changes of requests that are
  // still answered have their relay and their bus.
  const stop = async () => {
    stopping.abort();
    bus.beginStop();
    await Promise.all(servers.map((server) => server.close()));
    for (const step of stopSteps.splice(0).reverse()) await step();
  };

  try {
    // The port first, so that a port in use shows before anything else starts.
    if (services.some(({ front }) => front)) {
      publicServer = await listen((req, res) => handlePublic(req, res), infra.listen, true);
      servers.push(publicServer);
    }
    const processParts: ProcessParts = {
      infra,
      peers,
      verifyPrincipal: createPrincipalVerifier(infra.principalKeys),
      stopping: stopping.signal,
      exposeRouteHeader: publicServer === null,
      onStop: (step) => void stopSteps.push(step),
    };
    const built: BuiltService[] = [];
    for (const definition of services) built.push(await buildService(definition, processParts));
    // Before anything is written: rows without a partition go to a default one and stay there.
    await Promise.all(built.map(({ partitions }) => partitions && maintainPartitions(partitions)));
    const internal = await listen(internalHandler(built, log), infra.internal, false);
    servers.push(internal);
    for (const { definition, app, queue } of built)
      peers.addLocal(definition.name, app, () => internal.url, queue.isTooLong);

    stopSteps.push(() => bus.stop());
    for (const { definition, context } of built) {
      for (const { events, handle, ...rest } of definition.subscriptions?.(context) ?? []) {
        await bus.subscribe({
          ...rest,
          names: events.map(({ name }) => name),
          handle: (batch) => runAsSystem(() => handle(batch)),
        });
      }
      for (const worker of definition.workers?.(context) ?? []) await bus.work(worker);
    }
    // Only now, because events that the relays hand over must find their subscribers.
    for (const service of built) startBackgroundWork(service, bus, stopSteps);
    const front = built.find(({ definition }) => definition.front);
    if (front) handlePublic = publicHandler(front);
    return { url: publicServer?.url ?? null, internalUrl: internal.url, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Starts the background work of a service, and registers its end. */
function startBackgroundWork(
  { definition, context, partitions, background }: BuiltService,
  bus: Bus,
  stopSteps: (() => Promise<unknown> | void)[],
): void {
  const database = partitions && { db: context.db, bus, partitions };
  background.start(definition.tasks?.(context) ?? [], database);
  stopSteps.push(() => background.stop());
}

/** Whether a service is healthy: its database answers, and its own check passes. */
async function isReady({ definition, context, probe }: BuiltService): Promise<boolean> {
  try {
    await probe?.ping();
    return (await definition.ready?.(context)) ?? true;
  } catch {
    return false;
  }
}

/**
 * Handles the internal address: the routes of every service of this process, each with its own application; metrics and
 * health.
 */
function internalHandler(built: readonly BuiltService[], log: Log): Handler {
  const findOwner = indexOwners(built);
  const internal = internalApp(built, log);
  return (req, res) => {
    const path = parsePath(req.url!);
    const owner = findOwner(path);
    if (!owner) return void internal(req, res);
    // Calls between services are never shed: they belong to a request that has already begun.
    if (owner.queue.isTooLong() && !path.startsWith('/internal/')) shed(req, res, {});
    else owner.app(req, res);
  };
}

/**
 * Returns the service that owns a path. A path without parameters is looked up, because one process can own 500 routes:
 * trying their patterns took 7 % of its time while events were published.
 */
function indexOwners(built: readonly BuiltService[]): (path: string) => BuiltService | undefined {
  const routes = built.flatMap((service) =>
    service.aggregates.flatMap((aggregate) =>
      Object.values(aggregate.routes).map(({ path }) => ({ path, service })),
    ),
  );
  const literal = new Map<string, BuiltService>(routes.map(({ path, service }) => [path, service]));
  const patterns = routes.map(({ path, service }) => ({ pattern: pathPattern(path), service }));
  return (path) => literal.get(path) ?? patterns.find(({ pattern }) => pattern.test(path))?.service;
}

const shed = prepareAnswer(
  errors.resource_unavailable({ headers: { 'retry-after': '1', [shedHeader]: 'yes' } }),
);

function internalApp(built: readonly BuiltService[], log: Log): Express {
  const app = createBareApp();
  app.get('/metrics', (_req, res, next) => {
    metrics.metrics().then((text) => void res.type(metrics.contentType).send(text), next);
  });
  app.get('/health/live', (_req, res) => void res.json({ live: true }));
  app.get('/health/ready', (_req, res, next) => {
    Promise.all(built.map(isReady)).then((all) => {
      const ready = all.every(Boolean);
      res.status(ready ? 200 : 503).json({ ready });
    }, next);
  });
  for (const service of built) {
    const { name, aggregates, calls } = service.definition;
    const tables = aggregates.map(({ routes }) => routes);
    // Described only when somebody asks, because that takes a sixth of a start.
    let description: object | undefined;
    app.get(`/internal/openapi/${name}`, (_req, res) => {
      description ??= { ...describeApi(tables), webhooks: calls };
      res.json(description);
    });
    app.get(`/internal/ready/${name}`, (_req, res, next) => {
      isReady(service).then((ready) => void res.status(ready ? 200 : 503).json({ ready }), next);
    });
  }
  app.use(notFound, errorHandler(log));
  return app;
}

function pathPattern(path: string): RegExp {
  return new RegExp(`^${path.replace(/\{\w+\*\}$/, '.+').replaceAll(/\{\w+\}/g, '[^/]+')}/?$`);
}

/** Handles the public port: the front takes a request or leaves it to the service's own routes. */
function publicHandler({ definition, context, app }: BuiltService): Handler {
  const front: Front = definition.front!(context);
  return measureEdge((req, res) => front(req, res, () => app(req, res)));
}
