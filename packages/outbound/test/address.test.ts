import fc from 'fast-check';
import { checkUrl, isForbiddenAddress, isTrusted, parseTrustedTargets, resolveHost } from '../src/index.ts';

const forbiddenHosts = `
0.0.0.0 0.1.2.3 0 0x0 10.0.0.1 10.255.255.255 012.0.0.1 0xa.1 167772161 100.64.0.1 100.127.255.254
127.0.0.1 127.255.255.254 127.1 127.0.1 0177.0.0.1 0x7f.0.0.1 0x7f000001 2130706433 017700000001 127.0.0.1.
169.254.169.254 0xa9fea9fe 2852039166 0251.0376.0251.0376 169.254.43518 172.16.0.1 172.31.255.255
192.0.0.1 192.0.0.171 192.0.2.1 192.31.196.1 192.52.193.1 192.88.99.1 192.168.0.1 192.168.257 192.175.48.1
198.18.0.1 198.19.255.255 198.51.100.7 203.0.113.9 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255
①②⑦.⓪.⓪.① 127。0。0。1 %31%32%37.0.0.1
[::] [::1] [0:0:0:0:0:0:0:1] [::ffff:127.0.0.1] [::ffff:7f00:1] [::ffff:8.8.8.8] [::127.0.0.1] [::8.8.8.8]
[::ffff:0:10.0.0.1] [64:ff9b::10.0.0.1] [64:ff9b::808:808] [64:ff9b:1::1] [64:ff9a::1] [100::1] [100:0:0:1::1]
[2001::1] [2001:0:4136:e378:8000:63bf:3fff:fdd2] [2001:1::1] [2001:2::1] [2001:3::1] [2001:4:112::1]
[2001:10::1] [2001:20::1] [2001:30::1] [2001:1ff:ffff::1] [2001:db8::1] [2002:7f00:1::] [2002:808:808::]
[2620:4f:8000::1] [3fff::1] [3fff:fff:ffff::1] [4000::1] [5f00::1] [c000::1] [fbff::1] [fc00::1]
[fd00:ec2::254] [fe80::1] [febf::1] [fec0::1] [ff02::1] [0:ff::] [1:2:3:4:5:6:7:8]`;

const allowedHosts = `
1.1.1.1 8.8.8.8 134744072 0x08.8.8.8 010.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255
128.0.0.1 169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 191.255.255.255 192.0.1.0 192.167.255.255
192.169.0.0 198.17.255.255 198.20.0.0 203.0.112.255 203.0.114.0 223.255.255.255
[2000::1] [2001:200::1] [2001:db7::1] [2001:db9::1] [2001:4860:4860::8888] [2003::1] [2606:4700:4700::1111]
[3ffe::1] [3fff:1000::1]`;

const words = (text: string) => text.trim().split(/\s+/);

async function findAddress(host: string): Promise<string> {
  const url = checkUrl(`http://${host}/`);
  if (!(url instanceof URL)) throw new Error(`${host}: ${url.message}`);
  const addresses = await resolveHost(url.hostname, { lookup: () => Promise.reject(new Error('asked DNS')) });
  if (addresses === 'unresolved') throw new Error(`${host} is not an address`);
  expect(addresses).toHaveLength(1);
  return addresses[0]!;
}

describe('the address rule', () => {
  it.each(words(forbiddenHosts))('forbids %s', async (host) => {
    expect(isForbiddenAddress(await findAddress(host))).toBe(true);
  });

  it.each(words(allowedHosts))('allows %s', async (host) => {
    expect(isForbiddenAddress(await findAddress(host))).toBe(false);
  });

  it.each(['', 'example.com', '[::1]', '1.2.3.4.5', '256.1.1.1', '2001:4860::8888%eth0', 'fe80::1%1', '::g'])(
    'forbids %p, which is no plain address',
    (text) => expect(isForbiddenAddress(text)).toBe(true),
  );

  it('gives one verdict for every spelling of an IPv4 address', () => {
    fc.assert(
      fc.property(
        ipv4,
        fc.array(radix, { minLength: 4, maxLength: 4 }),
        fc.nat(3),
        (bytes, radixes, joined) => {
          const spelling = spell(bytes, radixes, joined);
          const plain = bytes.join('.');
          expect(new URL(`http://${spelling}/`).hostname).toBe(plain);
          expect(isForbiddenAddress(spelling)).toBe(isForbiddenAddress(plain));
        },
      ),
    );
  });

  it('forbids every IPv6 address that carries an IPv4 address', () => {
    fc.assert(
      fc.property(ipv4, fc.nat(0xffff), (bytes, word) => {
        const [a, b, c, d] = bytes as [number, number, number, number];
        const high = ((a << 8) | b).toString(16);
        const low = ((c << 8) | d).toString(16);
        const dotted = bytes.join('.');
        const w = word.toString(16);
        for (const ip of [
          `::${dotted}`,
          `::ffff:${dotted}`,
          `::ffff:${high}:${low}`,
          `0:0:0:0:0:FFFF:${dotted}`,
          `::ffff:0:${dotted}`,
          `64:ff9b::${dotted}`,
          `64:ff9b:1:${w}::${dotted}`,
          `2002:${high}:${low}::${w}`,
          `2001:0:${high}:${low}:${w}::1`,
          `2001::${w}:${high}:${low}`,
        ]) {
          expect([ip, isForbiddenAddress(ip)]).toEqual([ip, true]);
        }
      }),
    );
  });

  it('forbids everything outside 2000::/3', () => {
    const groups = fc.array(fc.nat(0xffff), { minLength: 8, maxLength: 8 });
    const outside = groups.filter((words) => words[0]! >> 13 !== 1);
    fc.assert(
      fc.property(outside, (words) => isForbiddenAddress(words.map((word) => word.toString(16)).join(':'))),
    );
  });
});

const ipv4 = fc.array(fc.nat(255), { minLength: 4, maxLength: 4 });
const radix = fc.constantFrom(8, 10, 16);

/** Spells an IPv4 address with its last `joined + 1` bytes as one number and each part in its own radix. */
function spell(bytes: number[], radixes: number[], joined: number): string {
  const remaining = bytes.slice(0, 3 - joined);
  const rest = bytes.slice(3 - joined).reduce((sum, byte) => sum * 256 + byte, 0);
  const prefixes: Record<number, string> = { 8: '0', 10: '', 16: '0x' };
  return [...remaining, rest].map((part, i) => prefixes[radixes[i]!]! + part.toString(radixes[i])).join('.');
}

describe('trusted targets', () => {
  it('reads IPv4 and IPv6 entries, with brackets or without', () => {
    const targets = parseTrustedTargets(' 127.0.0.1/32:9400, [::1]/128:9401,::1/128:9402,10.0.0.0/8:80 ');
    expect(isTrusted(targets, '127.0.0.1', 9400)).toBe(true);
    expect(isTrusted(targets, '127.0.0.1', 9401)).toBe(false);
    expect(isTrusted(targets, '127.0.0.2', 9400)).toBe(false);
    expect(isTrusted(targets, '::1', 9401)).toBe(true);
    expect(isTrusted(targets, '::1', 9402)).toBe(true);
    expect(isTrusted(targets, '::2', 9401)).toBe(false);
    expect(isTrusted(targets, '10.200.1.1', 80)).toBe(true);
    expect(isTrusted(targets, '11.0.0.1', 80)).toBe(false);
    expect(isTrusted(targets, '::ffff:10.200.1.1', 80)).toBe(false);
    expect(isTrusted(targets, 'nonsense', 80)).toBe(false);
  });

  it('trusts nothing when empty', () => {
    expect(parseTrustedTargets('')).toEqual([]);
    expect(isTrusted([], '127.0.0.1', 80)).toBe(false);
  });

  it.each([
    '127.0.0.1',
    '127.0.0.1:80',
    '127.0.0.1/32',
    '127.0.0.1/33:80',
    '::1/129:80',
    '127.0.0.1/32:0',
    '127.0.0.1/32:65536',
    '127.0.0.1/x:80',
    '127.1/32:80',
    '[::1/128:80',
    'localhost/32:80',
    '*',
  ])('refuses %s in one line that names it', (entry) => {
    expect(() => parseTrustedTargets(`10.0.0.0/8:80,${entry}`)).toThrow(`"${entry}"`);
    expect(() => parseTrustedTargets(entry)).toThrow(/^[^\n]+$/);
  });
});
