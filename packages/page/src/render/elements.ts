import type { Picture, ResolvedNode } from '../resolved.ts';
import { choices } from './choices.ts';
import { buyingForm, fields } from './fields.ts';
import { lists } from './lists.ts';
import { navigation } from './navigation.ts';
import { drawing, type ElementRenderer, linkAttributes, withLink } from './primitives.ts';
import { renderRichText } from './rich-text.ts';
import type { Attributes, Writer } from './writer.ts';

/** Returns the renderer of a box with children whose tag the author chooses. */
function box(
  className: string,
  first: string,
  extra: (node: ResolvedNode) => Attributes = () => [],
): ElementRenderer {
  return (writer, node, children) => {
    const tag = writer.boxTag(node.specials.tag || first);
    writer.start(tag, [...writer.own(node, className, roleOf(tag)), ...extra(node)]);
    children();
    writer.end(tag);
  };
}

/** Tags that need a role before they may have a name. */
const meaningless = new Set(['div', 'p', 'span', 'small', 'strong']);
const roleOf = (tag: string) => (meaningless.has(tag) ? 'group' : undefined);

/** Returns the renderer of a text element. Without text it is left out, unless an island fills it. */
function words(className: string, tagOf: (node: ResolvedNode) => string): ElementRenderer {
  return (writer, node) => {
    const { text, href } = node.specials;
    if (text === '' && !node.island) return;
    const tag = tagOf(node);
    writer.start(tag, writer.own(node, className, roleOf(tag)));
    withLink(writer, href, () => writer.text(text));
    writer.end(tag);
  };
}

const headingTag = ({ specials }: ResolvedNode) =>
  `h${specials.level >= 1 && specials.level <= 6 ? specials.level : 2}`;

export const elementRenderers: Readonly<Record<string, ElementRenderer>> = {
  section: box('wb-section', 'section'),
  container: box('wb-container', 'div'),
  stack: box('wb-stack', 'div'),
  grid: box('wb-grid', 'div'),
  heading: words('wb-heading', headingTag),
  text: words('wb-text', ({ specials }) => specials.tag || 'p'),
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
      withLink(writer, href, () => writer.text(text));
      writer.end('li');
    }
    writer.end(own);
  },
  image: figure('wb-image'),
  productImage: figure('wb-image wb-product-image'),
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
    drawing(writer, icon);
    writer.end('span');
  },
  gallery: gallery('wb-gallery'),
  button(writer, node) {
    const { text, label, href, icon, variant, ariaLabel } = node.specials;
    if (!text && !label && !icon && !ariaLabel && !node.island) return;
    const isInLink = writer.isIn('a');
    const tag = isInLink ? 'span' : href ? 'a' : 'button';
    writer.start(tag, [
      ...writer.own(node, `wb-button wb-button-${variant || 'primary'}`, roleOf(tag)),
      ...(tag === 'a' ? linkAttributes(href!) : []),
      ['type', tag !== 'button' ? undefined : writer.isIn('form') ? 'submit' : 'button'],
    ]);
    if (icon) drawing(writer, icon);
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
  product: box('wb-product', 'article', ({ specials }) => [
    ['data-wb-product', specials.productId || undefined],
  ]),
  productTitle: words('wb-heading wb-product-title', headingTag),
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
  productDescription: written('wb-rich-text wb-product-description'),
  productGallery: gallery('wb-gallery wb-product-gallery'),
  categoryTitle: words('wb-heading wb-category-title', headingTag),
  categoryImage: figure('wb-image wb-category-image'),
  categoryDescription: written('wb-rich-text wb-category-description'),
  articleTitle: words('wb-heading wb-article-title', headingTag),
  articleImage: figure('wb-image wb-article-image'),
  articleExcerpt: words('wb-text wb-article-excerpt', () => 'p'),
  articleDate(writer, node) {
    const { text, timestamp } = node.specials;
    if (text === '' && !node.island) return;
    writer.start('p', writer.own(node, 'wb-article-date', 'group'));
    if (text !== '') writer.element('time', [['datetime', timestamp]], text);
    writer.end('p');
  },
  articleBody: written('wb-rich-text wb-article-body'),
  productField: customField('wb-field wb-product-field'),
  categoryField: customField('wb-field wb-category-field'),
  articleField: customField('wb-field wb-article-field'),
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

export const frameSources: readonly string[] = [
  'https://www.youtube-nocookie.com',
  'https://player.vimeo.com',
];

/** Returns the renderer of HTML that people wrote. It may contain links, so it cannot be inside one. */
function written(className: string): ElementRenderer {
  return (writer, node) => {
    const { html } = node.specials;
    if (writer.isIn('a') || (html === '' && !node.island)) return;
    writer.start('div', writer.own(node, className, 'group'));
    writer.raw(html);
    writer.end('div');
  };
}

/** Returns the renderer of a custom field's value: HTML, a picture, a date or text. */
function customField(className: string): ElementRenderer {
  const html = written(`wb-rich-text ${className}`);
  const picture = figure(className);
  const plain = words(className, () => 'p');
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

function gallery(className: string): ElementRenderer {
  return (writer, node) => {
    const { label } = node.specials;
    const items = node.specials.items.filter(({ src }) => src);
    if (items.length === 0 && !node.island) return;
    writer.start('ul', writer.own(node, className));
    for (const { src, alt, text, caption, href } of items) {
      writer.start('li', []);
      writer.start('figure', []);
      if (href || writer.isIn('a')) withLink(writer, href, () => image(writer, [], src!, alt || text));
      else enlargeable(writer, src!, alt || text, label);
      if (caption) writer.element('figcaption', [], caption);
      writer.end('figure');
      writer.end('li');
    }
    writer.end('ul');
  };
}

/** Writes a picture that links to itself in full size; a script of the page shows it in place. */
function enlargeable(writer: Writer, src: Picture, alt: string, label: string): void {
  const name = alt || src.alt;
  writer.start('a', [
    ['class', 'wb-zoom'],
    ['href', src.url],
    ['aria-label', name ? `${label}: ${name}` : label],
  ]);
  image(writer, [], src, alt);
  writer.end('a');
}

function figure(className: string): ElementRenderer {
  return (writer, node) => {
    const { src, alt, caption, href } = node.specials;
    if (!src && !node.island) return;
    const own = writer.own(node, className);
    if (!caption && !node.island) {
      withLink(writer, href, () => image(writer, own, src!, alt));
      return;
    }
    writer.start('figure', own);
    if (src) withLink(writer, href, () => image(writer, [], src, alt));
    if (caption) writer.element('figcaption', [], caption);
    writer.end('figure');
  };
}

/** Writes an image; without an `alt` of its own it takes its asset's. */
function image(writer: Writer, own: Attributes, picture: Picture, alt: string): void {
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
