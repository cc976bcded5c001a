import { readFile } from 'node:fs/promises';
import { isLoopback, type RouteRequest } from '@waybill/kernel';
import type { Config } from '../config.ts';
import type { DemoAccounts } from './routes.ts';

/** The contents of `demo.json`. */
type Demo = Record<Role, { email: string; password: string }>;
type Role = DemoAccounts['accounts'][number]['role'];

const names: Readonly<Record<Role, string>> = {
  merchant: 'Demo Merchant',
  reviewer: 'Demo Reviewer',
  developer: 'Demo Developer',
};

/** Headers that proxies and tunnels add. They show that the client is on another machine. */
const proxyHeaders = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip'];

/** Matches a connection from this machine; IPv4 addresses may be written as IPv6. */
const loopbackAddress = /^(?:::ffff:)?127\.\d+\.\d+\.\d+$|^::1$/;

/**
 * Returns the demo's accounts to clients on this machine; null for others, or if there is no demo. The check of `Host`
 * stops pages of other sites whose names resolve to this machine (DNS rebinding). `decisions.md 9.3`.
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
    // The file is written only after the start.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
