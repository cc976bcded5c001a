import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { Answer } from '@waybill/kernel';

const types: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
};

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Waybill API</title>
<link rel="icon" href="/docs/favicon-32x32.png">
<link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
<div id="reference"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;

const start = `SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  persistAuthorization: false,
  validatorUrl: null,
  docExpansion: 'none',
});
`;

const pageHeaders = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'",
  'cache-control': 'public, max-age=300',
};

/** The interactive reference at `/docs`, all of it from this server: it works without internet. */
export function createReference() {
  const require = createRequire(import.meta.url);
  return {
    page: () => new Answer(page, 'text/html; charset=utf-8', pageHeaders),
    async file(name: string): Promise<Answer | null> {
      const headers = { 'cache-control': 'public, max-age=86400' };
      if (name === 'start.js') return new Answer(start, 'text/javascript; charset=utf-8', headers);
      const type = Object.hasOwn(types, name) && types[name];
      return type
        ? new Answer(await readFile(require.resolve(`swagger-ui-dist/${name}`)), type, headers)
        : null;
    },
  };
}
