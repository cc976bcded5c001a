/** The floor of live pages: a bare node:http server of static files, which reads the file for every request. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const file = process.env.FLOOR_FILE!;

const server = createServer(async (_req, res) => {
  const bytes = await readFile(file);
  const etag = `"${createHash('sha1').update(bytes).digest('base64url')}"`;
  res.writeHead(200, {
    'content-type': 'text/html; charset=utf-8',
    'content-length': bytes.length,
    'cache-control': 'public, max-age=0, must-revalidate',
    etag,
  });
  res.end(bytes);
});
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
process.on('SIGTERM', () => process.exit(0));
