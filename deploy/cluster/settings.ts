import { type ServiceDefinition, StartError } from '@waybill/kernel';

export type ReplicaCounts = Readonly<Record<string, number>>;

/** Takes `--spread` out of the arguments, which prepares a Citus cluster first, `deploy/citus`. */
export function takeDistributionOption(args: readonly string[]): { isDistributed: boolean; rest: string[] } {
  const rest = args.filter((arg) => arg !== '--spread');
  return { isDistributed: rest.length < args.length, rest };
}

/**
 * Reads `--delivery 3 --catalog 2`, the numbers of processes of services; one process for each service that is not
 * named.
 */
export function readReplicaCounts(
  args: readonly string[],
  services: readonly ServiceDefinition[],
): ReplicaCounts {
  const counts: Record<string, number> = Object.fromEntries(services.map(({ name }) => [name, 1]));
  for (let i = 0; i < args.length; i += 2) {
    const [option, value] = [args[i]!, args[i + 1]];
    const name = option.replace(/^--/, '');
    if (!option.startsWith('--') || !Object.hasOwn(counts, name)) {
      throw new StartError(
        `${option}: options are ${services.map((service) => `--${service.name} N`).join(', ')}, --spread`,
      );
    }
    const count = Number(value);
    if (!Number.isInteger(count) || count < 1 || count > 32)
      throw new StartError(`${option}: must be 1 to 32`);
    if (name === 'gateway' && count > 1 && process.platform !== 'linux')
      throw new StartError('--gateway: several processes share a port on Linux only');
    counts[name] = count;
  }
  return counts;
}
