import { hash, verify } from '@node-rs/argon2';

/** OWASP's parameters for Argon2id, which is the library's default: 19 MiB, two passes, one lane. */
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Keyboards compose the same letter in different ways (NIST SP 800-63B, 3.1.1.2). */
const composed = (password: string) => password.normalize('NFKC');

/** Returns the hash of a password in PHC form, `$argon2id$v=19$m=…,t=…,p=…$salt$hash`. */
export const hashPassword = (password: string): Promise<string> => hash(composed(password), parameters);

/** A hash that belongs to no password. Comparing with it costs as much as any comparison. */
export const dummyHash = `$argon2id$v=19$m=19456,t=2,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`;

/** Whether the password matches the hash; the time of the comparison reveals nothing. */
export const verifyPassword = (password: string, phc: string): Promise<boolean> =>
  verify(phc, composed(password));
