import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

interface File {
  readonly body: string;
  readonly type?: string;
}

/** Serves a few files over HTTP by path; any other path is not found. */
export interface Site {
  readonly url: string;
  readonly files: Map<string, File>;
  stop(): Promise<void>;
}

export async function startSite(): Promise<Site> {
  const files = new Map<string, File>();
  const server = createServer((request, response) => {
    const file = files.get(request.url ?? '');
    response.writeHead(file ? 200 : 404, { 'content-type': file?.type ?? 'text/html; charset=utf-8' });
    response.end(file?.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    files,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
