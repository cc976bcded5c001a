import { redirect } from '@tanstack/react-router';
import { base, paths } from '../paths.ts';
import { meQuery } from './me.ts';
import { queries } from './queries.ts';
import { session } from './session.ts';

/** Before a screen for who is signed in. Who is not goes to the door, and comes back to where they wanted to go. */
export async function whoIsIn({ location }: { location: { href: string } }): Promise<void> {
  if (session.read().is !== 'signedIn') throw redirect({ href: paths.signIn(base + location.href) });
  await queries.ensureQueryData(meQuery);
}
