import type { Problem } from '@waybill/contracts';
import { trimName } from '@waybill/contracts';
import { type ContributionProblem, withoutReference } from '@waybill/page';
import { errors } from '../errors.ts';
import type { Block } from './manifest.ts';

/** A problem of a manifest with its error code: `store-api.md 7.2–7.4`. */
export type ManifestProblem = Omit<ContributionProblem, 'code'> & {
  code: ContributionProblem['code'] | 'island_no_module';
};

/** Maximum number of listed problems; more help nobody. */
const maxListed = 1_000;

/** Throws the error of the first problem, with all problems as details. Does nothing when there is none. */
export function throwProblems(problems: readonly ManifestProblem[]): void {
  const [first] = problems;
  if (!first) return;
  const details = problems
    .slice(0, maxListed)
    .map(({ pointer, code, message }): Problem => ({ pointer, code, message }));
  throw errors[first.code]({ details });
}

/**
 * Converts a valid block to its stored form: without unknown fields, and without the keys by which a node could pose as
 * a block reference (`store-api.md 4.12`, rule 5). Names are trimmed (`decisions.md 19.4`); everything else stays as
 * sent.
 */
export function toStored({ key, name, icon, rootId, nodes, slots, traits }: Block): Block {
  return {
    key,
    name: trimName(name),
    ...(icon && { icon }),
    rootId,
    nodes: nodes.map(({ id, type, children, props, island }) => ({
      id,
      type,
      ...(children && { children }),
      ...(props && { props: withoutReference(props) as Record<string, unknown> }),
      ...(island && { island }),
    })),
    ...(slots && { slots }),
    ...(traits && { traits: traits.map((trait) => ({ ...trait, label: trimName(trait.label) })) }),
  };
}
