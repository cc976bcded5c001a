import type { Problem } from '@waybill/contracts';
import { trimName } from '@waybill/contracts';
import { type ContributionProblem, withoutReference } from '@waybill/page';
import { errors } from '../errors.ts';
import type { Block } from './manifest.ts';

/** A problem with the code that it earns: `store-api.md 7.2–7.4`. */
export type ManifestProblem = Omit<ContributionProblem, 'code'> & {
  code: ContributionProblem['code'] | 'island_no_module';
};

/** More than this tell nobody more. */
const maxListed = 1_000;

/** Throws the error of the first problem, with all of them as its details; nothing where there is none. */
export function throwProblems(problems: readonly ManifestProblem[]): void {
  const [first] = problems;
  if (!first) return;
  const details = problems
    .slice(0, maxListed)
    .map(({ pointer, code, message }): Problem => ({ pointer, code, message }));
  throw errors[first.code]({ details });
}

/**
 * A block that was found good, as it is stored: without what it does not have a field for, and without the keys by
 * which a node would claim to be a block reference (`store-api.md 4.12`, rule 5). Names are trimmed (`decisions.md 19.4`), the rest is as it was
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
