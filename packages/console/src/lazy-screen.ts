import { lazyRouteComponent } from '@tanstack/react-router';
import { language, wordsThere } from './texts/texts.ts';

/**
 * A screen of a chunk of its own, come to when all words of that chunk are there too: what suspends within a screen
 * takes all of it away for as long, and with it the focus of whoever is at work there.
 */
export function lazyScreen<Feature extends Record<string, unknown>, Name extends keyof Feature & string>(
  load: () => Promise<Feature>,
  name: Name,
) {
  return lazyRouteComponent(async () => {
    const feature = await load();
    await wordsThere(language.read());
    return feature;
  }, name);
}
