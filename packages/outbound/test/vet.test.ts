import { forbiddenMessage, parseTrustedTargets, resolveHost, vetHost } from '../src/index.ts';

const never = () => new Promise<string[]>(() => {});
const refused = () => Promise.reject(new Error('no such name'));

describe('resolveHost', () => {
  it('gives literal addresses without asking', async () => {
    expect(await resolveHost('192.0.2.1', { lookup: refused })).toEqual(['192.0.2.1']);
    expect(await resolveHost('[::1]', { lookup: refused })).toEqual(['::1']);
  });

  it.each(['localhost', 'LOCALHOST', 'localhost.', 'a.localhost', 'a.b.localhost.'])(
    'takes %s for the loopback addresses without asking',
    async (host) => expect(await resolveHost(host, { lookup: refused })).toEqual(['127.0.0.1', '::1']),
  );

  it('asks for other names that only look like it', async () => {
    expect(await resolveHost('notlocalhost', { lookup: async () => ['8.8.8.8'] })).toEqual(['8.8.8.8']);
  });

  it.each([
    ['an error', refused],
    ['no address', async () => []],
    ['an answer that never comes', never],
  ])('counts %s as unresolved', async (_, lookup) => {
    expect(await resolveHost('example.com', { lookup, timeoutMs: 20 })).toBe('unresolved');
  });

  it('asks the real system without failing', async () => {
    expect(await resolveHost('no-such-name.invalid', { timeoutMs: 1000 })).toBe('unresolved');
    expect(await resolveHost('127.0.0.1!', { timeoutMs: 1000 })).toBe('unresolved');
  });
});

describe('vetHost', () => {
  const at = (...addresses: string[]) => ({ lookup: async () => addresses });
  const url = new URL('http://shop.example:9400/hook');

  it('gives all addresses when all are allowed', async () => {
    const both = ['8.8.8.8', '2001:4860:4860::8888'];
    expect(await vetHost(url, [], at(...both))).toEqual({ addresses: both });
  });

  it('refuses the host for one forbidden address among many', async () => {
    expect(await vetHost(url, [], at('8.8.8.8', '10.0.0.1'))).toEqual({ forbidden: '10.0.0.1' });
  });

  it('exempts a trusted target at its port only', async () => {
    const targets = parseTrustedTargets('10.0.0.0/8:9400');
    expect(await vetHost(url, targets, at('10.0.0.1'))).toEqual({ addresses: ['10.0.0.1'] });
    const other = new URL('http://shop.example/hook');
    expect(await vetHost(other, targets, at('10.0.0.1'))).toEqual({ forbidden: '10.0.0.1' });
  });

  it('refuses localhost and literal addresses', async () => {
    expect(await vetHost(new URL('http://localhost/'), [])).toEqual({ forbidden: '127.0.0.1' });
    expect(await vetHost(new URL('http://0x7f.1/'), [])).toEqual({ forbidden: '127.0.0.1' });
    expect(await vetHost(new URL('http://[::ffff:10.0.0.1]/'), [])).toEqual({ forbidden: '::ffff:a00:1' });
  });

  it('says so when nothing resolves', async () => {
    expect(await vetHost(url, [], { lookup: refused })).toEqual({ unresolved: true });
  });
});

describe('what is said of a forbidden URL', () => {
  it.each([
    ['http://localhost:9400/hooks', '127.0.0.1/32:9400'],
    ['http://0x7f.1/', '127.0.0.1/32:80'],
    ['https://[::1]/', '::1/128:443'],
  ])('names the setting for the asker’s own machine: %s', (url, target) => {
    expect(forbiddenMessage(new URL(url))).toContain(`WEBHOOK_TRUSTED_TARGETS=${target}.`);
    expect(parseTrustedTargets(target)).toHaveLength(1);
  });

  it.each([
    'http://10.0.0.1/',
    'http://db.internal/',
    'http://169.254.169.254/',
    'http://localhost.example/',
  ])('tells nothing of what is behind %s', (url) =>
    expect(forbiddenMessage(new URL(url))).not.toMatch(/TRUSTED|\d/),
  );
});
