/** The floor of media: a bare node:http server that writes uploads to a file, synced, and sends them back. */
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, open, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

const folder = await mkdtemp(join(tmpdir(), 'waybill-bench-floor-'));
let uploads = 0;

const server = createServer(async (req, res) => {
  if (req.method === 'POST') {
    const path = join(folder, String(++uploads));
    await pipeline(req, createWriteStream(path));
    const file = await open(path);
    await file.sync();
    await file.close();
    res.end(String(uploads));
  } else {
    const path = join(folder, req.url!.slice(1));
    res.writeHead(200, { 'content-type': 'image/jpeg', 'content-length': (await stat(path)).size });
    await pipeline(createReadStream(path, { highWaterMark: 256 * 1024 }), res).catch(() => {});
  }
});
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
process.on('SIGTERM', async () => {
  await rm(folder, { recursive: true, force: true });
  process.exit(0);
});
