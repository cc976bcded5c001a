import { cleanText, escapeAttribute, escapeText } from '@waybill/page';

/** An article as a page or a list shows it, in the page's language. */
export interface ShownArticle {
  title: string;
  /** Plain text. */
  excerpt: string;
  /** Where its page is, as seen from the blog's. */
  path: string;
  coverUrl: string | null;
  publishedAt: Date;
}

/** How the blog looks; in a layer of its own above the base, as pages do. */
export const blogCss = `main.wb-blog{max-width:44rem;margin:0 auto;padding:3rem 1.25rem 5rem;font:1.0625rem/1.7 system-ui,sans-serif;color:#1c1c1e;background-color:#fff;overflow-wrap:break-word}
.wb-blog h1,.wb-blog h2,.wb-blog h3,.wb-blog h4{line-height:1.2;text-wrap:balance;margin:2em 0 .5em}
.wb-blog h1{font-size:clamp(2rem,5vw,2.75rem);margin:0 0 .4em}
.wb-blog time{color:#5c5c61;font-size:.9375rem}
.wb-blog img{max-width:100%;height:auto}
.wb-blog img.wb-cover{display:block;width:100%;aspect-ratio:16/9;object-fit:cover;border-radius:.75rem;margin:1.5rem 0}
.wb-blog pre{overflow-x:auto;padding:1rem;background-color:#f4f4f5;border-radius:.5rem}
.wb-blog blockquote{margin:1.5em 0;padding-left:1rem;border-left:.25rem solid #d4d4d8}
.wb-blog table{display:block;overflow-x:auto;border-collapse:collapse}
.wb-blog th,.wb-blog td{padding:.4em .75em;border:1px solid #d4d4d8;text-align:start}
.wb-blog a{color:#0b57d0}
.wb-articles{list-style:none;margin:2.5rem 0;padding:0}
.wb-articles>li{margin:0 0 3rem}
.wb-articles h2{margin:0 0 .25em}
.wb-articles h2 a{color:inherit;text-decoration:none}
.wb-articles h2 a:hover{text-decoration:underline}
.wb-articles p{margin:.5em 0 0}
.wb-pages{display:flex;justify-content:space-between;gap:1rem}
`;

/** The body of an article's page; `content` is sanitised HTML. */
export function articleHtml(article: ShownArticle, content: string, lang: string): string {
  const { title } = article;
  return `<main class="wb-blog"><article><header><h1>${escapeText(cleanText(title))}</h1>${dateHtml(article, lang)}</header>${coverHtml(article)}<div>${content}</div></article></main>`;
}

/** The body of the blog's own page; `newer` and `older` are the numbers of the pages beside it. */
export function blogHtml(
  title: string,
  articles: readonly ShownArticle[],
  { newer, older }: { newer?: number; older?: number },
  lang: string,
): string {
  const items = articles.map((article) => {
    const link = `<a href="${escapeAttribute(article.path)}">${escapeText(cleanText(article.title))}</a>`;
    const excerpt = article.excerpt.trim() && `<p>${escapeText(cleanText(article.excerpt))}</p>`;
    return `<li><article>${coverHtml(article)}<h2>${link}</h2>${dateHtml(article, lang)}${excerpt}</article></li>`;
  });
  const list = items.length > 0 ? `<ul class="wb-articles">${items.join('')}</ul>` : '';
  const links = [
    newer ? `<a rel="prev" href="?page=${newer}">← ${newer}</a>` : '<span></span>',
    older ? `<a rel="next" href="?page=${older}">${older} →</a>` : '<span></span>',
  ];
  const nav = newer || older ? `<nav class="wb-pages">${links.join('')}</nav>` : '';
  return `<main class="wb-blog"><h1>${escapeText(cleanText(title))}</h1>${list}${nav}</main>`;
}

function dateHtml({ publishedAt }: ShownArticle, lang: string): string {
  const text = new Intl.DateTimeFormat(lang, { dateStyle: 'long', timeZone: 'UTC' }).format(publishedAt);
  return `<time datetime="${publishedAt.toISOString()}">${escapeText(text)}</time>`;
}

/** A cover says nothing that the title does not. */
function coverHtml({ coverUrl }: ShownArticle): string {
  return coverUrl ? `<img class="wb-cover" src="${escapeAttribute(coverUrl)}" alt="">` : '';
}
