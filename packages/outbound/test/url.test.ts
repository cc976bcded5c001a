import { checkUrl, getPort } from '../src/index.ts';

describe('checkUrl', () => {
  it.each([
    'https://example.com',
    'http://example.com:8080/path?query=1#part',
    'HTTPS://EXAMPLE.COM/',
    'http://[2606:4700::1111]:65535/',
    `https://example.com/${'a'.repeat(2048 - 'https://example.com/'.length)}`,
  ])('accepts %s', (text) => {
    expect(checkUrl(text)).toEqual(new URL(text));
  });

  it.each([
    ['', 'does not begin'],
    ['example.com', 'does not begin'],
    ['/relative', 'does not begin'],
    ['ftp://example.com', 'does not begin'],
    ['javascript:alert(1)', 'does not begin'],
    ['http:example.com', 'does not begin'],
    ['http:\\\\example.com', 'does not begin'],
    ['https://', 'not a valid URL'],
    ['http://:80', 'not a valid URL'],
    ['http://[::1', 'not a valid URL'],
    ['http://example.com:65536', 'not a valid URL'],
    ['http://1.2.3.256', 'not a valid URL'],
    ['http://exa%00mple.com', 'not a valid URL'],
    ['http://example.com:0/', 'port 0'],
    ['http://user@example.com', 'credentials'],
    ['http://:secret@example.com', 'credentials'],
    [' http://example.com', 'a space'],
    ['http://exam\nple.com', 'a space or a control character'],
    ['http://example.com/\u0000', 'a space or a control character'],
    [`https://example.com/${'a'.repeat(2048)}`, 'longer than 2048'],
  ])('refuses %j', (text, message) => {
    expect(checkUrl(text)).toEqual({ problem: 'invalid', message: expect.stringContaining(message) });
  });

  it('knows the port that a URL implies', () => {
    expect(getPort(new URL('http://example.com'))).toBe(80);
    expect(getPort(new URL('https://example.com'))).toBe(443);
    expect(getPort(new URL('https://example.com:8443'))).toBe(8443);
  });
});
