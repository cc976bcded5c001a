import type { PageDocument } from '@waybill/page';

/** The place of a problem: its node, null if it is of no node of the document, and the pointer below that. */
export interface ProblemPlace {
  readonly id: string | null;
  readonly pointer: string;
}

/**
 * Splits a pointer such as `/document/nodes/12/props/style/base/color`. Its number is that of the node in the document
 * that was sent, which may have changed since.
 */
export function findProblemPlace({ nodes }: PageDocument, pointer: string): ProblemPlace {
  const [, position, rest = ''] = /^(?:\/document)?\/nodes\/(\d+)(\/.*)?$/.exec(pointer) ?? [];
  const id = position === undefined ? undefined : nodes[Number(position)]?.id;
  return { id: id ?? null, pointer: rest };
}
