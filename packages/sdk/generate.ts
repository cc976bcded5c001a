import openapiTypescript, { astToString } from 'openapi-typescript';

const heading = `// Made of the API document by \`npm run sdk:types\`: do not edit.
`;

interface Operation {
  operationId?: string;
  description?: string;
  parameters?: { in: string; example?: unknown }[];
  requestBody?: { content?: Contents };
  responses: Record<string, { headers?: object; content?: Contents }>;
}

/** An error response under `components` of the API document. */
interface Refusal {
  content: { 'application/json': { schema: { allOf: { properties?: { code: { enum: string[] } } }[] } } };
}

type Contents = Record<string, { example?: unknown }>;

/**
 * Generates the types of an API document: `paths` and `components` of `src/api.ts`. For each operation they contain its
 * request and its success response. Errors all have the same shape, and the client handles whatever applies to all
 * operations.
 */
export async function generateTypes({
  components: { schemas, responses },
  ...document
}: {
  paths: object;
  components: { schemas: object; responses: object };
}): Promise<string> {
  const paths = Object.fromEntries(
    Object.entries(document.paths).map(([path, item]: [string, Record<string, Operation>]) => [
      path,
      Object.fromEntries(
        Object.entries(item).map(([method, operation]) => [method, describeOperation(operation)]),
      ),
    ]),
  );
  const nodes = await openapiTypescript(
    { ...document, paths, components: { schemas }, webhooks: {} } as never,
    {
      alphabetize: true,
      emptyObjectsUnknown: true,
    },
  );
  const codes = collectCodes(Object.values(responses as Record<string, Refusal>)).map((code) => `'${code}'`);
  return `${heading}\n${astToString(nodes)}\n/** The error codes of the API. */\nexport type ErrorCode =\n  | ${codes.join('\n  | ')};\n`;
}

/** Returns the error codes of the document's responses. */
function collectCodes(refusals: readonly Refusal[]): string[] {
  const parts = refusals.flatMap(({ content }) => content['application/json'].schema.allOf);
  return [...new Set(parts.flatMap(({ properties }) => properties?.code.enum ?? []))].sort();
}

function describeOperation({
  operationId: _,
  description: __,
  parameters = [],
  requestBody,
  responses,
  ...operation
}: Operation) {
  const answers = Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .map(([status, { headers: _, ...answer }]) => [status, withoutExamples(answer)]);
  return {
    ...operation,
    ...(requestBody && { requestBody: withoutExamples(requestBody) }),
    parameters: parameters
      .filter((parameter) => parameter.in !== 'header')
      .map(({ example: _, ...parameter }) => parameter),
    responses: Object.fromEntries(answers),
  };
}

/** Removes the examples from a body and keeps its types. */
function withoutExamples<Body extends { content?: Contents }>({ content, ...body }: Body) {
  if (!content) return body;
  const types = Object.entries(content).map(([type, { example: _, ...each }]) => [type, each]);
  return { ...body, content: Object.fromEntries(types) };
}
