import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from './eventually.ts';

/** Returns the mails that a system without SMTP_URL has written for an address so far, oldest first, unparsed. */
export async function listMailsTo(dataDir: string, address: string): Promise<string[]> {
  const folder = join(dataDir, 'mail');
  const names = (await readdir(folder)).filter((name) => name.endsWith(`Z-${address}.eml`)).sort();
  return Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
}

/**
 * Returns the token of the link to a page of the console, in the `count`th mail with such a link; waits for that mail.
 */
export function waitForMailedToken(
  dataDir: string,
  address: string,
  page: string,
  count = 1,
): Promise<string> {
  const link = new RegExp(`/console/${page}\\?token=([\\w-]{43})\\b`);
  return eventually(
    async () => {
      const tokens = (await listMailsTo(dataDir, address)).flatMap((mail) => link.exec(mail)?.[1] ?? []);
      return tokens[count - 1];
    },
    { what: `link ${count} to ${page} for ${address}` },
  );
}
