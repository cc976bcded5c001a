/** Maximum total size of an SVG's entities where they are used; more would be an entity bomb. */
export const maxExpandedBytes = 1024 * 1024;
const maxEntities = 1_000;

/** The reason why the entities of a document are refused. */
export class EntityProblem extends Error {}

/**
 * Returns the entities that a document declares itself, each with its fully expanded text.
 * @throws EntityProblem where an entity is loaded from elsewhere, contains itself, or is too long
 */
export function parseEntities(doctype: string): Map<string, string> {
  const open = doctype.indexOf('[');
  if (open < 0) return new Map();
  const subset = removeComments(doctype.slice(open + 1));
  const declared = new Map<string, string>();
  for (const [, name = '', external, double, single] of subset.matchAll(
    /<!ENTITY\s{1,20}([^\s%"'<>]{1,100})\s{1,20}(?:(SYSTEM|PUBLIC)|"([^"]*)"|'([^']*)')/g,
  )) {
    if (external) throw new EntityProblem('has an entity that is fetched from elsewhere');
    if (!declared.has(name)) declared.set(name, double ?? single ?? '');
    if (declared.size > maxEntities) throw new EntityProblem(`has more than ${maxEntities} entities`);
  }
  if (/<!ENTITY\s{1,20}%/.test(subset)) throw new EntityProblem('has a parameter entity');
  const expanded = new Map<string, string>();
  for (const name of declared.keys()) expand(name, declared, expanded, new Set());
  return expanded;
}

function removeComments(text: string): string {
  return text
    .split('<!--')
    .map((part, i) => (i === 0 ? part : part.slice(Math.max(0, part.indexOf('-->')))))
    .join('');
}

function expand(
  name: string,
  declared: ReadonlyMap<string, string>,
  expanded: Map<string, string>,
  open: Set<string>,
): string {
  const known = expanded.get(name);
  if (known !== undefined) return known;
  if (open.has(name) || open.size > 50) throw new EntityProblem('has an entity that holds itself');
  open.add(name);
  let length = 0;
  const text = declared.get(name)!.replace(/&([^\s#&;]{1,100});/g, (reference, inner: string) => {
    const replaced = declared.has(inner) ? expand(inner, declared, expanded, open) : reference;
    length += replaced.length;
    if (length > maxExpandedBytes) throw createTooLongError();
    return replaced;
  });
  open.delete(name);
  expanded.set(name, text);
  return text;
}

/**
 * Adds up the entities that a document uses.
 * @throws EntityProblem beyond the limit
 */
export function checkExpansion(text: string, entities: ReadonlyMap<string, string>): void {
  let length = 0;
  for (const [, name = ''] of text.matchAll(/&([^\s#&;]{1,100});/g)) {
    length += Buffer.byteLength(entities.get(name) ?? '');
    if (length > maxExpandedBytes) throw createTooLongError();
  }
}

const createTooLongError = () => new EntityProblem('has entities that expand to more than 1 MiB');
