import { dummyHash, hashPassword, verifyPassword } from '../src/users/passwords.ts';
import { password } from './people.ts';

describe('a hash', () => {
  test('verifies its password and no other, whatever parameters it was made with', async () => {
    const phc = await hashPassword(password);
    expect(await verifyPassword(password, phc)).toBe(true);
    expect(await verifyPassword(`${password} `, phc)).toBe(false);
    expect(await hashPassword(password)).not.toBe(phc);
    // A test vector of the reference implementation (P-H-C/phc-winner-argon2, src/test.c).
    const reference = '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4';
    expect(await verifyPassword('password', reference)).toBe(true);
  });
  test('the dummy hash matches no password', async () => {
    expect(await verifyPassword('', dummyHash)).toBe(false);
  });
});
