/**
 * Video providers whose embeds pages show, by the addresses of their embed codes; the video's id follows the address.
 */
const providers: readonly { address: RegExp; base: string; id: RegExp }[] = [
  {
    address: /^(?:https?:)?\/\/(?:www\.|m\.)?youtube(?:-nocookie)?\.com\/(?:embed|v)\/([^/?#&]{1,64})/i,
    base: 'https://www.youtube-nocookie.com/embed/',
    id: /^[\w-]{1,32}$/,
  },
  {
    address: /^(?:https?:)?\/\/(?:player\.)?vimeo\.com\/(?:video\/)?([^/?#&]{1,64})/i,
    base: 'https://player.vimeo.com/video/',
    id: /^\d{1,32}$/,
  },
];

/**
 * Returns the attributes of the embed that pages use for the video of an `iframe`; undefined if it shows anything else.
 */
export function parseEmbed({ src, title }: Record<string, string>): Record<string, string> | undefined {
  const address = src?.trim() ?? '';
  for (const provider of providers) {
    const id = provider.address.exec(address)?.[1];
    if (id === undefined || !provider.id.test(id) || id === 'videoseries') continue;
    return {
      src: provider.base + id,
      title: title?.trim() || 'Video',
      loading: 'lazy',
      allow: 'fullscreen; picture-in-picture; encrypted-media',
      allowfullscreen: '',
      referrerpolicy: 'strict-origin-when-cross-origin',
    };
  }
  return undefined;
}
