import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'rolldown/utils';

const sources = fileURLToPath(new URL('../src/', import.meta.url));
const maxLines = 100;
const maxReasons = 8;

// biome-ignore lint/suspicious/noExplicitAny: the nodes of a syntax tree, of any type.
type Node = any;

interface Component {
  readonly name: string;
  /** From the first line of the function to its last. */
  readonly lines: number;
  /** The part after “Long because” of the comment directly above the component. */
  readonly reason: string | undefined;
}

/** Lists the components of a module: functions with a capital first letter that contain JSX. */
function listComponents(file: string, code: string): Component[] {
  const { program, comments } = parseSync(file, code);
  const countLines = (start: number, end: number) => code.slice(start, end).split('\n').length;
  const readComment = (statement: Node): string => {
    const above = comments.filter(
      ({ end }) => end <= statement.start && /^\s*$/.test(code.slice(end, statement.start)),
    );
    return above.map(({ value }) => value.replace(/\s*\n\s*\*?\s*/g, ' ')).join(' ');
  };
  const found: Component[] = [];
  const visit = (node: Node, statement: Node, name: string | undefined) => {
    if (Array.isArray(node)) {
      for (const child of node) visit(child, child, undefined);
      return;
    }
    if (!node || typeof node.type !== 'string') return;
    const own = node.id?.name ?? name;
    if (/^(?:Arrow)?Function/.test(node.type) && /^[A-Z]/.test(own ?? '') && containsJsx(node.body)) {
      const reason = /\bLong because ([^.]+)/.exec(readComment(statement))?.[1];
      found.push({ name: own, lines: countLines(node.start, node.end), reason });
    }
    // A function takes the name of its variable, also inside a call such as `memo(…)`.
    const passesName = /^(?:VariableDeclarator|CallExpression)$/.test(node.type);
    const passesStatement = passesName || /^(?:Export|VariableDeclaration)/.test(node.type);
    for (const key in node) {
      const children = Array.isArray(node[key]) ? node[key] : [node[key]];
      for (const child of children)
        visit(child, passesStatement ? statement : child, passesName ? own : undefined);
    }
  };
  visit(program.body, undefined, undefined);
  return found;
}

const containsJsx = (node: Node): boolean =>
  Array.isArray(node)
    ? node.some(containsJsx)
    : typeof node?.type === 'string' &&
      (/^JSX(?:Element|Fragment)$/.test(node.type) || Object.values(node).some(containsJsx));

const components = readdirSync(sources, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.tsx'))
  .flatMap((file) =>
    listComponents(file, readFileSync(sources + file, 'utf8')).map((component) => ({ file, ...component })),
  );

test('a component has at most 100 lines, or a comment that says why it is longer', () => {
  expect(components.length).toBeGreaterThan(200);
  const unexplained = components
    .filter(({ lines, reason }) => lines > maxLines && reason === undefined)
    .map(({ file, name, lines }) => `${file}: ${name} has ${lines} lines`);
  expect(unexplained).toEqual([]);
});

test('few components are longer, each for a reason of its own, and no reason outlives its component’s length', () => {
  const explained = components.filter(({ reason }) => reason !== undefined);
  expect(explained.length).toBeLessThanOrEqual(maxReasons);
  expect(new Set(explained.map(({ reason }) => reason)).size).toBe(explained.length);
  expect(explained.filter(({ lines }) => lines <= maxLines)).toEqual([]);
});

test('a component is measured however it is declared, and only by the comment directly above it', () => {
  const code = `
/** Long because a form is read from top to bottom. */
export function Form() {
  return <form />;
}

/** Long because another one is. */
const other = 1;
export const List = memo(
  () => <ul>{[1].map(() => <li />)}</ul>,
);
const Row = () => (
  <tr />
);
function Pure() {
  return 1;
}
`;
  expect(listComponents('planted.tsx', code)).toEqual([
    { name: 'Form', lines: 3, reason: 'a form is read from top to bottom' },
    { name: 'List', lines: 1, reason: undefined },
    { name: 'Row', lines: 3, reason: undefined },
  ]);
});
