import openapiTypescript, { astToString } from 'openapi-typescript';

const heading = `// Made of the API document by \`npm run sdk:types\`: do not edit.
`;

interface Operation {
  operationId?: string;
  description?: string;
  parameters?: { in: string }[];
  responses: Record<string, { headers?: object; content?: object }>;
}

/**
 * The types of an API document: `paths` and `components` of `src/api.ts`. Of an operation they hold what a caller
 * writes and gets; errors are all of one shape, and what is said of every operation is the client's to do.
 */
export async function typesOf(document: { paths: object }): Promise<string> {
  const paths = Object.fromEntries(
    Object.entries(document.paths).map(([path, item]: [string, Record<string, Operation>]) => [
      path,
      Object.fromEntries(Object.entries(item).map(([method, operation]) => [method, essence(operation)])),
    ]),
  );
  const nodes = await openapiTypescript({ ...document, paths, webhooks: {} } as never, {
    alphabetize: true,
    emptyObjectsUnknown: true,
  });
  return `${heading}\n${astToString(nodes)}`;
}

function essence({ operationId: _, description: __, parameters = [], responses, ...operation }: Operation) {
  const answers = Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .map(([status, { headers: _, ...answer }]) => [status, answer]);
  return {
    ...operation,
    parameters: parameters.filter((parameter) => parameter.in !== 'header'),
    responses: Object.fromEntries(answers),
  };
}
