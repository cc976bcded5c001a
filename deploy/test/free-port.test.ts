import { existsSync, readFileSync } from 'node:fs';
import { freePorts } from '../free-port.ts';

const given = '/proc/sys/net/ipv4/ip_local_port_range';

(existsSync(given) ? test : test.skip)(
  'a free port is none that an outgoing connection may be given',
  async () => {
    const ports = await freePorts(30);
    expect(new Set(ports).size).toBe(30);
    const [first, last] = readFileSync(given, 'utf8').split(/\s+/).map(Number) as [number, number];
    expect(ports.filter((port) => port >= first && port <= last)).toEqual([]);
  },
);
