import type { Picture, ResolvedNode } from '../resolved.ts';
import { choices } from './choices.ts';
import { buyingForm, fields } from './fields.ts';
import { lists } from './lists.ts';
import { navigation } from './navigation.ts';
import { type ElementRenderer, linkAttributes, renderIcon, renderLinked } from './primitives.ts';
import { renderRichText } from './rich-text.ts';
import type { Attributes, Writer } from './writer.ts';

/** Returns the renderer of a box with children whose tag the author chooses. */
function renderBox(
  className: string,
  first: string,
  extra: (node: ResolvedNode) => Attributes = () => [],
): ElementRenderer {
  return (writer, node, children) => {
    const tag = writer.boxTag(node.specials.tag || first);
    writer.start(tag, [...writer.own(node, className, findRole(tag)), ...extra(node)]);
    children();
    writer.end(tag);
  };
}

/** Tags that need a role before they may have a name. */
const tagsWithoutRole = new Set(['div', 'p', 'span', 'small', 'strong']);
const findRole = (tag: string) => (tagsWithoutRole.has(tag) ? 'group' : undefined);

/** Returns the renderer of a text element. Without text it is left out, unless an island fills it. */
function renderText(className: string, chooseTag: (node: ResolvedNode) => string): ElementRenderer {
  return (writer, node) => {
    const { text, href } = node.specials;
    if (text === '' && !node.island) return;
    const tag = chooseTag(node);
    writer.start(tag, writer.own(node, className, findRole(tag)));
    renderLinked(writer, href, () => writer.text(text));
    writer.end(tag);
  };
}

const headingTag = ({ specials }: ResolvedNode) =>
  `h${specials.level >= 1 && specials.level <= 6 ? specials.level : 2}`;

export const elementRenderers: Readonly<Record<string, ElementRenderer>> = {
  section: renderBox('wb-section', 'section'),
  container: renderBox('wb-container', 'div'),
  stack: renderBox('wb-stack', 'div'),
  grid: renderBox('wb-grid', 'div'),
  heading: renderText('wb-heading', headingTag),
  text: renderText('wb-text', ({ specials }) => specials.tag || 'p'),
  richText(writer, node) {
    const { doc } = node.specials;
    if (!doc && !node.island) return;
    writer.start('div', writer.own(node, 'wb-rich-text', 'group'));
    if (doc) renderRichText(writer, doc);
    writer.end('div');
  },
  list(writer, node) {
    const { items, tag } = node.specials;
    if (items.length === 0 && !node.island) return;
    const own = tag === 'ol' ? 'ol' : 'ul';
    writer.start(own, writer.own(node, 'wb-list'));
    for (const { text, href } of items) {
      writer.start('li', []);
      renderLinked(writer, href, () => writer.text(text));
      writer.end('li');
    }
    writer.end(own);
  },
  image: renderFigure('wb-image'),
  productImage: renderFigure('wb-image wb-product-image'),
  video(writer, node) {
    const { src, poster, title, autoplay, loop } = node.specials;
    if (!src && !node.island) return;
    writer.element('video', [
      ...writer.own(node, 'wb-video'),
      ['src', src?.url],
      ['poster', poster?.url],
      ['width', src?.width],
      ['height', src?.height],
      ['title', title || undefined],
      ['controls', true],
      ['playsinline', true],
      ['preload', autoplay ? 'auto' : 'metadata'],
      ['autoplay', autoplay],
      ['muted', autoplay],
      ['loop', loop],
    ]);
  },
  icon(writer, node) {
    const { icon, ariaLabel } = node.specials;
    writer.start('span', [
      ...writer.own(node, 'wb-icon', 'img'),
      ['aria-hidden', ariaLabel ? undefined : 'true'],
    ]);
    renderIcon(writer, icon);
    writer.end('span');
  },
  gallery: renderGallery('wb-gallery'),
  button(writer, node) {
    const { text, label, href, icon, variant, ariaLabel } = node.specials;
    if (!text && !label && !icon && !ariaLabel && !node.island) return;
    const isInLink = writer.isIn('a');
    const tag = isInLink ? 'span' : href ? 'a' : 'button';
    writer.start(tag, [
      ...writer.own(node, `wb-button wb-button-${variant || 'primary'}`, findRole(tag)),
      ...(tag === 'a' ? linkAttributes(href!) : []),
      ['type', tag !== 'button' ? undefined : writer.isIn('form') ? 'submit' : 'button'],
    ]);
    if (icon) renderIcon(writer, icon);
    writer.text(label || text);
    writer.end(tag);
  },
  link(writer, node, children) {
    const { text, label, href, ariaLabel } = node.specials;
    const isEmpty = !text && !label && !ariaLabel && node.children.length === 0;
    if (isEmpty && !node.island) return;
    const isLink = href !== undefined && !writer.isIn('a');
    const tag = writer.isIn('a') ? 'span' : 'a';
    writer.start(tag, [
      ...writer.own(node, 'wb-link', isLink ? undefined : 'group'),
      ...(isLink ? linkAttributes(href) : []),
    ]);
    writer.text(label || text);
    children();
    writer.end(tag);
  },
  divider: (writer, node) => writer.element('hr', writer.own(node, 'wb-divider')),
  spacer: (writer, node) => writer.element('div', writer.own(node, 'wb-spacer', 'group')),
  ...fields,
  ...lists,
  ...navigation,
  ...choices,
  product: renderBox('wb-product', 'article', ({ specials }) => [
    ['data-wb-product', specials.productId || undefined],
  ]),
  productTitle: renderText('wb-heading wb-product-title', headingTag),
  price(writer, node) {
    const { text, formerText, formerLabel, unitText } = node.specials;
    if (text === '' && !node.island) return;
    writer.start('p', writer.own(node, 'wb-price', 'group'));
    writer.text(text);
    if (formerText !== '') {
      writer.text(' ');
      writer.start('del', []);
      writer.element('span', [['class', 'wb-hidden']], `${formerLabel} `);
      writer.text(formerText);
      writer.end('del');
    }
    if (unitText !== '') {
      writer.text(' ');
      writer.element('small', [['class', 'wb-unit-price']], unitText);
    }
    writer.end('p');
  },
  productDescription: renderWritten('wb-rich-text wb-product-description'),
  productGallery: renderGallery('wb-gallery wb-product-gallery'),
  categoryTitle: renderText('wb-heading wb-category-title', headingTag),
  categoryImage: renderFigure('wb-image wb-category-image'),
  categoryDescription: renderWritten('wb-rich-text wb-category-description'),
  articleTitle: renderText('wb-heading wb-article-title', headingTag),
  articleImage: renderFigure('wb-image wb-article-image'),
  articleExcerpt: renderText('wb-text wb-article-excerpt', () => 'p'),
  articleDate(writer, node) {
    const { text, timestamp } = node.specials;
    if (text === '' && !node.island) return;
    writer.start('p', writer.own(node, 'wb-article-date', 'group'));
    if (text !== '') writer.element('time', [['datetime', timestamp]], text);
    writer.end('p');
  },
  articleBody: renderWritten('wb-rich-text wb-article-body'),
  productField: renderCustomField('wb-field wb-product-field'),
  categoryField: renderCustomField('wb-field wb-category-field'),
  articleField: renderCustomField('wb-field wb-article-field'),
  addToCart(writer, node) {
    const { text, label, productId, value, href } = node.specials;
    if (writer.isIn('a') || (productId === '' && !node.island)) return;
    const isForSale = productId !== '' && value !== '';
    // The button works without a script; a script of the page may take over.
    const submits: Attributes =
      isForSale && href
        ? [
            ['type', 'submit'],
            ['form', buyingForm],
            ['formaction', href.url],
            ['formmethod', 'post'],
            ['name', 'buy'],
            ['value', `${productId}.${value}`],
          ]
        : [['type', 'button']];
    writer.element(
      'button',
      [
        ...writer.own(node, 'wb-button wb-button-primary wb-add-to-cart'),
        ...submits,
        ['data-wb-product', productId || undefined],
        ['data-wb-variant', value || undefined],
        ['disabled', !isForSale],
      ],
      label || text,
    );
  },
  embed(writer, node) {
    const { provider, videoId, title } = node.specials;
    const base = embedBases[provider];
    if ((!base || videoId === '') && !node.island) return;
    writer.start('div', writer.own(node, 'wb-embed', 'group'));
    if (base && videoId !== '') {
      writer.element('iframe', [
        ['src', `${base}${videoId}`],
        ['title', title || 'Video'],
        ['loading', 'lazy'],
        ['allow', 'fullscreen; picture-in-picture; encrypted-media'],
        ['allowfullscreen', true],
        ['referrerpolicy', 'strict-origin-when-cross-origin'],
      ]);
    }
    writer.end('div');
  },
};

/** Base URLs of embeds; a live page's `frame-src` allows only these. */
const embedBases: Readonly<Record<string, string>> = {
  youtube: 'https://www.youtube-nocookie.com/embed/',
  vimeo: 'https://player.vimeo.com/video/',
};

/** The origins of embeds, for the `frame-src` of live pages and of the console. */
export const frameSources: readonly string[] = Object.values(embedBases).map((base) => new URL(base).origin);

/** Returns the renderer of HTML that people wrote. It may contain links, so it cannot be inside one. */
function renderWritten(className: string): ElementRenderer {
  return (writer, node) => {
    const { html } = node.specials;
    if (writer.isIn('a') || (html === '' && !node.island)) return;
    writer.start('div', writer.own(node, className, 'group'));
    writer.raw(html);
    writer.end('div');
  };
}

/** Returns the renderer of a custom field's value: HTML, a picture, a date or text. */
function renderCustomField(className: string): ElementRenderer {
  const html = renderWritten(`wb-rich-text ${className}`);
  const picture = renderFigure(className);
  const plain = renderText(className, () => 'p');
  return (...all) => {
    const [writer, node] = all;
    const { timestamp, text } = node.specials;
    if (node.specials.html) return html(...all);
    if (node.specials.src) return picture(...all);
    if (timestamp === '' || text === '') return plain(...all);
    writer.start('p', writer.own(node, className, 'group'));
    writer.element('time', [['datetime', timestamp]], text);
    writer.end('p');
  };
}

function renderGallery(className: string): ElementRenderer {
  return (writer, node) => {
    const { label } = node.specials;
    const items = node.specials.items.filter(({ src }) => src);
    if (items.length === 0 && !node.island) return;
    writer.start('ul', writer.own(node, className));
    for (const { src, alt, text, caption, href } of items) {
      writer.start('li', []);
      writer.start('figure', []);
      if (href || writer.isIn('a'))
        renderLinked(writer, href, () => renderImage(writer, [], src!, alt || text));
      else renderEnlargeable(writer, src!, alt || text, label);
      if (caption) writer.element('figcaption', [], caption);
      writer.end('figure');
      writer.end('li');
    }
    writer.end('ul');
  };
}

/** Writes a picture that links to itself in full size; a script of the page shows it in place. */
function renderEnlargeable(writer: Writer, src: Picture, alt: string, label: string): void {
  const name = alt || src.alt;
  writer.start('a', [
    ['class', 'wb-zoom'],
    ['href', src.url],
    ['aria-label', name ? `${label}: ${name}` : label],
  ]);
  renderImage(writer, [], src, alt);
  writer.end('a');
}

function renderFigure(className: string): ElementRenderer {
  return (writer, node) => {
    const { src, alt, caption, href } = node.specials;
    if (!src && !node.island) return;
    const own = writer.own(node, className);
    if (!caption && !node.island) {
      renderLinked(writer, href, () => renderImage(writer, own, src!, alt));
      return;
    }
    writer.start('figure', own);
    if (src) renderLinked(writer, href, () => renderImage(writer, [], src, alt));
    if (caption) writer.element('figcaption', [], caption);
    writer.end('figure');
  };
}

/** Writes an image; without an `alt` of its own it takes its asset's. */
function renderImage(writer: Writer, own: Attributes, picture: Picture, alt: string): void {
  const { url, width, height, sources } = picture;
  const widths = sources.map((source) => `${source.url} ${source.width}w`);
  if (widths.length > 0 && width) widths.push(`${url} ${width}w`);
  const isFirst = writer.isFirstPicture();
  writer.element('img', [
    ...own,
    ['src', url],
    ['srcset', widths.join(', ') || undefined],
    ['sizes', widths.length > 0 ? '(max-width: 639px) 100vw, 50vw' : undefined],
    ['width', width],
    ['height', height],
    ['alt', alt || picture.alt],
    ['loading', isFirst ? undefined : 'lazy'],
    ['fetchpriority', isFirst ? 'high' : undefined],
    ['decoding', isFirst ? undefined : 'async'],
  ]);
}
