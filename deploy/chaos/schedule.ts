import { randomFrom } from './random.ts';

/** One disturbance of the system. */
export interface Blow {
  /** Time since the load began. */
  atMs: number;
  target: string;
  /**
   * kill: a SIGKILL. wipe: a kill after which the server comes back without its data. cut: every connection to it
   * breaks.
   */
  action: 'kill' | 'wipe' | 'stop' | 'cut';
  /** How long a server stays away, or anything stays stopped. */
  holdMs: number;
  /** 0 to 1, selects one of several copies. */
  copy: number;
}

export const servers = ['postgres', 'rabbitmq', 'redis'] as const;
export type ServerName = (typeof servers)[number];

/** How often each is chosen: those that hold work more often. */
const weights: Record<string, number> = {
  gateway: 2,
  identity: 2,
  catalog: 3,
  orders: 3,
  payments: 3,
  content: 2,
  media: 1,
  'app-platform': 1,
  webhooks: 4,
  delivery: 4,
  rabbitmq: 2,
  postgres: 2,
  redis: 2,
};
export const targets = Object.keys(weights);

/**
 * Plans kills over a time, and among them a stop for every three and a cut for every four. With several nodes of
 * RabbitMQ none is wiped: it would have to be removed from its cluster and added again.
 */
export function createSchedule(
  seed: number,
  kills: number,
  seconds: number,
  only: readonly string[] = targets,
  rabbitNodes = 1,
): Blow[] {
  const hit = only.flatMap((name) => Array<string>(weights[name]!).fill(name));
  const cuttable = servers.filter((name) => only.includes(name));
  const random = randomFrom(seed);
  const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)]!;
  const actions: Blow['action'][] = [
    ...Array<'kill'>(kills).fill('kill'),
    ...Array<'stop'>(Math.floor(kills / 3)).fill('stop'),
    ...Array<'cut'>(cuttable.length > 0 ? Math.floor(kills / 4) : 0).fill('cut'),
  ];
  for (let i = actions.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [actions[i], actions[j]] = [actions[j]!, actions[i]!];
  }
  // Nothing in the first and the last tenth.
  const step = (seconds * 800) / Math.max(1, actions.length);
  return actions.map((action, i) => {
    const target = action === 'cut' ? pick<string>(cuttable) : pick(hit);
    const isWiped =
      action === 'kill' &&
      (target === 'redis' || (target === 'rabbitmq' && random() < 0.3 && rabbitNodes === 1));
    return {
      atMs: Math.round(seconds * 100 + step * (i + random())),
      target,
      action: isWiped ? 'wipe' : action,
      holdMs: Math.round(action === 'stop' ? 1000 + random() * 2000 : random() * 1500),
      copy: random(),
    };
  });
}
