import { lazyRouteComponent } from '@tanstack/react-router';
import { language, wordsThere } from './texts/texts.ts';

/**
 * A lazy screen that is shown once its chunk and all of the chunk's texts are loaded. A screen that suspended while in
 * use would be unmounted, and the user would lose the focus.
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
