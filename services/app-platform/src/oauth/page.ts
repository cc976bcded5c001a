import { Answer } from '@waybill/kernel';

/** The page may contain only this text, and no other page may frame it. */
const headers = {
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox",
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};

/**
 * Builds the page for users who cannot be redirected back to an app. It contains only our own text, and nothing from
 * the request (`decisions.md 14.1`).
 */
export function renderProblemPage(problem: string): Answer {
  const html = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>This request cannot be answered</title>
<h1>This request cannot be answered</h1>
<p>${problem}</p>
<p>Nothing was installed or shared. Go back to the app, or tell its developer.</p>
</html>
`;
  return new Answer(html, 'text/html; charset=utf-8', headers, 400);
}
