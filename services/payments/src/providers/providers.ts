import type { Context } from '../config.ts';
import type { SessionRow } from '../records/session-queries.ts';
import { AppProvider } from './app-provider.ts';
import type { ListingProvider, PaymentProvider } from './port.ts';
import { StripeProvider } from './stripe-provider.ts';

export type Providers = Readonly<
  Record<SessionRow['provider'], PaymentProvider> & { stripe: ListingProvider }
>;

/** Creates the implementations of the port, by the provider of a session. */
export const createProviders = (context: Context): Providers => ({
  stripe: new StripeProvider(context),
  app: new AppProvider(context),
});
