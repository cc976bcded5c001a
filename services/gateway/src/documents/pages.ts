import { escapeHtml, type Guide } from './guides.ts';

/** The style sheet of `/docs`, served as a separate file. */
export const styleSheet = `:root {
  color-scheme: light dark;
  --text: light-dark(#1c2421, #e4e9e6);
  --quiet: light-dark(#56615c, #9aa6a0);
  --line: light-dark(#dde3e0, #313936);
  --ground: light-dark(#fff, #131715);
  --raised: light-dark(#f4f7f5, #1c211f);
  --accent: light-dark(#0b6b4f, #5fd0a9);
  --scalar-custom-header-height: 3rem;
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--text); font: 1rem/1.6 system-ui, sans-serif; }
a { color: var(--accent); }
.bar { position: sticky; top: 0; z-index: 10; display: flex; gap: 1.25rem; align-items: center; height: 3rem;
  padding: 0 1rem; background: var(--ground); border-bottom: 1px solid var(--line); }
.bar strong { margin-inline-end: auto; }
.bar a { color: var(--text); text-decoration: none; line-height: 3rem; }
.bar a[aria-current] { color: var(--accent); box-shadow: inset 0 -2px var(--accent); }
.columns { display: grid; grid-template-columns: 15rem minmax(0, 46rem); gap: 3rem; max-width: 70rem; margin: 0 auto;
  padding: 1.5rem 1rem 4rem; }
.columns nav ul { margin: 0; padding: 0; list-style: none; }
.columns nav a { display: block; padding: .35rem .6rem; border-radius: .4rem; color: var(--quiet); text-decoration: none; }
.columns nav a:hover, .columns nav a[aria-current] { background: var(--raised); color: var(--text); }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 1rem; }
h2 { font-size: 1.3rem; margin: 2.2rem 0 .6rem; scroll-margin-top: 4rem; }
h3 { font-size: 1.05rem; margin: 1.6rem 0 .4rem; scroll-margin-top: 4rem; }
h2 a, h3 a { color: inherit; text-decoration: none; }
code { font: .875em ui-monospace, monospace; background: var(--raised); padding: .1em .3em; border-radius: .25em;
  overflow-wrap: anywhere; }
pre { background: var(--raised); border: 1px solid var(--line); border-radius: .5rem; padding: .8rem 1rem; overflow-x: auto; }
pre code { background: none; padding: 0; overflow-wrap: normal; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: start; vertical-align: top; padding: .4rem .8rem .4rem 0; border-bottom: 1px solid var(--line); }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(15rem, 1fr)); gap: 1rem; padding: 0; list-style: none; }
.cards li { padding: 1rem; border: 1px solid var(--line); border-radius: .5rem; }
.cards h2 { margin: 0 0 .3rem; font-size: 1.05rem; }
.cards p { margin: 0; color: var(--quiet); font-size: .95rem; }
.next { display: flex; justify-content: space-between; gap: 1rem; margin-top: 3rem; padding-top: 1rem;
  border-top: 1px solid var(--line); }
@media (max-width: 48rem) {
  .columns { grid-template-columns: minmax(0, 1fr); gap: 2rem; }
  .columns main { order: -1; }
}
`;

function renderShell(title: string, at: 'guides' | 'reference', body: string): string {
  const link = (id: string, href: string, text: string) =>
    `<a href="${href}"${at === id ? ' aria-current="true"' : ''}>${text}</a>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/docs.css">
</head>
<body>
<header class="bar"><strong>Waybill</strong>${link('guides', '/docs', 'Guides')}${link('reference', '/docs/reference', 'Reference')}</header>
${body}
</body>
</html>
`;
}

function renderWithContents(guides: readonly Guide[], current: string | null, main: string): string {
  const entries = guides.map(
    ({ slug, title }) =>
      `<li><a href="/docs/${slug}"${slug === current ? ' aria-current="page"' : ''}>${escapeHtml(title)}</a></li>`,
  );
  return `<div class="columns">
<nav aria-label="Guides"><ul>${entries.join('')}</ul></nav>
<main>${main}</main>
</div>`;
}

/** Builds the page at `/docs`, with the topics of the guides and a link to the reference. */
export function overviewPage(guides: readonly Guide[]): string {
  const cards = guides.map(
    ({ slug, title, lead }) =>
      `<li><h2><a href="/docs/${slug}">${escapeHtml(title)}</a></h2><p>${lead}</p></li>`,
  );
  const main = `<h1>Build on Waybill</h1>
<p>An HTTP API for one store, signed webhooks for what happens in it, and apps that bring blocks to its pages. The
<a href="/docs/reference">reference</a> has every operation, to try in place; its OpenAPI document is at
<a href="/openapi.json">/openapi.json</a>.</p>
<ul class="cards">${cards.join('')}</ul>`;
  return renderShell('Waybill: guides', 'guides', renderWithContents(guides, null, main));
}

/** Builds the page of a guide. */
export function guidePage(guides: readonly Guide[], guide: Guide): string {
  const at = guides.indexOf(guide);
  const link = (other: Guide | undefined, rel: string, arrow: (title: string) => string) =>
    other
      ? `<a rel="${rel}" href="/docs/${other.slug}">${arrow(escapeHtml(other.title))}</a>`
      : '<span></span>';
  const neighbourLinks =
    link(guides[at - 1], 'prev', (title) => `← ${title}`) +
    link(guides[at + 1], 'next', (title) => `${title} →`);
  const main = `${guide.html}<div class="next">${neighbourLinks}</div>`;
  return renderShell(`${guide.title}: Waybill`, 'guides', renderWithContents(guides, guide.slug, main));
}

/** Builds the page at an address below `/docs` that has nothing; the guides stand beside it. */
export function notFoundPage(guides: readonly Guide[]): string {
  const main = `<h1>Page not found</h1>
<p>There is no guide at this address. Choose one from the list, or go to the <a href="/docs">overview</a> or the
<a href="/docs/reference">reference</a>.</p>`;
  return renderShell('Page not found: Waybill', 'guides', renderWithContents(guides, null, main));
}

/** The page of the interactive reference. */
export const referencePage: string = renderShell(
  'Waybill: reference',
  'reference',
  `<div id="reference"></div>
<script src="/docs/reference.js"></script>
<script src="/docs/start.js"></script>`,
);
