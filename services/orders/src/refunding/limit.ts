import { managesByRole, type Principal, type StoreReply } from '@waybill/contracts';
import type { Context } from '../config.ts';
import { errors } from '../errors.ts';

/** Throws `insufficient_role` for an amount that the principal may not refund. */
export type AssertRefundAllowed = (amountCents: number) => void;

/**
 * Determines how much a principal may refund. Above the store's limit, a refund requires a role that manages the store;
 * for a key, its creator's role counts. `decisions.md 23.2`.
 * @throws not_found, resource_unavailable
 */
export async function createRefundAssertion(
  { peers }: Pick<Context, 'peers'>,
  principal: Principal,
  storeId: string,
): Promise<AssertRefundAllowed> {
  if (managesByRole(principal)) return () => {};
  const reply = await peers.call<StoreReply>('identity', 'GET', `/internal/stores/${storeId}`);
  if (!reply) throw errors.not_found();
  // The previous version of identity sends no limit.
  const limitCents = reply.checkout.refundLimitCents ?? null;
  return (amountCents) => {
    if (limitCents === null || amountCents <= limitCents) return;
    throw errors.insufficient_role({
      message: `Refunds above ${limitCents}, in minor units, require the role admin or owner.`,
      fields: { limitCents },
    });
  };
}
