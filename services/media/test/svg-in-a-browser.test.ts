import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually, hasChromium, launchChromium, type TestSystem } from '@waybill/testing';
import { newLibrary, startMedia } from './library.ts';
import { svg } from './samples.ts';

/** Builds an SVG with every known way to run a script; each of them would request this address. */
const hostile = (address: string) =>
  svg(
    `<script>fetch('${address}')</script>
    <script href="${address}"/>
    <rect width="100" height="100" onload="fetch('${address}')" onclick="fetch('${address}')"/>
    <a href="javascript:fetch('${address}')"><text y="50">go</text></a>
    <image href="${address}" width="9" height="9"/>
    <style>@import url(${address});</style>
    <foreignObject width="100" height="100"><body xmlns="http://www.w3.org/1999/xhtml">
      <img src="${address}" onerror="fetch('${address}')"/><iframe src="${address}"/>
    </body></foreignObject>
    <set attributeName="onmouseover" to="fetch('${address}')"/>`,
    `width="100" height="100" onload="fetch('${address}')"`,
  );

(hasChromium('what an SVG does in a browser') ? describe : describe.skip)('an SVG in a browser', () => {
  let system: TestSystem;
  beforeAll(async () => {
    system = await startMedia();
  });
  afterAll(() => system.stop());

  test('runs and loads nothing when opened, framed or shown; without the policy it would', async () => {
    const requests: string[] = [];
    const probe = http.createServer((req, res) => {
      requests.push(req.url!);
      res.setHeader('access-control-allow-origin', '*');
      const type = req.url === '/open.svg' ? 'image/svg+xml' : 'text/html';
      res
        .writeHead(200, { 'content-type': type })
        .end(req.url === '/open.svg' ? hostile(`${origin}/can-run`) : '');
    });
    probe.listen(0, '127.0.0.1');
    await new Promise((resolve) => probe.once('listening', resolve));
    const origin = `http://127.0.0.1:${(probe.address() as AddressInfo).port}`;
    const library = await newLibrary(system);
    const { body } = await library.upload(hostile(`${origin}/ran`), { fileName: 'x.svg' }).expect(201);
    const url = `${system.internalUrl}${body.media.url}`;
    const browser = await launchChromium();
    try {
      const page = await browser.newPage();
      await page.goto(`${origin}/open.svg`);
      await eventually(() => requests.includes('/can-run'), { what: 'a script of the SVG' });

      await page.goto(url, { waitUntil: 'networkidle' });
      await page.mouse.move(50, 50);
      await page.mouse.click(50, 50);
      await page.goto(`${origin}/page`);
      await page.setContent(
        `<img src="${url}"><iframe src="${url}"></iframe><object data="${url}"></object>`,
        {
          waitUntil: 'networkidle',
        },
      );
      expect(await page.evaluate('document.images[0].naturalWidth')).toBe(100);
      expect(requests).not.toContain('/ran');
    } finally {
      await browser.close();
      probe.closeAllConnections();
      probe.close();
    }
  });
});
