import { Ajv } from 'ajv';
import type { Static, TObject } from 'typebox';
import { ruleMessages } from './rule-words.ts';

export type Env = Readonly<Record<string, string | undefined>>;

/** A wrong setting, port or directory: the process ends with this line, or with one for each of several problems. */
export class StartError extends Error {}

/** A service's settings: its environment variables, and how they become its configuration. */
export interface ConfigDefinition<Config> {
  schema: TObject;
  /** Throws a StartError that names each faulty variable. An empty variable counts as unset. */
  read(env: Env): Config;
}

const ajv = new Ajv({ coerceTypes: true, useDefaults: true, validateFormats: false, allErrors: true });

/**
 * Declares environment variables by a TypeBox object whose keys are their names. `transform` parses values that a
 * schema cannot describe (an address list, a key); the message of an Error that it throws is reported unchanged.
 */
export function defineConfig<Schema extends TObject, Config = Static<Schema>>(
  schema: Schema,
  transform: (values: Static<Schema>) => Config = (values) => values as unknown as Config,
): ConfigDefinition<Config> {
  return {
    schema,
    read(env) {
      const values: Record<string, unknown> = {};
      for (const name of Object.keys(schema.properties)) if (env[name]) values[name] = env[name];
      if (!ajv.validate(schema, values)) {
        const problems = new Map<string, string>();
        for (const { instancePath, keyword, message, params } of ajv.errors!) {
          const name: string = instancePath.slice(1) || params.missingProperty;
          if (problems.has(name)) continue;
          const problem = instancePath ? (ruleMessages[keyword]?.(params) ?? message) : 'must be set';
          const { description } = schema.properties[name] as { description?: string };
          problems.set(name, `${name}: ${problem}${keyword === 'pattern' ? `. ${description}` : ''}`);
        }
        throw new StartError([...problems.values()].join('\n'));
      }
      try {
        return transform(values as Static<Schema>);
      } catch (error) {
        throw new StartError((error as Error).message);
      }
    },
  };
}

/** Reads the settings of several services. Throws one StartError with the problems of all of them, each once. */
export function checkSettings(configs: readonly ConfigDefinition<unknown>[], env: Env): void {
  const problems = new Set<string>();
  for (const config of configs) {
    try {
      config.read(env);
    } catch (error) {
      if (!(error instanceof StartError)) throw error;
      for (const problem of error.message.split('\n')) problems.add(problem);
    }
  }
  if (problems.size > 0) throw new StartError([...problems].join('\n'));
}
