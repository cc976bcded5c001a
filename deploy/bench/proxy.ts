/** A bare node:http proxy in front of the floor. */
import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

const agent = new Agent({ keepAlive: true });
const port = Number(process.env.PROXY_TARGET_PORT);

const server = createServer((req, res) => {
  const { method, url: path, headers } = req;
  const upstream = request({ agent, host: '127.0.0.1', port, method, path, headers }, (reply) => {
    res.writeHead(reply.statusCode!, reply.headers);
    reply.pipe(res);
  });
  req.pipe(upstream);
});
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
process.on('SIGTERM', () => process.exit(0));
