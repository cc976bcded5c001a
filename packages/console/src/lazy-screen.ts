import { lazyRouteComponent } from '@tanstack/react-router';
import { language, wordsThere } from './texts/texts.ts';

/**
 * A screen of a chunk of its own, come to when all words of that chunk are there too: what suspends within a screen
 * takes all of it away for as long, and with it the focus of whoever is at work there.
 */
export function lazyScreen<Room extends Record<string, unknown>, Name extends keyof Room & string>(
  load: () => Promise<Room>,
  name: Name,
) {
  return lazyRouteComponent(async () => {
    const room = await load();
    await wordsThere(language.read());
    return room;
  }, name);
}
