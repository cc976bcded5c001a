import { Answer } from '@waybill/kernel';

/** Nothing but this text, in nobody's frame. */
const headers = {
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox",
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};

/**
 * What whoever was led here sees when there is no address to lead them back to. The text is ours: nothing of a request
 * stands in the page. `decisions.md 14.1`.
 */
export function problemPage(problem: string): Answer {
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
