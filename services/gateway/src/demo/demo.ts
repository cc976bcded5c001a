import { readFile } from 'node:fs/promises';
import { isLoopback, type RouteRequest } from '@waybill/kernel';
import type { Config } from '../config.ts';
import type { DemoAccounts } from './routes.ts';

/** Of `demo.json`. */
type Demo = Record<Role, { email: string; password: string }>;
type Role = DemoAccounts['accounts'][number]['role'];

const names: Readonly<Record<Role, string>> = {
  merchant: 'Demo Merchant',
  reviewer: 'Demo Reviewer',
  developer: 'Demo Developer',
};

/** What proxies and tunnels add: who asks is somewhere else. */
const proxyHeaders = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip'];

/** A connection from this machine; IPv4's may come in IPv6's form. */
const loopbackAddress = /^(?:::ffff:)?127\.\d+\.\d+\.\d+$|^::1$/;

/**
 * The demo's accounts, to whoever is on this machine; null to others, and where there is no demo. A page of elsewhere
 * whose name leads here (DNS rebinding) has that name for a `Host`. `decisions.md 9.3`.
 */
export async function readDemoAccounts(
  { demoFile }: Pick<Config, 'demoFile'>,
  { address, headers }: Pick<RouteRequest, 'address' | 'headers'>,
): Promise<DemoAccounts | null> {
  const host = URL.parse(`http://${headers.host}`)?.hostname;
  const isHere = host !== undefined && isLoopback(host) && loopbackAddress.test(address);
  if (!demoFile || !isHere || proxyHeaders.some((name) => name in headers)) return null;
  try {
    const demo: Demo = JSON.parse(await readFile(demoFile, 'utf8'));
    const roles = Object.keys(names) as Role[];
    return {
      accounts: roles.map((role) => {
        const { email, password } = demo[role];
        return { email, password, name: names[role], role };
      }),
    };
  } catch (error) {
    // It is made after the start.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
