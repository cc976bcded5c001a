/** The texts of a page for search engines. */
export interface PageSeo {
  readonly title: string;
  readonly description: string;
  readonly noindex: boolean;
}

type Settings = Readonly<Record<string, unknown>>;

const texts = ['title', 'description'] as const;

/** Returns a page's entry in search engines: `settings.seo` comes before the settings beside it (`decisions.md 17.6`). */
export function readPageSeo(settings: Settings): PageSeo {
  const own = findOwn(settings);
  const readText = (key: (typeof texts)[number]) => toText(hasText(own[key]) ? own[key] : settings[key]);
  return {
    title: readText('title'),
    description: readText('description'),
    noindex: typeof own.noindex === 'boolean' ? own.noindex : settings.noindex === true,
  };
}

/**
 * Returns a page's settings with another entry in search engines, each part of it where it stands now, so that it is
 * what visitors get. An emptied text goes from both places.
 */
export function writePageSeo(settings: Settings, input: PageSeo): Record<string, unknown> {
  const own = { ...findOwn(settings) };
  const plain = { ...settings };
  for (const key of texts) {
    const place = hasText(own[key]) ? own : plain;
    if (input[key]) place[key] = input[key];
    else {
      delete own[key];
      delete plain[key];
    }
  }
  if (typeof own.noindex === 'boolean') own.noindex = input.noindex;
  else if (input.noindex) plain.noindex = true;
  else delete plain.noindex;
  return isObject(settings.seo) ? { ...plain, seo: own } : plain;
}

const findOwn = ({ seo }: Settings): Record<string, unknown> => (isObject(seo) ? seo : {});

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const toText = (value: unknown) => (typeof value === 'string' ? value : '');

const hasText = (value: unknown) => toText(value).trim() !== '';
